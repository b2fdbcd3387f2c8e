/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "waits.h"

/*
 * loopback.c: `loopback SECONDS`: a TCP client and its server, each a thread, on 127.0.0.1:
 *
 *	lo-client	client_thinks(), client_sends(), client_receives()
 *	lo-server	server_receives(), server_works(), server_sends()
 *
 * Prints what each waits for the other: NAME.wait.*, and its .tid, .queued, .life, .life-off.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

LEAF(server_works)

static double stop;

static struct end {
	const char *name;
	int fd;
	struct waited wait;
	struct life life;
} client = {"lo-client"}, server = {"lo-server"};

#define RECEIVES(name)                                                                             \
	FUNCTION static bool name(int fd)                                                          \
	{                                                                                          \
		char byte;                                                                         \
		bool more = recv(fd, &byte, 1, 0) == 1;                                            \
                                                                                                   \
		__asm__ volatile("" ::: "memory");                                                 \
		return more;                                                                       \
	}
#define SENDS(name)                                                                                \
	FUNCTION static bool name(int fd)                                                          \
	{                                                                                          \
		char byte = 0;                                                                     \
		bool more = send(fd, &byte, 1, MSG_NOSIGNAL) == 1;                                 \
                                                                                                   \
		__asm__ volatile("" ::: "memory");                                                 \
		return more;                                                                       \
	}
RECEIVES(client_receives)
RECEIVES(server_receives)
SENDS(client_sends)
SENDS(server_sends)

FUNCTION static void client_thinks(void)
{
	sleep_ns(4 * NSEC_PER_MSEC);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void *run_client(void *unused)
{
	bool more = true;

	life_begin(&client.life, client.name);
	while (more && now() < stop) {
		client_thinks();
		if (client_sends(client.fd))
			TIMED(&client.wait, more = client_receives(client.fd));
	}
	close(client.fd);
	life_end(&client.life);
	return unused;
}

FUNCTION static void *run_server(void *unused)
{
	bool more;

	life_begin(&server.life, server.name);
	do {
		TIMED(&server.wait, more = server_receives(server.fd));
		server_works(2 * ROUNDS);
	} while (more && server_sends(server.fd));
	life_end(&server.life);
	return unused;
}

static int connect_them(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int listens = socket(AF_INET, SOCK_STREAM, 0), on = 1;

	if (bind(listens, (struct sockaddr *)&address, size) || listen(listens, 1) ||
	    getsockname(listens, (struct sockaddr *)&address, &size))
		return -1;
	client.fd = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(client.fd, (struct sockaddr *)&address, size))
		return -1;
	server.fd = accept(listens, NULL, NULL);
	setsockopt(client.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(server.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	return server.fd < 0 ? -1 : 0;
}

int main(int argc, char **argv)
{
	pthread_t one, two;

	stop = now() + (argc > 1 ? atof(argv[1]) : 1);
	if (connect_them()) {
		perror("127.0.0.1");
		return 1;
	}
	pthread_create(&one, NULL, run_client, NULL);
	pthread_create(&two, NULL, run_server, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	waited_print("lo-client.wait", &client.wait);
	life_print("lo-client", &client.life);
	waited_print("lo-server.wait", &server.wait);
	life_print("lo-server", &server.life);
	return 0;
}
