/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reasons.c: `reasons SECONDS`: waits whose reasons are known, all at once, each pair of threads by
 * itself.
 *
 *	r-hold	holds a lock, until it is wanted; then waits for r-pen's byte, in hold_reads(), and
 *		sleeps, in hold_naps()
 *	r-want	wants the lock: wants_lock()
 *	r-deep	wants another lock, which r-want holds while it wants the first: deep_wants()
 *	r-feed	has work for r-pool every 10 ms
 *	r-pool	waits for it on a condition: pool_waits()
 *	r-ask	asks r-serve over a Unix socket, and waits for the answer: ask_waits()
 *	r-serve	waits for that in serve_waits(), and sleeps in each: serve_naps()
 *	r-tick	polls by a timer: tick_naps()
 *	r-par	waits for a child, which sleeps: par_waits()
 *	r-burn	spins on CPU 0, against r-late, which does as well
 *
 * Prints what the parts took: NAME.wall and so on.
 */
#define _GNU_SOURCE
#include "waits.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/un.h>

static atomic_int is_over, is_wanted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, deep_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t queue_has = PTHREAD_COND_INITIALIZER;
static int queued, pen[2], pen_wanted[2];
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static struct waited reads, naps, wants, deep, asks;

#define KEEP() __asm__ volatile("" ::: "memory")

static inline __attribute__((always_inline)) void nap(long long ms)
{
	sleep_ns(ms * NSEC_PER_MSEC);
}

FUNCTION static void hold_reads(void)
{
	char c = 'h';

	if (write(pen_wanted[1], &c, 1) != 1 || read(pen[0], &c, 1) != 1)
		exit(1);
	KEEP();
}

FUNCTION static void pen_waits(void)
{
	char c;

	if (read(pen_wanted[0], &c, 1) != 1)
		exit(1);
	KEEP();
}

FUNCTION static void pen_naps(void)
{
	nap(9);
	KEEP();
}

FUNCTION static void hold_naps(void)
{
	nap(3);
	KEEP();
}

FUNCTION static void hold_polls(void)
{
	nap(1);
	KEEP();
}

FUNCTION static void wants_lock(void)
{
	pthread_mutex_lock(&lock);
	KEEP();
}

FUNCTION static void deep_wants(void)
{
	pthread_mutex_lock(&deep_lock);
	KEEP();
}

FUNCTION static void pool_waits(void)
{
	pthread_mutex_lock(&queue_lock);
	while (!queued && !is_over)
		pthread_cond_wait(&queue_has, &queue_lock);
	queued = 0;
	pthread_mutex_unlock(&queue_lock);
	KEEP();
}

FUNCTION static void pool_works(void)
{
	nap(2);
	KEEP();
}

FUNCTION static int ask_waits(int fd)
{
	char c = 'a';
	int ok = write(fd, &c, 1) == 1 && read(fd, &c, 1) == 1;

	KEEP();
	return ok;
}

FUNCTION static int serve_waits(int fd)
{
	char c;
	int ok = read(fd, &c, 1) == 1;

	KEEP();
	return ok;
}

FUNCTION static void serve_naps(void)
{
	nap(20);
	KEEP();
}

FUNCTION static void tick_naps(void)
{
	nap(30);
	KEEP();
}

FUNCTION static void par_waits(void)
{
	pid_t child = fork();

	if (!child) {
		prctl(PR_SET_NAME, "r-child");
		nap(150);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	KEEP();
}

FUNCTION static void burn(void)
{
	for (long i = 0; i < 1000; i++)
		KEEP();
}

/* ---- threads */

static void *hold(void *arg)
{
	(void)arg;
	while (!is_over) {
		pthread_mutex_lock(&lock);
		while (!is_wanted && !is_over)
			hold_polls();
		TIMED(&reads, hold_reads());
		TIMED(&naps, hold_naps());
		pthread_mutex_unlock(&lock);
		nap(4);
	}
	return NULL;
}

static void *write_pen(void *arg)
{
	(void)arg;
	while (!is_over) {
		pen_waits();
		pen_naps();
		if (write(pen[1], "p", 1) != 1)
			exit(1);
	}
	return NULL;
}

static void *want(void *arg)
{
	(void)arg;
	while (!is_over) {
		pthread_mutex_lock(&deep_lock);
		is_wanted = 1;
		TIMED(&wants, wants_lock());
		is_wanted = 0;
		pthread_mutex_unlock(&lock);
		pthread_mutex_unlock(&deep_lock);
		nap(2);
	}
	return NULL;
}

static void *want_deep(void *arg)
{
	(void)arg;
	while (!is_over) {
		TIMED(&deep, deep_wants());
		pthread_mutex_unlock(&deep_lock);
		nap(2);
	}
	return NULL;
}

static void *feed(void *arg)
{
	(void)arg;
	while (!is_over) {
		nap(10);
		pthread_mutex_lock(&queue_lock);
		queued = 1;
		pthread_cond_signal(&queue_has);
		pthread_mutex_unlock(&queue_lock);
	}
	return NULL;
}

static void *pool(void *arg)
{
	(void)arg;
	while (!is_over) {
		pool_waits();
		pool_works();
	}
	return NULL;
}

static socklen_t address_size(void)
{
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			   strlen(address.sun_path + 1));
}

static void *serve(void *arg)
{
	int fd = accept((int)(intptr_t)arg, NULL, NULL);

	while (serve_waits(fd)) {
		serve_naps();
		if (write(fd, "a", 1) != 1)
			break;
	}
	return NULL;
}

static void *ask(void *arg)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), ok;

	(void)arg;
	if (connect(fd, (struct sockaddr *)&address, address_size()))
		exit(1);
	do
		TIMED(&asks, ok = ask_waits(fd));
	while (ok && !is_over);
	shutdown(fd, SHUT_RDWR);
	return NULL;
}

static void *tick(void *arg)
{
	(void)arg;
	while (!is_over)
		tick_naps();
	return NULL;
}

static void *parent(void *arg)
{
	(void)arg;
	while (!is_over)
		par_waits();
	return NULL;
}

static void *burns(void *arg)
{
	cpu_set_t set;

	(void)arg;
	CPU_ZERO(&set);
	CPU_SET(0, &set);
	sched_setaffinity(0, sizeof(set), &set);
	while (!is_over)
		burn();
	return NULL;
}

static pthread_t start(const char *name, void *(*run)(void *), void *arg)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, arg);
	pthread_setname_np(thread, name);
	return thread;
}

static int listen_here(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "reasons-%d", getpid());
	if (bind(fd, (struct sockaddr *)&address, address_size()) || listen(fd, 1))
		exit(1);
	return fd;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void *(*run)(void *);
	} others[] = {{"r-hold", hold},	     {"r-pen", write_pen}, {"r-want", want},
		      {"r-deep", want_deep}, {"r-feed", feed},	   {"r-pool", pool},
		      {"r-ask", ask},	     {"r-tick", tick},	   {"r-par", parent},
		      {"r-burn", burns},     {"r-late", burns}};

	if (pipe(pen) || pipe(pen_wanted))
		return 1;
	start("r-serve", serve, (void *)(intptr_t)listen_here());
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		start(others[i].name, others[i].run, NULL);
	ready();
	sleep_ns((argc > 1 ? atoll(argv[1]) : 3) * NSEC_PER_SEC);
	is_over = 1;
	waited_print("reads", &reads);
	waited_print("naps", &naps);
	waited_print("wants", &wants);
	waited_print("deep", &deep);
	waited_print("asks", &asks);
	return 0;
}
