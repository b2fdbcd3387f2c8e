/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-storm.c: `unwind-storm COUNT`: COUNT processes, two at a time, each a new exec that burns
 * 10 ms more than its start took.
 */
#include "workload.h"

FUNCTION static void storm_leaf(long n)
{
	for (; n > 0; n--)
		__asm__ volatile("" ::: "memory");
}

CALLER(storm_outer, storm_leaf)

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0, running = 0;
	double until = process_cpu() + 0.010;

	while (!count && process_cpu() < until)
		storm_outer(ROUNDS / 8);
	for (; count > 0; count--) {
		if (running++ >= 2)
			wait(NULL);
		if (!fork()) {
			execl(argv[0], "unwind-storm", NULL);
			_exit(1);
		}
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
