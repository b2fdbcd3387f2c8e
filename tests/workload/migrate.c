/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * migrate.c: `migrate THREADS SECONDS`: threads "mig-NN" that go to another CPU, in move(), before
 * each sleep, in nap(), so that hardly an interval begins and ends on one CPU. Prints for each
 * mig-NN.nap.* and mig-NN.move.*, and its .tid, .queued, .life, .life-off.
 */
#include "waits.h"

LEAF(mig_leaf)

enum { MAX_THREADS = 64, MAX_CPUS = 512 };

static double stop;
static int cpus[MAX_CPUS], nr_cpus;

static struct thread {
	char name[16];
	int index;
	struct waited nap, move;
	struct life life;
} all[MAX_THREADS];

FUNCTION static void nap(void)
{
	sleep_ns(2 * NSEC_PER_MSEC);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void move(int cpu)
{
	pin_to(cpu);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void *life_of(void *thread)
{
	struct thread *t = thread;

	life_begin(&t->life, t->name);
	for (int round = t->index; now() < stop; round++) {
		TIMED(&t->move, move(cpus[round % nr_cpus]));
		mig_leaf(ROUNDS / 20);
		TIMED(&t->nap, nap());
	}
	life_end(&t->life);
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 16;
	pthread_t threads[MAX_THREADS];
	char name[32];

	if (count > MAX_THREADS)
		return 2;
	stop = now() + (argc > 2 ? atof(argv[2]) : 1);
	nr_cpus = allowed_cpus(cpus, MAX_CPUS);
	for (int i = 0; i < count; i++) {
		all[i].index = i;
		snprintf(all[i].name, sizeof(all[i].name), "mig-%02d", i);
		pthread_create(&threads[i], NULL, life_of, &all[i]);
	}
	for (int i = 0; i < count; i++) {
		pthread_join(threads[i], NULL);
		snprintf(name, sizeof(name), "%.15s.nap", all[i].name);
		waited_print(name, &all[i].nap);
		snprintf(name, sizeof(name), "%.15s.move", all[i].name);
		waited_print(name, &all[i].move);
		life_print(all[i].name, &all[i].life);
	}
	return 0;
}
