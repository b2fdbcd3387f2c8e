/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * network.c: the ends of connections that go over a network, whose delay is the test's matter.
 *
 *	network serve ADDRESS		n-serve answers each byte of its client with one, after a
 *					nap in serve_naps()
 *	network ask ADDRESS SILENT	n-ask asks that server for bytes, in asks()
 *					n-far connects to another port, in far_connects(): the
 *					kernel at the other end refuses that, and no thread
 *					n-lost asks SILENT, by UDP, which never answers, and gives
 *					up after a while, in lost_waits(); n-far has it ask, now and
 *					then
 *
 * To be ended by a signal.
 */
#include "waits.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

enum { PORT = 7077, NAP_MS = 5, GIVES_UP_MS = 20, ASKS_EVERY = 8 };

static const char *server, *silent;
static int work;

static int socket_to(int type, const char *name, int port, struct sockaddr_in *a)
{
	*a = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	if (inet_pton(AF_INET, name, &a->sin_addr) != 1) {
		fprintf(stderr, "network: no address: %s\n", name);
		exit(2);
	}
	return socket(AF_INET, type, 0);
}

FUNCTION static void serve_naps(void)
{
	sleep_ns(NAP_MS * NSEC_PER_MSEC);
	__asm__ volatile("" ::: "memory");
}

static int serve(void)
{
	struct sockaddr_in a;
	int listener = socket_to(SOCK_STREAM, server, PORT, &a), client;

	if (bind(listener, (struct sockaddr *)&a, sizeof(a)) || listen(listener, 1)) {
		perror("network: listen");
		return 1;
	}
	prctl(PR_SET_NAME, "n-serve");
	ready();
	client = accept(listener, NULL, NULL);
	while (read_byte(client)) {
		serve_naps();
		write_byte(client);
	}
	return 0;
}

FUNCTION static bool asks(int fd)
{
	bool has = read_byte(fd);

	__asm__ volatile("" ::: "memory");
	return has;
}

FUNCTION static void far_connects(int fd, const struct sockaddr_in *a)
{
	connect(fd, (const struct sockaddr *)a, sizeof(*a));
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void lost_waits(int fd)
{
	struct pollfd answer = {.fd = fd, .events = POLLIN};

	poll(&answer, 1, GIVES_UP_MS);
	__asm__ volatile("" ::: "memory");
}

static void *ask(void *unused)
{
	struct sockaddr_in a;
	int fd = socket_to(SOCK_STREAM, server, PORT, &a);

	(void)unused;
	prctl(PR_SET_NAME, "n-ask");
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)))
		return NULL;
	while (write_byte(fd) && asks(fd))
		;
	return NULL;
}

static void *far(void *unused)
{
	struct sockaddr_in a;

	(void)unused;
	prctl(PR_SET_NAME, "n-far");
	for (int nr = 0;; nr++) {
		int fd = socket_to(SOCK_STREAM, server, PORT + 1, &a);

		far_connects(fd, &a);
		close(fd);
		if (nr % ASKS_EVERY == 0)
			eventfd_write(work, 1);
	}
	return NULL;
}

static void *lost(void *unused)
{
	struct sockaddr_in a;
	int fd = socket_to(SOCK_DGRAM, silent, PORT, &a);
	eventfd_t count;

	(void)unused;
	prctl(PR_SET_NAME, "n-lost");
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)))
		return NULL;
	while (!eventfd_read(work, &count)) {
		write_byte(fd);
		lost_waits(fd);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static void *(*const all[])(void *) = {ask, far, lost};
	pthread_t threads[3];

	if (argc < 3)
		return 2;
	server = argv[2];
	if (!strcmp(argv[1], "serve"))
		return serve();
	if (argc < 4)
		return 2;
	silent = argv[3];
	work = eventfd(0, 0);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, all[i], NULL);
	ready();
	pthread_join(threads[0], NULL);
	return 0;
}
