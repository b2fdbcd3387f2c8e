/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* The user who called sudo; false without sudo. */
static bool sudo_user(uid_t *uid, gid_t *gid)
{
	const char *u = getenv("SUDO_UID"), *g = getenv("SUDO_GID");
	char *end_u, *end_g;
	unsigned long nr_u, nr_g;

	if (geteuid() != 0 || !u || !g || !*u || !*g)
		return false;
	nr_u = strtoul(u, &end_u, 10);
	nr_g = strtoul(g, &end_g, 10);
	if (*end_u || *end_g || nr_u > UINT32_MAX || nr_g > UINT32_MAX)
		return false;
	*uid = (uid_t)nr_u;
	*gid = (gid_t)nr_g;
	return true;
}

static int become_caller(void)
{
	struct passwd *user;
	uid_t uid;
	gid_t gid;

	if (!sudo_user(&uid, &gid))
		return 0;
	user = getpwuid(uid);
	if (user ? initgroups(user->pw_name, gid) : setgroups(1, &gid))
		return -errno;
	if (setgid(gid) || setuid(uid))
		return -errno;
	if (user) {
		setenv("HOME", user->pw_dir, 1);
		setenv("USER", user->pw_name, 1);
		setenv("LOGNAME", user->pw_name, 1);
	}
	return 0;
}

/*
 * The two signals that the C library keeps for its threads. It takes them for itself when the first
 * thread is made, and lets sigaction(2) touch neither; what starts a program by posix_spawn(3), as
 * make does, has both ignored. So the kernel is asked before main(), and told in the child.
 */
enum { FIRST_INTERNAL_SIGNAL = 32, NR_INTERNAL_SIGNALS = 2 };

struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	u64 mask;
};

static bool was_ignored[NR_INTERNAL_SIGNALS];

static long kernel_sigaction(int number, const struct kernel_action *new, struct kernel_action *old)
{
	return syscall(SYS_rt_sigaction, number, new, old, sizeof(old->mask));
}

__attribute__((constructor)) static void note_ignored_signals(void)
{
	for (int i = 0; i < NR_INTERNAL_SIGNALS; i++) {
		struct kernel_action action = {};

		was_ignored[i] = !kernel_sigaction(FIRST_INTERNAL_SIGNAL + i, NULL, &action) &&
				 action.handler == SIG_IGN;
	}
}

static void ignore_them_again(void)
{
	static const struct kernel_action ignore = {.handler = SIG_IGN};

	for (int i = 0; i < NR_INTERNAL_SIGNALS; i++)
		if (was_ignored[i])
			kernel_sigaction(FIRST_INTERNAL_SIGNAL + i, &ignore, NULL);
}

/*
 * What wick changed for itself is not for the program: signals, priority, the limit of open files.
 */
static void restore_defaults(u64 open_files)
{
	struct rlimit files;
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	ignore_them_again();
	setpriority(PRIO_PROCESS, 0, 0);
	if (open_files && !getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = min((rlim_t)open_files, files.rlim_max);
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

static _Noreturn void child(int go, int failed, char *const *argv, u64 open_files)
{
	char byte;
	int err;

	/* wick ended before the window opened: nothing is to be run. */
	if (read(go, &byte, 1) != 1)
		_exit(127);
	restore_defaults(open_files);
	err = -become_caller();
	if (!err) {
		execvp(argv[0], argv);
		err = errno;
	}
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

int program_fork(struct program *p, char *const *argv, u64 open_files, struct error *error)
{
	int go[2], failed[2];

	*p = (struct program){.pidfd = -1, .go = -1, .failed = -1};
	if (pipe2(go, O_CLOEXEC))
		return fail(error, -errno, "cannot run %s: %s", argv[0], strerror(errno));
	if (pipe2(failed, O_CLOEXEC)) {
		close(go[0]);
		close(go[1]);
		return fail(error, -errno, "cannot run %s: %s", argv[0], strerror(errno));
	}
	p->pid = fork();
	if (!p->pid) {
		close(go[1]);
		close(failed[0]);
		child(go[0], failed[1], argv, open_files);
	}
	close(go[0]);
	close(failed[1]);
	p->go = go[1];
	p->failed = failed[0];
	if (p->pid < 0) {
		int err = errno;

		program_release(p);
		return fail(error, -err, "cannot run %s: %s", argv[0], strerror(err));
	}
	p->pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0);
	return 0;
}

int program_go(struct program *p, char *const *argv, struct error *error)
{
	int err = 0;

	if (write(p->go, "g", 1) != 1)
		err = errno;
	close(p->go);
	p->go = -1;
	/* The pipe closes by itself when the exec succeeds. */
	if (!err && read(p->failed, &err, sizeof(err)) != sizeof(err))
		return 0;
	return fail(error, -err, "cannot run %s: %s", argv[0], strerror(err));
}

void program_reap(struct program *p)
{
	if (p->pid > 0 && !p->ended && waitpid(p->pid, &p->status, WNOHANG) == p->pid)
		p->ended = true;
}

void program_release(struct program *p)
{
	if (p->pidfd >= 0)
		close(p->pidfd);
	if (p->go >= 0)
		close(p->go);
	if (p->failed >= 0)
		close(p->failed);
	p->pidfd = p->go = p->failed = -1;
}
