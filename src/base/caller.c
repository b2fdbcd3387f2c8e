/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * caller.c: what the caller gave is noted before main(), since the C library changes signals when
 * the first thread is made. It is constant from then on.
 */
#include "caller.h"

#include <fcntl.h>
#include <linux/sched/types.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/resource.h>
#include <sys/syscall.h>

enum { NR_SIGNALS = 64, NR_STANDARD = STDERR_FILENO + 1 };

static struct {
	bool closed[NR_STANDARD];
	bool is_less;
	bool has_attributes;
	u64 ignored; /* bit i: signal i + 1 */
	u64 blocked;
	struct sched_attr attributes;
	int nice;
	struct rlimit limits[RLIM_NLIMITS];
} given;

/*
 * The kernel's own calls: the C library keeps two signals for its threads, and lets sigaction(3)
 * and sigprocmask(3) touch neither; what starts a program by posix_spawn(3), as make does, has both
 * ignored.
 */
struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	u64 mask;
};

static long kernel_sigaction(int number, const struct kernel_action *new, struct kernel_action *old)
{
	return syscall(SYS_rt_sigaction, number, new, old, sizeof(u64));
}

static void note_signals(void)
{
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &given.blocked, sizeof(given.blocked));
	for (int number = 1; number <= NR_SIGNALS; number++) {
		struct kernel_action action = {};

		if (!kernel_sigaction(number, NULL, &action) && action.handler == SIG_IGN)
			given.ignored |= 1ull << (number - 1);
	}
}

__attribute__((constructor)) static void note_what_is_given(void)
{
	for (int fd = 0; fd < NR_STANDARD; fd++)
		given.closed[fd] = fcntl(fd, F_GETFD) < 0;
	given.is_less = getauxval(AT_SECURE) || getuid() != geteuid() || getgid() != getegid();
	given.has_attributes =
		!syscall(SYS_sched_getattr, 0, &given.attributes, sizeof(given.attributes), 0);
	given.nice = getpriority(PRIO_PROCESS, 0);
	for (int i = 0; i < RLIM_NLIMITS; i++)
		getrlimit((__rlimit_resource_t)i, &given.limits[i]);
	note_signals();
}

bool caller_is_less(void)
{
	return given.is_less;
}

void caller_fill_descriptors(void)
{
	for (int fd = 0; fd < NR_STANDARD; fd++)
		if (given.closed[fd])
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static void restore_signals(void)
{
	for (int number = 1; number <= NR_SIGNALS; number++) {
		const struct kernel_action action = {
			.handler = given.ignored >> (number - 1) & 1 ? SIG_IGN : SIG_DFL};

		kernel_sigaction(number, &action, NULL);
	}
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &given.blocked, NULL, sizeof(given.blocked));
}

void caller_restore(void)
{
	for (int fd = 0; fd < NR_STANDARD; fd++)
		if (given.closed[fd])
			close(fd);
	if (given.has_attributes)
		syscall(SYS_sched_setattr, 0, &given.attributes, 0);
	/* That call leaves it alone for SCHED_IDLE and the real-time policies. */
	setpriority(PRIO_PROCESS, 0, given.nice);
	for (int i = 0; i < RLIM_NLIMITS; i++)
		setrlimit((__rlimit_resource_t)i, &given.limits[i]);
	restore_signals();
}
