/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "program.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/capability.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/caller.h"

/* The user who called sudo; false without sudo. */
static bool sudo_user(uid_t *uid, gid_t *gid)
{
	const char *u = getenv("SUDO_UID"), *g = getenv("SUDO_GID");
	char *end_u, *end_g;
	unsigned long nr_u, nr_g;

	if (getuid() != 0 || !u || !g || !*u || !*g)
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
 * Capabilities of wick's file are not for the program: it is looked up and run with the caller's
 * rights. What is inheritable stays, and so do all sets of a process that was given none.
 */
static int drop_file_capabilities(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	if (!caller_is_less())
		return 0;
	if (capget(&header, sets))
		return -errno;
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		sets[i].effective = sets[i].permitted = 0;
	return capset(&header, sets) ? -errno : 0;
}

static _Noreturn void child(int go, int failed, char *const *argv)
{
	char byte;
	int err;

	/* wick ended before the window opened: nothing is to be run. */
	if (read(go, &byte, 1) != 1)
		_exit(127);
	caller_restore();
	err = -become_caller();
	if (!err)
		err = -drop_file_capabilities();
	if (!err) {
		execvp(argv[0], argv);
		err = errno;
	}
	if (write(failed, &err, sizeof(err)) != sizeof(err))
		_exit(126);
	_exit(127);
}

int program_fork(struct program *p, char *const *argv, struct error *error)
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
		child(go[0], failed[1], argv);
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
