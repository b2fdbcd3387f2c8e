/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java_attach.c. The protocol is HotSpot's (src/hotspot/os/posix/attachListener_posix.cpp): a
 * version, a command and three arguments, each ended by a 0; the VM answers with the command's
 * result as a number on a line of its own, then with text, and closes.
 */
#include "java_attach.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "jail.h"

enum { MAX_ANSWER = 64 << 10 };

enum files_state java_find_socket(const struct jit_process *p, int root, int *found)
{
	_cleanup_close_ int look = -1;
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "/tmp/.java_pid%u", p->inner_pid);
	look = look_in_root(root, path);
	if (look == -ENOENT || look == -ENOTDIR)
		return FILES_NO_MAP;
	if (look < 0)
		return state_of_errno(look);
	if (fstat(look, &st) || !S_ISSOCK(st.st_mode) || st.st_uid != p->uid)
		return FILES_REFUSED;
	*found = steal_fd(&look);
	return FILES_OK;
}

static int connect_to(int looked)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d", looked);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&address, sizeof(address)))
		return -errno;
	return steal_fd(&fd);
}

/* Another process of that user may listen there, which would write no map, or another one's. */
static bool is_listener(int vm, const struct attach_request *request)
{
	struct ucred peer;
	socklen_t size = sizeof(peer);

	return !getsockopt(vm, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
	       peer.pid == (pid_t)request->pid && peer.uid == request->uid;
}

/* Reads to the end: the VM closes when it has written the map. */
static bool read_result(int vm)
{
	char text[1024], first[2] = {};
	size_t all = 0;
	ssize_t size;

	while (all < MAX_ANSWER && (size = read(vm, text, sizeof(text))) > 0) {
		for (size_t i = all; i < sizeof(first) && i - all < (size_t)size; i++)
			first[i] = text[i - all];
		all += (size_t)size;
	}
	return first[0] == '0' && first[1] == '\n';
}

static enum files_state ask_for_map(int looked, const struct attach_request *request)
{
	static const char command[] = "1\0jcmd\0Compiler.perfmap\0\0";
	_cleanup_close_ int vm = connect_to(looked);

	if (vm < 0)
		return vm == -ECONNREFUSED ? FILES_NO_MAP : FILES_REFUSED;
	if (!is_listener(vm, request))
		return FILES_REFUSED;
	/* With the 0 that ends the constant, which ends the last argument. */
	if (write(vm, command, sizeof(command)) != (ssize_t)sizeof(command))
		return FILES_NO_MAP;
	return read_result(vm) ? FILES_OK : FILES_NO_MAP;
}

void java_attacher_run(int socket)
{
	struct attach_request request;
	struct attach_reply reply = {.state = FILES_REFUSED};
	struct received with = {};

	if (message_receive(socket, &request, sizeof(request), 1, &with, UINT64_MAX))
		return;
	if (with.nr_fds && !jail_attacher(request.uid, request.gid))
		reply.state = ask_for_map(with.fds[0], &request);
	received_close(&with);
	message_send(socket, &(struct message){.head = &reply, .size = sizeof(reply)}, UINT64_MAX);
}
