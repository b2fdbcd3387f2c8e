/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * storm.c: `storm SECONDS WAKERS SLEEPERS SPINNERS FORKERS`: what makes many events:
 *
 *	storm-waker	a thread that sleeps 5 to 50 ms at a time in waker_naps()
 *	storm-sleeper	a thread that sleeps to the end in sleeper_rests(), with 40 KB of stack
 *	storm-spinner	a thread that burns in spinner_leaf()
 *	storm-forker	a process that forks, execs and waits, as often as the host lets it
 *
 * Prints "ready" when all of them are there, and at the end how many processes there were.
 */
#include <poll.h>

#include "workload.h"

LEAF(spinner_leaf)

static double stop;
static pthread_barrier_t started;

FUNCTION static void waker_naps(long ms)
{
	usleep((useconds_t)ms * 1000);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void sleeper_rests(double seconds)
{
	poll(NULL, 0, (int)(seconds * 1000));
	__asm__ volatile("" ::: "memory");
}

static void *waker(void *number)
{
	long ms = 5 + (long)number * 7 % 46;

	prctl(PR_SET_NAME, "storm-waker");
	pthread_barrier_wait(&started);
	while (now() < stop)
		waker_naps(ms);
	return NULL;
}

static void *sleeper(void *number)
{
	volatile char large[40 << 10];

	for (size_t i = 0; i < sizeof(large); i += 1024)
		large[i] = 1;
	prctl(PR_SET_NAME, "storm-sleeper");
	pthread_barrier_wait(&started);
	sleeper_rests(stop - now());
	return (void *)((long)number + large[0]);
}

static void *spinner(void *number)
{
	prctl(PR_SET_NAME, "storm-spinner");
	pthread_barrier_wait(&started);
	while (now() < stop)
		spinner_leaf(ROUNDS);
	return number;
}

static void forker(const char *self, int said)
{
	long nr = 0;

	prctl(PR_SET_NAME, "storm-forker");
	for (; now() < stop; nr++) {
		pid_t pid = vfork();

		if (!pid) {
			execl(self, self, NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
	if (write(said, &nr, sizeof(nr)) != sizeof(nr))
		_exit(1);
	_exit(0);
}

static void start(void *(*run)(void *), long nr)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 96 << 10);
	for (long i = 0; i < nr; i++)
		if (pthread_create(&thread, &small, run, (void *)i)) {
			fprintf(stderr, "storm: no more than %ld threads\n", i);
			exit(1);
		}
}

int main(int argc, char **argv)
{
	long nr[4], processes = 0, some;
	int said[2];

	if (argc < 6) /* what a forker execs */
		return 0;
	stop = now() + atof(argv[1]);
	for (int i = 0; i < 4; i++)
		nr[i] = atol(argv[2 + i]);
	if (pipe(said))
		return 1;
	for (long i = 0; i < nr[3]; i++)
		if (!fork())
			forker(argv[0], said[1]);
	close(said[1]);
	pthread_barrier_init(&started, NULL, (unsigned)(nr[0] + nr[1] + nr[2] + 1));
	start(waker, nr[0]);
	start(sleeper, nr[1]);
	start(spinner, nr[2]);
	pthread_barrier_wait(&started);
	dprintf(1, "ready\n");
	sleeper_rests(stop - now());
	while (read(said[0], &some, sizeof(some)) == sizeof(some))
		processes += some;
	dprintf(1, "processes %ld\n", processes);
	return 0;
}
