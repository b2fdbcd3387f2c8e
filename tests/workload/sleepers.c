// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sleepers.c: sleepers SLEEPERS SPINNERS SECONDS: threads that sleep 5 to 50 ms each, again and
 * again, and threads that never do. Prints how often all spinners went round.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { SHORTEST_MS = 5, LONGEST_MS = 50, WORK = 1000 };

static atomic_bool is_over;
static atomic_ullong rounds;

static void *sleep_on(void *ctx)
{
	struct timespec nap = {.tv_nsec = (long)(size_t)ctx * 1000000};

	for (;;)
		nanosleep(&nap, NULL);
	return NULL;
}

static void *spin_on(void *ctx)
{
	unsigned long long done = 0;
	volatile unsigned int work;

	(void)ctx;
	for (; !is_over; done++)
		for (work = 0; work < WORK; work++)
			;
	rounds += done;
	return NULL;
}

static pthread_t begin(void *(*run)(void *), size_t argument)
{
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 1 << 16);
	if (pthread_create(&thread, &small, run, (void *)argument)) {
		perror("pthread_create");
		exit(1);
	}
	pthread_attr_destroy(&small);
	return thread;
}

int main(int argc, char **argv)
{
	int sleepers = argc > 1 ? atoi(argv[1]) : 200, spinners = argc > 2 ? atoi(argv[2]) : 3;
	pthread_t *threads = calloc((size_t)spinners + 1, sizeof(*threads));

	for (int i = 0; i < sleepers; i++)
		begin(sleep_on, (size_t)(SHORTEST_MS + i % (LONGEST_MS - SHORTEST_MS)));
	for (int i = 0; i < spinners; i++)
		threads[i] = begin(spin_on, 0);
	sleep(argc > 3 ? (unsigned int)atoi(argv[3]) : 5);
	is_over = 1;
	for (int i = 0; i < spinners; i++)
		pthread_join(threads[i], NULL);
	printf("rounds %llu\n", rounds);
	return 0;
}
