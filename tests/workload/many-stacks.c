/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * many-stacks.c: `many-stacks CPU-SECONDS`: a walk through 4^5 different stacks, each a way of five
 * turns. Prints its CPU time.
 */
#include "workload.h"

LEAF(turn_end)

typedef void turn(unsigned int way, int depth);
static turn turn_a, turn_b, turn_c, turn_d;
static turn *const turns[] = {turn_a, turn_b, turn_c, turn_d};

FUNCTION static void go_on(unsigned int way, int depth)
{
	if (depth)
		turns[way & 3](way >> 2, depth - 1);
	else
		turn_end(ROUNDS / 20);
	__asm__ volatile("" ::: "memory");
}

#define TURN(name)                                                                                 \
	FUNCTION static void name(unsigned int way, int depth)                                     \
	{                                                                                          \
		go_on(way, depth);                                                                 \
		__asm__ volatile("" ::: "memory");                                                 \
	}

TURN(turn_a)
TURN(turn_b)
TURN(turn_c)
TURN(turn_d)

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;

	for (unsigned int way = 0; process_cpu() < seconds; way += 211)
		go_on(way, 5);
	printf("cpu %f\n", process_cpu());
	return 0;
}
