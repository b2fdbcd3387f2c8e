/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "waits.h"

/*
 * old-waker.c: `old-waker SECONDS`: a waker that has not slept since long before the sleeps that it
 * ends:
 *
 *	old-first	after a while, starts the worker: first_wakes()
 *	old-worker	worker_waits(), once; from then on worker_burns(), and every 25 ms worker_wakes()
 *	old-served	served_waits() for that
 *
 * That old-first has once woken the worker is no cause of what old-served waits. Prints
 * old-served.wait.*, and its .tid, .queued, .life, .life-off.
 */

LEAF(worker_burns)

static double stop;
static int start[2], work[2];
static struct waited served_waited;
static struct life served_life;

FUNCTION static void first_wakes(void)
{
	write_byte(start[1]);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void worker_waits(void)
{
	read_byte(start[0]);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void worker_wakes(void)
{
	write_byte(work[1]);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static bool served_waits(void)
{
	bool more = read_byte(work[0]);

	__asm__ volatile("" ::: "memory");
	return more;
}

FUNCTION static void *first(void *unused)
{
	prctl(PR_SET_NAME, "old-first");
	sleep_ns(250 * NSEC_PER_MSEC);
	first_wakes();
	return unused;
}

FUNCTION static void *worker(void *unused)
{
	prctl(PR_SET_NAME, "old-worker");
	worker_waits();
	while (now() < stop) {
		long long next = now_ns() + 25 * NSEC_PER_MSEC;

		while (now_ns() < next)
			worker_burns(ROUNDS / 4);
		worker_wakes();
	}
	close(work[1]);
	return unused;
}

FUNCTION static void *served(void *unused)
{
	bool more;

	/* It begins to wait when the worker has long been running. */
	sleep_ns(400 * NSEC_PER_MSEC);
	life_begin(&served_life, "old-served");
	/* What was written before is not waited for. */
	do {
		TIMED(&served_waited, more = served_waits());
	} while (more);
	life_end(&served_life);
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const parts[])(void *) = {first, worker, served};
	pthread_t threads[3];

	stop = now() + (argc > 1 ? atof(argv[1]) : 2);
	if (pipe(start) || pipe(work))
		return 1;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, parts[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	waited_print("old-served.wait", &served_waited);
	life_print("old-served", &served_life);
	return 0;
}
