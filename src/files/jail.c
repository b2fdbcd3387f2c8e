/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jail.c. Capabilities are set by the system calls themselves: libwick.a does without libcap, which
 * only those need who ask what a run may do.
 */
#include "jail.h"

#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "filter_calls.h"

#ifndef CAP_CHECKPOINT_RESTORE
#define CAP_CHECKPOINT_RESTORE 40
#endif

enum {
	NOBODY = 65534,
	MAX_FDS = 128,
	MAX_FILE_BYTES = 512 << 20, /* of an answer */
	MAX_CPU_S = 120,
	MAX_DATA = 256 << 20,
};

static const u64 MAX_MEMORY = 2ull << 30, MAX_DOWNLOAD_BYTES = 4ull << 30;

#define BIT(capability) (1ull << (capability))

static const u64 opening =
	BIT(CAP_SYS_PTRACE) | BIT(CAP_DAC_READ_SEARCH) | BIT(CAP_CHECKPOINT_RESTORE);
static const u64 forking = BIT(CAP_SETUID) | BIT(CAP_SETGID) | BIT(CAP_SYS_CHROOT) | BIT(CAP_KILL);

/* Of those that are held. Failing leaves what was held before: no more than wick has. */
static void keep_capabilities(u64 kept)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct held[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, held))
		return;
	for (int i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		held[i].effective &= (u32)(kept >> (32 * i));
		held[i].permitted &= (u32)(kept >> (32 * i));
		held[i].inheritable = 0;
	}
	syscall(SYS_capset, &header, held);
	prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

static bool holds(int capability)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct held[_LINUX_CAPABILITY_U32S_3];

	return !syscall(SYS_capget, &header, held) &&
	       held[capability / 32].effective & 1u << capability % 32;
}

static void limit(int what, u64 most)
{
	struct rlimit now;

	if (getrlimit((__rlimit_resource_t)what, &now))
		return;
	now.rlim_max = min((rlim_t)most, now.rlim_max);
	now.rlim_cur = min((rlim_t)most, now.rlim_cur);
	setrlimit((__rlimit_resource_t)what, &now);
}

/* ---- another face */

/* Fields 48 to 51 of /proc/self/stat: where arguments and environment begin and end. */
static bool find_arguments(char **begin, char **end)
{
	_cleanup_close_ int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
	char text[2048], *at;
	ssize_t size = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);

	if (size <= 0)
		return false;
	text[size] = '\0';
	at = strrchr(text, ')');
	for (int field = 2; at && field < 48; field++)
		at = strchr(at + 1, ' ');
	if (!at)
		return false;
	*begin = (char *)(uintptr_t)strtoull(at, &at, 10);
	strtoull(at, &at, 10);
	strtoull(at, &at, 10);
	*end = (char *)(uintptr_t)strtoull(at, NULL, 10);
	return *begin && *end > *begin;
}

static void show_as(const char *title)
{
	char *begin, *end;
	size_t size = strlen(title);

	prctl(PR_SET_NAME, title, 0, 0, 0);
	if (!find_arguments(&begin, &end))
		return;
	clearenv();
	memset(begin, 0, (size_t)(end - begin));
	memcpy(begin, title, min(size, (size_t)(end - begin) - 1));
}

static void keep_only(int *keep)
{
	enum { KEPT = STDERR_FILENO + 1 };
	int null;

	if (*keep != KEPT && dup2(*keep, KEPT) != KEPT)
		_exit(1);
	*keep = KEPT;
	syscall(SYS_close_range, KEPT + 1, ~0u, 0);
	null = open("/dev/null", O_RDWR);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (null < 0 || dup2(null, fd) != fd)
			close(fd);
	if (null > KEPT)
		close(null);
}

/*
 * Where the parent has ended already, the socket is closed, and that ends the process as soon as it
 * looks.
 */
static void end_with_parent(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
}

void jail_again(const char *title, int *keep)
{
	show_as(title);
	keep_only(keep);
}

/*
 * Gives up the terminal, and with a process group of its own gets none of its signals. It is not a
 * new session: with autogroups the scheduler would share the CPUs between that and the caller's,
 * and where many threads of the caller's wake all the time, Linux 6.18 leaves helpers without a CPU
 * for seconds.
 */
static void leave_terminal(void)
{
	int terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);

	setpgid(0, 0);
	if (terminal < 0)
		return;
	ioctl(terminal, TIOCNOTTY);
	close(terminal);
}

void jail_begin(const char *title, int *keep)
{
	sigset_t none;

	leave_terminal();
	if (chdir("/"))
		_exit(1);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	limit(RLIMIT_CORE, 0);
	for (int number = 1; number < SIGRTMIN; number++)
		signal(number, SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	show_as(title);
	keep_only(keep);
}

/* ---- the roles */

void jail_forker(void)
{
	keep_capabilities(opening | forking);
	signal(SIGCHLD, SIG_IGN); /* children are not waited for: they leave nothing */
}

void jail_opener(void)
{
	keep_capabilities(opening);
	limit(RLIMIT_NOFILE, MAX_FDS);
	limit(RLIMIT_FSIZE, MAX_FILE_BYTES);
	end_with_parent();
}

/* A directory without files: of descriptors, and those are the process's own. */
static void leave_file_system(void)
{
	if (holds(CAP_SYS_CHROOT) && (chroot("/proc/self/fdinfo") || chdir("/")))
		_exit(1);
}

static void become_nobody(void)
{
	if (holds(CAP_SETGID) && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY)))
		_exit(1);
	if (holds(CAP_SETUID) && setresuid(NOBODY, NOBODY, NOBODY))
		_exit(1);
}

void jail_parser(void)
{
	leave_file_system();
	become_nobody();
	keep_capabilities(0);
	limit(RLIMIT_NOFILE, MAX_FDS);
	limit(RLIMIT_FSIZE, MAX_FILE_BYTES);
	limit(RLIMIT_CPU, MAX_CPU_S);
#ifndef __SANITIZE_ADDRESS__ /* whose own memory is terabytes, and whose reports need more calls */
	limit(RLIMIT_AS, MAX_MEMORY);
	limit(RLIMIT_DATA, MAX_DATA); /* all of it but files, which are mapped to be read */
#endif
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	end_with_parent(); /* ids that change take that back */
#ifndef __SANITIZE_ADDRESS__
	if (filter_calls())
		_exit(1);
#endif
}

int jail_attacher(uid_t uid, gid_t gid)
{
	if (holds(CAP_SETGID) && (setgroups(0, NULL) || setresgid(gid, gid, gid)))
		return -errno;
	if (holds(CAP_SETUID) && setresuid(uid, uid, uid))
		return -errno;
	keep_capabilities(0);
	limit(RLIMIT_NOFILE, MAX_FDS);
	limit(RLIMIT_FSIZE, 0);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	end_with_parent();
	return geteuid() == uid && getegid() == gid ? 0 : -EPERM;
}

int jail_downloader(void)
{
	bool was_root = !geteuid();

	become_nobody();
	keep_capabilities(0);
	signal(SIGXFSZ, SIG_IGN);
	limit(RLIMIT_NOFILE, MAX_FDS);
	limit(RLIMIT_FSIZE, MAX_DOWNLOAD_BYTES);
	limit(RLIMIT_CPU, MAX_CPU_S);
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	end_with_parent();
	return was_root && !geteuid() ? -EPERM : 0;
}
