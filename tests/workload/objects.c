/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * objects.c: `objects SECONDS DIRECTORY`: threads that wait for things of all kinds, each for one,
 * which o-drive brings every 5 ms.
 *
 *	o-pipe o-event o-timerfd o-inotify o-tty	read() of that
 *	o-poll		poll() for an eventfd
 *	o-epoll		epoll_wait() for a pipe and for what never comes
 *	o-unix o-tcp o-tcp6	recv() of a connection, and their servers o-unixd o-tcpd o-tcp6d
 *	o-accept	accept()
 *	o-file		flock() of DIRECTORY/locked
 *	o-private	a mutex
 *	o-shared	a mutex in DIRECTORY/memory
 *	o-robust	a robust mutex
 *	o-child		waitpid() for one child after the other
 *	o-sleep		nanosleep()
 *
 * Prints numbers that names have: NAME.port and the like; then "ready".
 */
#define _GNU_SOURCE
#include "waits.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>

static atomic_int is_over;
static const char *directory;

#define KEEP() __asm__ volatile("" ::: "memory")

static void need(bool is_well, const char *what)
{
	if (is_well)
		return;
	perror(what);
	exit(1);
}

static char *path_of(const char *name)
{
	char *path;

	need(asprintf(&path, "%s/%s", directory, name) > 0, name);
	return path;
}

/* ---- what is read */

static int wakes[16]; /* what o-drive writes 8 bytes to, 0: nothing */
static int nr_wakes;

static void *reads(void *fd)
{
	char bytes[64];

	while (!atomic_load(&is_over))
		need(read((int)(long)fd, bytes, sizeof(bytes)) >= 0, "read");
	return NULL;
}

static void *polls(void *fd)
{
	struct pollfd one = {.fd = (int)(long)fd, .events = POLLIN};
	char bytes[64];

	while (!atomic_load(&is_over)) {
		need(poll(&one, 1, -1) == 1, "poll");
		need(read(one.fd, bytes, sizeof(bytes)) > 0, "read");
	}
	return NULL;
}

static void *epolls(void *fd)
{
	int never[2], epoll = epoll_create1(0);
	struct epoll_event event = {.events = EPOLLIN, .data.fd = (int)(long)fd};
	char bytes[64];

	need(!pipe(never) && epoll >= 0, "epoll");
	need(!epoll_ctl(epoll, EPOLL_CTL_ADD, (int)(long)fd, &event), "epoll");
	need(!epoll_ctl(epoll, EPOLL_CTL_ADD, never[0], &event), "epoll");
	while (!atomic_load(&is_over)) {
		need(epoll_wait(epoll, &event, 1, -1) == 1, "epoll_wait");
		need(read((int)(long)fd, bytes, sizeof(bytes)) > 0, "read");
	}
	return NULL;
}

static int driven_pipe(void)
{
	int ends[2];

	need(!pipe(ends), "pipe");
	wakes[nr_wakes++] = ends[1];
	return ends[0];
}

static int driven_eventfd(void)
{
	int fd = eventfd(0, 0);

	need(fd >= 0, "eventfd");
	return wakes[nr_wakes++] = fd;
}

static int ticking_timerfd(void)
{
	struct itimerspec often = {{.tv_nsec = 5000000}, {.tv_nsec = 5000000}};
	int fd = timerfd_create(CLOCK_MONOTONIC, 0);

	need(fd >= 0 && !timerfd_settime(fd, 0, &often, NULL), "timerfd");
	return fd;
}

/* Whatever o-drive writes to the file. */
static int watched_file(void)
{
	char *path = path_of("watched");
	int fd = inotify_init(), file = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	need(fd >= 0 && file >= 0 && inotify_add_watch(fd, path, IN_MODIFY) >= 0, "inotify");
	wakes[nr_wakes++] = file;
	free(path);
	return fd;
}

static int driven_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave;

	need(master >= 0 && !grantpt(master) && !unlockpt(master), "posix_openpt");
	slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	need(slave >= 0, "a terminal");
	printf("terminal %s\n", ptsname(master) + strlen("/dev/pts/"));
	wakes[nr_wakes++] = master;
	return slave;
}

/* ---- sockets */

static void *answers(void *fd)
{
	char bytes[64];

	while (!atomic_load(&is_over)) {
		if (recv((int)(long)fd, bytes, 1, 0) != 1)
			break;
		sleep_ns(5000000);
		if (send((int)(long)fd, bytes, 1, MSG_NOSIGNAL) != 1)
			break;
	}
	return NULL;
}

static void *asks(void *fd)
{
	char c = 'a';

	while (!atomic_load(&is_over))
		need(send((int)(long)fd, &c, 1, 0) == 1 && recv((int)(long)fd, &c, 1, 0) == 1,
		     "an answer");
	return NULL;
}

static void start(const char *name, void *(*runs)(void *), int fd)
{
	pthread_t thread;

	need(!pthread_create(&thread, NULL, runs, (void *)(long)fd), name);
	need(!pthread_setname_np(thread, name), name);
}

static u_int16_t port_of(int fd)
{
	struct sockaddr_storage at;
	socklen_t size = sizeof(at);

	need(!getsockname(fd, (struct sockaddr *)&at, &size), "getsockname");
	return ntohs(((struct sockaddr_in *)&at)->sin_port); /* at the same place in IPv6's */
}

/* A connection to itself: a client and a server thread. */
static void connect_threads(const char *name, struct sockaddr *at, socklen_t size)
{
	int listener = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int client = socket(at->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), server;
	char of_server[16];

	need(!bind(listener, at, size) && !listen(listener, 5), "listen");
	need(!getsockname(listener, at, &size) && !connect(client, at, size), "connect");
	server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	need(server >= 0, "accept");
	if (at->sa_family != AF_UNIX)
		printf("%s.port %u\n%sd.port %u\n", name, port_of(client), name, port_of(server));
	snprintf(of_server, sizeof(of_server), "%sd", name);
	start(of_server, answers, server);
	start(name, asks, client);
}

static void connect_all(void)
{
	struct sockaddr_un local = {.sun_family = AF_UNIX};
	struct sockaddr_in tcp = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_in6 tcp6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
	char *path = path_of("socket");

	strncpy(local.sun_path, path, sizeof(local.sun_path) - 1);
	connect_threads("o-unix", (struct sockaddr *)&local, sizeof(local));
	connect_threads("o-tcp", (struct sockaddr *)&tcp, sizeof(tcp));
	if (!access("/proc/net/if_inet6", R_OK))
		connect_threads("o-tcp6", (struct sockaddr *)&tcp6, sizeof(tcp6));
	free(path);
}

/* ---- locks */

static int locked = -1;

static void *wants_file(void *unused)
{
	char *path = path_of("locked");
	int fd = open(path, O_RDWR | O_CLOEXEC);

	(void)unused;
	while (!atomic_load(&is_over)) {
		need(!flock(fd, LOCK_EX) && !flock(fd, LOCK_UN), "flock");
		sleep_ns(1000000);
	}
	free(path);
	return NULL;
}

static pthread_mutex_t *mutexes[3];

static void *wants_mutex(void *which)
{
	pthread_mutex_t *mutex = mutexes[(long)which];

	while (!atomic_load(&is_over)) {
		need(!pthread_mutex_lock(mutex), "lock");
		pthread_mutex_unlock(mutex);
		sleep_ns(1000000);
	}
	return NULL;
}

static void make_mutexes(void)
{
	char *path = path_of("memory");
	int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	char *memory;

	need(file >= 0 && !ftruncate(file, 8192), path);
	memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	need(memory != MAP_FAILED, path);
	mutexes[0] = calloc(1, sizeof(*mutexes[0]));
	mutexes[1] = (void *)(memory + 4096 + 0x40);
	mutexes[2] = calloc(1, sizeof(*mutexes[2]));
	for (int i = 0; i < 3; i++) {
		pthread_mutexattr_t how;

		pthread_mutexattr_init(&how);
		if (i == 1)
			pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
		if (i == 2)
			pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
		need(!pthread_mutex_init(mutexes[i], &how), "a mutex");
	}
	printf("private.address %lu\n", (unsigned long)mutexes[0]);
	free(path);
}

/* ---- locks that are never let go */

static pthread_mutex_t kept[3];

static void *wants_kept(void *which)
{
	pthread_mutex_lock(&kept[(long)which]);
	return NULL;
}

static void start_stuck(void)
{
	static const char *const names[] = {"o-stuck", "o-stuckpi", "o-stuckrob"};

	for (long i = 0; i < 3; i++) {
		pthread_mutexattr_t how;

		pthread_mutexattr_init(&how);
		if (i == 1)
			pthread_mutexattr_setprotocol(&how, PTHREAD_PRIO_INHERIT);
		if (i == 2)
			pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
		need(!pthread_mutex_init(&kept[i], &how), "a mutex");
		need(!pthread_mutex_lock(&kept[i]), "lock");
		start(names[i], wants_kept, (int)i);
	}
}

/* ---- locks that are */

/* Has all locks for 5 ms, and lets them go for some time. */
static void *holds(void *unused)
{
	(void)unused;
	while (!atomic_load(&is_over)) {
		for (int i = 0; i < 3; i++)
			need(!pthread_mutex_lock(mutexes[i]), "lock");
		need(!flock(locked, LOCK_EX), "flock");
		sleep_ns(5000000);
		for (int i = 0; i < 3; i++)
			pthread_mutex_unlock(mutexes[i]);
		flock(locked, LOCK_UN);
		sleep_ns(2000000);
	}
	return NULL;
}

static void start_locks(void)
{
	char *path = path_of("locked");

	locked = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	need(locked >= 0, path);
	make_mutexes();
	start("o-hold", holds, 0);
	start("o-file", wants_file, 0);
	start("o-private", wants_mutex, 0);
	start("o-shared", wants_mutex, 1);
	start("o-robust", wants_mutex, 2);
	free(path);
}

/* ---- the rest */

static void *accepts(void *fd)
{
	accept((int)(long)fd, NULL, NULL);
	return NULL;
}

static void *has_children(void *unused)
{
	(void)unused;
	while (!atomic_load(&is_over)) {
		pid_t child = fork();

		need(child >= 0, "fork");
		if (!child) {
			sleep_ns(5000000);
			_exit(0);
		}
		need(waitpid(child, NULL, 0) == child, "waitpid");
	}
	return NULL;
}

static void *sleeps(void *unused)
{
	(void)unused;
	while (!atomic_load(&is_over))
		sleep_ns(5000000);
	return NULL;
}

static void drive(long long seconds)
{
	long long end = now_ns() + seconds * NSEC_PER_SEC;
	const long long one = 0x0a0a0a0a0a0a0a0a; /* also lines of a terminal */

	while (now_ns() < end) {
		for (int i = 0; i < nr_wakes; i++)
			need(write(wakes[i], &one, sizeof(one)) > 0, "write");
		sleep_ns(5000000);
	}
}

int main(int argc, char **argv)
{
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (argc != 3)
		return 2;
	setvbuf(stdout, NULL, _IOLBF, 0);
	directory = argv[2];
	pthread_setname_np(pthread_self(), "o-drive");
	need(!listen(listener, 1), "listen");
	printf("accept.port %u\n", port_of(listener));
	start_locks();
	start_stuck();
	start("o-pipe", reads, driven_pipe());
	start("o-event", reads, driven_eventfd());
	start("o-timerfd", reads, ticking_timerfd());
	start("o-inotify", reads, watched_file());
	start("o-tty", reads, driven_terminal());
	start("o-poll", polls, driven_eventfd());
	start("o-epoll", epolls, driven_pipe());
	start("o-accept", accepts, listener);
	start("o-child", has_children, 0);
	start("o-sleep", sleeps, 0);
	connect_all();
	puts("ready");
	drive(atoi(argv[1]));
	fflush(stdout);
	_exit(0);
}
