/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "forker.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "downloader.h"
#include "jail.h"
#include "java_attach.h"
#include "opener.h"
#include "parser.h"

enum { MAKE_MS = 5000, END_S = 1, STOP_MS = 100, MAX_CHILDREN = 64 };

static const struct {
	const char *title;
	void (*run)(int socket);
} roles[NR_HELPER_ROLES] = {
	[OPENER] = {"wick: opener", opener_run},
	[PARSER] = {"wick: parser", parser_run},
	[ATTACHER] = {"wick: attacher", java_attacher_run},
	[DOWNLOADER] = {"wick: downloader", downloader_run},
};

/* ---- the process */

struct own_child {
	u32 pid;
	int pidfd;
};

struct children {
	struct own_child at[MAX_CHILDREN];
	size_t next;
};

static _Noreturn void become(enum helper_role role, int socket)
{
	signal(SIGCHLD, SIG_DFL);
	jail_again(roles[role].title, &socket);
	roles[role].run(socket);
	_exit(0);
}

/* In place of the oldest, which has ended, or cannot be. */
static void remember(struct children *children, u32 pid, int pidfd)
{
	struct own_child *child = &children->at[children->next++ % MAX_CHILDREN];

	if (child->pid)
		close(child->pidfd);
	*child = (struct own_child){.pid = pid, .pidfd = pidfd};
}

static int make(struct children *children, u32 role, int socket, u32 *made)
{
	pid_t pid = role < NR_HELPER_ROLES ? fork() : -1;
	int pidfd;

	*made = 0;
	if (!pid)
		become((enum helper_role)role, socket);
	pidfd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
	if (pidfd < 0)
		return -1;
	remember(children, (u32)pid, pidfd);
	*made = (u32)pid;
	return pidfd;
}

static void end(const struct children *children, u32 pid)
{
	for (size_t i = 0; i < MAX_CHILDREN; i++)
		if (children->at[i].pid == pid)
			syscall(SYS_pidfd_send_signal, children->at[i].pidfd, SIGKILL, NULL, 0);
}

/* Those that end at once leave nothing to whoever reaps orphans. */
static void end_all(const struct children *children)
{
	for (size_t i = 0; i < MAX_CHILDREN; i++)
		if (children->at[i].pid)
			end(children, children->at[i].pid);
	alarm(END_S);
	while (wait(NULL) >= 0 || errno == EINTR)
		;
}

static int serve(int socket, struct children *children)
{
	struct fork_request request;
	struct received with = {};
	struct fork_reply reply;
	int pidfd, err;

	err = message_receive(socket, &request, sizeof(request), 1, &with, UINT64_MAX);
	if (err || request.end) {
		received_close(&with);
		if (!err)
			end(children, request.end);
		return err;
	}
	pidfd = make(children, request.role, with.nr_fds ? with.fds[0] : -1, &reply.pid);
	received_close(&with);
	return message_send(socket,
			    &(struct message){
				    .head = &reply,
				    .size = sizeof(reply),
				    .fds = &pidfd,
				    .nr_fds = reply.pid != 0,
			    },
			    UINT64_MAX);
}

static _Noreturn void forker(int socket)
{
	struct children children = {};

	jail_begin("wick: forker", &socket);
	jail_forker();
	while (!serve(socket, &children))
		;
	end_all(&children);
	_exit(0);
}

/* ---- in wick */

int forker_start(pid_t *made)
{
	int pair[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	fflush(NULL); /* what is buffered is not to be written twice */
	pid = fork();
	if (!pid)
		forker(pair[1]);
	close(pair[1]);
	*made = pid;
	if (pid > 0)
		return pair[0];
	close(pair[0]);
	return -EAGAIN;
}

void forker_stop(int forker, pid_t pid)
{
	int pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};

	close(forker);
	if (pidfd < 0)
		return;
	poll(&ended, 1, STOP_MS);
	waitpid(pid, NULL, WNOHANG);
	close(pidfd);
}

static int ask(int forker, enum helper_role role, int socket, struct child *child)
{
	u64 deadline = monotonic_ns() + MAKE_MS * NSEC_PER_MSEC;
	const struct fork_request request = {.role = role};
	const struct message message = {
		.head = &request, .size = sizeof(request), .fds = &socket, .nr_fds = 1};
	struct received with = {};
	struct fork_reply reply;
	int err = message_send(forker, &message, deadline);

	if (!err)
		err = message_receive(forker, &reply, sizeof(reply), 1, &with, deadline);
	if (err)
		return err;
	if (!reply.pid || with.nr_fds != 1) {
		received_close(&with);
		return -EAGAIN;
	}
	child->pid = reply.pid;
	child->pidfd = with.fds[0];
	return 0;
}

int forker_make(int forker, enum helper_role role, struct child *child)
{
	int pair[2], err;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	err = ask(forker, role, pair[1], child);
	close(pair[1]);
	child->socket = pair[0];
	if (err)
		close(pair[0]);
	return err;
}

void forker_end(int forker, u32 pid)
{
	const struct fork_request request = {.end = pid};

	message_send(forker, &(struct message){.head = &request, .size = sizeof(request)},
		     monotonic_ns() + NSEC_PER_SEC);
}
