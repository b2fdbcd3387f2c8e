/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stuck.c: `stuck COUNT`: COUNT threads "stuck", all blocked in life -> outer -> stuck_here. Says
 * "ready" when they are. For each byte that it reads, all are woken, and block again.
 */
#include "waits.h"

static int word;

FUNCTION static void stuck_here(void)
{
	futex_wait(&word, 0, 0);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void outer(void)
{
	stuck_here();
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void *life(void *started)
{
	prctl(PR_SET_NAME, "stuck");
	pthread_barrier_wait(started);
	for (;;)
		outer();
	return NULL;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 100;
	pthread_barrier_t started;
	pthread_attr_t small;
	pthread_t thread;

	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	pthread_barrier_init(&started, NULL, (unsigned int)count + 1);
	for (int i = 0; i < count; i++) {
		if (pthread_create(&thread, &small, life, &started)) {
			perror("pthread_create");
			return 1;
		}
	}
	pthread_barrier_wait(&started);
	sleep_ns((100 + count / 20) * NSEC_PER_MSEC);
	ready();
	while (read_byte(0))
		futex_wake(&word, count);
	pthread_join(thread, NULL);
	return 0;
}
