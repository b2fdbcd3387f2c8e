/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * edges.c: `edges <ORDERS`: threads that sleep through a window, into it and out of it.
 *
 *	through-*	life_of -> outer -> middle -> in_KIND: block before "ready" and never wake
 *	edge		blocks in out_of_window() until it reads a byte, burns a while, blocks in into_window() until
 *			it reads another
 *
 * At the second byte it prints edge.between.wall and .off, what went by between the two sleeps, and
 * edge.woke and edge.slept, the monotonic clock at either end of that.
 */
#include "waits.h"

LEAF(edge_leaf)

static int nobody_writes[2];

FUNCTION static void in_nanosleep(void)
{
	sleep_ns(3600 * NSEC_PER_SEC);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void in_poll(void)
{
	poll_ns(3600 * NSEC_PER_SEC);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void in_futex(void)
{
	int word = 0;

	futex_wait(&word, 0, 0);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void in_read(void)
{
	read_byte(nobody_writes[0]);
	__asm__ volatile("" ::: "memory");
}

static const struct through {
	const char *name;
	void (*sleep)(void);
} throughs[] = {
	{"through-sleep", in_nanosleep},
	{"through-poll", in_poll},
	{"through-futex", in_futex},
	{"through-read", in_read},
};

enum { NR_THROUGH = sizeof(throughs) / sizeof(throughs[0]) };

FUNCTION static void middle(const struct through *t)
{
	t->sleep();
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void outer(const struct through *t)
{
	middle(t);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void *life_of(void *through)
{
	const struct through *t = through;

	prctl(PR_SET_NAME, t->name);
	for (;;)
		outer(t);
	return NULL;
}

FUNCTION static void out_of_window(void)
{
	if (!read_byte(0))
		exit(1);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void into_window(void)
{
	if (!read_byte(0))
		exit(1);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void *edge(void *unused)
{
	struct waited between = {};
	struct stamp woke;

	prctl(PR_SET_NAME, "edge");
	out_of_window();
	woke = stamp();
	while (now_ns() < woke.wall + 200 * NSEC_PER_MSEC)
		edge_leaf(ROUNDS / 4);
	waited_add(&between, woke);
	into_window();
	printf("edge.woke %lld\nedge.slept %lld\n", woke.wall, woke.wall + between.wall);
	waited_print("edge.between", &between);
	return unused;
}

int main(void)
{
	pthread_t thread;

	if (pipe(nobody_writes))
		return 1;
	for (int i = 0; i < NR_THROUGH; i++)
		pthread_create(&thread, NULL, life_of, (void *)&throughs[i]);
	pthread_create(&thread, NULL, edge, NULL);
	/* Until all have come to where they block. */
	sleep_ns(100 * NSEC_PER_MSEC);
	ready();
	pthread_join(thread, NULL);
	return 0;
}
