/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "waits.h"

/*
 * turnover.c: `turnover SECONDS`: threads and processes that are born, become another program and
 * die within milliseconds, two at a time of each kind. What all of them slept, in a function of its
 * kind:
 *
 *	turn-thread	thread_naps()
 *	turn-child	child_naps(), then exec
 *	turn-again	again_naps(), the program that it became
 *
 * Prints KIND_naps.* of each.
 */
#include <fcntl.h>

enum { THREAD, CHILD, AGAIN, NR, AT_ONCE = 2 };

static struct waited *naps; /* shared by all processes */

#define NAPS(name, ms)                                                                             \
	FUNCTION static void name(void)                                                            \
	{                                                                                          \
		sleep_ns(ms *NSEC_PER_MSEC);                                                       \
		__asm__ volatile("" ::: "memory");                                                 \
	}
NAPS(thread_naps, 5)
NAPS(child_naps, 4)
NAPS(again_naps, 6)

static void add(int kind, void (*nap)(void))
{
	struct waited one = {};

	TIMED(&one, nap());
	__atomic_fetch_add(&naps[kind].calls, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&naps[kind].wall, one.wall, __ATOMIC_RELAXED);
	__atomic_fetch_add(&naps[kind].off, one.off, __ATOMIC_RELAXED);
}

FUNCTION static void *thread(void *unused)
{
	prctl(PR_SET_NAME, "turn-thread");
	add(THREAD, thread_naps);
	return unused;
}

FUNCTION static void child(const char *fd)
{
	prctl(PR_SET_NAME, "turn-child");
	add(CHILD, child_naps);
	execl("/proc/self/exe", "turn-again", "again", fd, NULL);
	_exit(1);
}

static struct waited *map(int fd)
{
	void *at = mmap(NULL, NR * sizeof(*naps), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at == MAP_FAILED)
		exit(1);
	return at;
}

static void turn(const char *fd)
{
	pthread_t threads[AT_ONCE];
	pid_t children[AT_ONCE];

	for (int i = 0; i < AT_ONCE; i++) {
		pthread_create(&threads[i], NULL, thread, NULL);
		children[i] = fork();
		if (!children[i])
			child(fd);
	}
	for (int i = 0; i < AT_ONCE; i++) {
		pthread_join(threads[i], NULL);
		waitpid(children[i], NULL, 0);
	}
}

int main(int argc, char **argv)
{
	static const char *const names[NR] = {"thread_naps", "child_naps", "again_naps"};
	double stop = now() + (argc > 1 ? atof(argv[1]) : 1);
	char text[16];
	int fd;

	if (argc > 2 && !strcmp(argv[1], "again")) {
		prctl(PR_SET_NAME, "turn-again");
		naps = map(atoi(argv[2]));
		add(AGAIN, again_naps);
		return 0;
	}
	fd = memfd_create("naps", 0);
	if (fd < 0 || ftruncate(fd, NR * sizeof(*naps)))
		return 1;
	naps = map(fd);
	snprintf(text, sizeof(text), "%d", fd);
	while (now() < stop)
		turn(text);
	for (int i = 0; i < NR; i++)
		waited_print(names[i], &naps[i]);
	return 0;
}
