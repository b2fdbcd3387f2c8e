/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "message.h"

#include <poll.h>
#include <sys/socket.h>

static int wait_for(int fd, short events, u64 deadline_ns)
{
	struct pollfd poll_fd = {.fd = fd, .events = events};

	while (deadline_ns != UINT64_MAX) {
		u64 now = monotonic_ns();
		u64 left = deadline_ns > now ? deadline_ns - now : 0;
		int nr = poll(&poll_fd, 1, (int)((left + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC));

		if (nr > 0)
			break;
		if (!nr)
			return -ETIMEDOUT;
		if (errno != EINTR)
			return -errno;
	}
	return 0;
}

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(MESSAGE_MAX_FDS * sizeof(int))];
};

static void add_fds(struct msghdr *header, union control *control, const struct message *message)
{
	struct cmsghdr *cmsg;

	if (!message->nr_fds)
		return;
	assert(message->nr_fds <= MESSAGE_MAX_FDS);
	header->msg_control = control;
	header->msg_controllen = CMSG_SPACE(message->nr_fds * sizeof(int));
	cmsg = CMSG_FIRSTHDR(header);
	*cmsg = (struct cmsghdr){
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
		.cmsg_len = CMSG_LEN(message->nr_fds * sizeof(int)),
	};
	memcpy(CMSG_DATA(cmsg), message->fds, message->nr_fds * sizeof(int));
}

int message_send(int to, const struct message *message, u64 deadline_ns)
{
	struct iovec parts[] = {
		{(void *)message->head, message->size},
		{(void *)message->path, message->path ? strlen(message->path) + 1 : 0},
	};
	struct msghdr header = {.msg_iov = parts, .msg_iovlen = message->path ? 2 : 1};
	union control control = {};
	int err;

	add_fds(&header, &control, message);
	do {
		err = wait_for(to, POLLOUT, deadline_ns);
		if (err)
			return err;
		err = sendmsg(to, &header, MSG_NOSIGNAL) < 0 ? -errno : 0;
	} while (err == -EINTR || err == -EAGAIN);
	return err;
}

void received_close(struct received *received)
{
	for (size_t i = 0; i < received->nr_fds; i++)
		cleanup_close(&received->fds[i]);
	received->nr_fds = 0;
}

static void take_fds(struct msghdr *header, struct received *received)
{
	struct cmsghdr *cmsg = header->msg_controllen ? CMSG_FIRSTHDR(header) : NULL;

	received->nr_fds = 0;
	if (!cmsg || cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS)
		return;
	received->nr_fds = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
	memcpy(received->fds, CMSG_DATA(cmsg), received->nr_fds * sizeof(int));
}

static bool is_whole(const struct msghdr *header, ssize_t got, size_t size,
		     const struct received *received)
{
	if (header->msg_flags & (MSG_TRUNC | MSG_CTRUNC))
		return false;
	if (!received->path)
		return (size_t)got == size;
	return (size_t)got > size && !received->path[(size_t)got - size - 1];
}

int message_receive(int from, void *head, size_t size, size_t max_fds, struct received *received,
		    u64 deadline_ns)
{
	struct iovec parts[] = {{head, size}, {received->path, MESSAGE_MAX_PATH}};
	union control control = {};
	struct msghdr header = {
		.msg_iov = parts,
		.msg_iovlen = received->path ? 2 : 1,
		.msg_control = max_fds ? &control : NULL,
		.msg_controllen = max_fds ? CMSG_SPACE(max_fds * sizeof(int)) : 0,
	};
	ssize_t got;
	int err;

	received->nr_fds = 0;
	do {
		err = wait_for(from, POLLIN, deadline_ns);
		if (err)
			return err;
		got = recvmsg(from, &header, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (got <= 0)
		return got < 0 ? -errno : -EPIPE;
	if (max_fds)
		take_fds(&header, received);
	if (is_whole(&header, got, size, received))
		return 0;
	received_close(received);
	return -EPROTO;
}
