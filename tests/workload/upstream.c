/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * upstream.c: `upstream SOCKET`: a slow HTTP server on a Unix socket, for a proxy to wait for: eight
 * processes of that name, each of which sleeps 20 ms in each request, in upstream_naps().
 */
#include "waits.h"

#include <sys/socket.h>
#include <sys/un.h>

static const char answer[] = "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok";

FUNCTION static void upstream_naps(void)
{
	sleep_ns(20 * NSEC_PER_MSEC);
	__asm__ volatile("" ::: "memory");
}

/* A request of a proxy is in one packet. */
FUNCTION static void upstream_serves(int listener)
{
	char request[4096];
	int connection = accept(listener, NULL, NULL);

	if (connection < 0)
		return;
	if (read(connection, request, sizeof(request)) > 0) {
		upstream_naps();
		if (send(connection, answer, sizeof(answer) - 1, MSG_NOSIGNAL) < 0)
			perror("upstream: send");
	}
	close(connection);
}

int main(int argc, char **argv)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);

	if (argc < 2 || strlen(argv[1]) >= sizeof(address.sun_path))
		return 2;
	strcpy(address.sun_path, argv[1]);
	if (bind(listener, (struct sockaddr *)&address, sizeof(address)) || listen(listener, 64))
		return 1;
	for (int i = 1; i < 8 && fork(); i++)
		;
	for (;;)
		upstream_serves(listener);
}
