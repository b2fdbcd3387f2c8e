/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.c: `tree CPU-SECONDS`: two busy threads with a known call tree.
 *
 *	tree-one: one_main -> one_left  -> one_deep -> one_leaf	60 %
 *			   -> one_right -> one_leaf		20 %
 *			   -> one_other				20 %
 *	tree-two: two_main -> two_left  -> two_leaf		75 %
 *			   -> two_right				25 %
 *
 * Prints what the thread's own clock says of each part, and what getrusage() says of all.
 */
#include "workload.h"

LEAF(one_leaf)
CALLER(one_deep, one_leaf)
CALLER(one_left, one_deep)
CALLER(one_right, one_leaf)
LEAF(one_other)
LEAF(two_leaf)
CALLER(two_left, two_leaf)
LEAF(two_right)

static double seconds; /* of CPU time, each */

static inline void timed(void (*part)(long), long n, double *cpu)
{
	double begin = thread_cpu();

	part(n);
	*cpu += thread_cpu() - begin;
}

static double left_one, right_one, other_one, left_two, right_two;

FUNCTION static void *one_main(void *unused)
{
	prctl(PR_SET_NAME, "tree-one");
	while (thread_cpu() < seconds) {
		timed(one_left, 6 * ROUNDS, &left_one);
		timed(one_right, 2 * ROUNDS, &right_one);
		timed(one_other, 2 * ROUNDS, &other_one);
	}
	return unused;
}

FUNCTION static void *two_main(void *unused)
{
	prctl(PR_SET_NAME, "tree-two");
	while (thread_cpu() < seconds) {
		timed(two_left, 6 * ROUNDS, &left_two);
		timed(two_right, 2 * ROUNDS, &right_two);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t one, two;

	seconds = argc > 1 ? atof(argv[1]) : 2;
	pthread_create(&one, NULL, one_main, NULL);
	pthread_create(&two, NULL, two_main, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	printf("one_left %f\none_right %f\none_other %f\n", left_one, right_one, other_one);
	printf("two_left %f\ntwo_right %f\ncpu %f\n", left_two, right_two, process_cpu());
	return 0;
}
