/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compete.c: `compete COUNT SECONDS`: COUNT threads "busy-N" that want one CPU all the time, and a
 * thread "sleepy", the least of all to the scheduler, that sleeps in nap() until a deadline and
 * waits for that CPU after it. Prints the .tid, .queued, .life, .life-off of each, and of sleepy:
 *
 *	nap.*		its sleeps and the waiting after them
 *	nap.late	of that, from the deadline on: it is woken, and not yet running
 */
#include "waits.h"

LEAF(busy_leaf)
CALLER(busy_outer, busy_leaf)

enum { MAX_THREADS = 32, MAX_CPUS = 512 };

static double stop;
static int cpus[MAX_CPUS], nr_cpus;
static struct waited nap_waited;
static long long late;

static struct thread {
	char name[16];
	struct life life;
} all[MAX_THREADS], sleepy;

FUNCTION static void *busy(void *thread)
{
	struct thread *t = thread;

	life_begin(&t->life, t->name);
	pin_to(cpus[nr_cpus - 1]);
	while (now() < stop)
		busy_outer(ROUNDS / 4);
	life_end(&t->life);
	return NULL;
}

FUNCTION static void nap(long long deadline)
{
	struct timespec t = {deadline / NSEC_PER_SEC, deadline % NSEC_PER_SEC};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void *sleep_and_wait(void *thread)
{
	struct thread *t = thread;

	life_begin(&t->life, t->name);
	pin_to(cpus[nr_cpus - 1]);
	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), 19);
	while (now() < stop) {
		long long deadline = now_ns() + 5 * NSEC_PER_MSEC;

		TIMED(&nap_waited, nap(deadline));
		late += now_ns() - deadline;
	}
	life_end(&t->life);
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 3;
	pthread_t threads[MAX_THREADS + 1];

	if (count > MAX_THREADS)
		return 2;
	stop = now() + (argc > 2 ? atof(argv[2]) : 1);
	nr_cpus = allowed_cpus(cpus, MAX_CPUS);
	strcpy(sleepy.name, "sleepy");
	pthread_create(&threads[count], NULL, sleep_and_wait, &sleepy);
	for (int i = 0; i < count; i++) {
		snprintf(all[i].name, sizeof(all[i].name), "busy-%d", i);
		pthread_create(&threads[i], NULL, busy, &all[i]);
	}
	for (int i = 0; i <= count; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < count; i++)
		life_print(all[i].name, &all[i].life);
	life_print(sleepy.name, &sleepy.life);
	waited_print("nap", &nap_waited);
	printf("nap.late %lld\n", late);
	return 0;
}
