/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * short.c: `short COUNT`: COUNT processes, two at a time, each a new exec of this program that
 * burns 20 ms of CPU time in short_outer -> short_leaf and is gone.
 */
#include "workload.h"

LEAF(short_leaf)
CALLER(short_outer, short_leaf)

static void one(void)
{
	prctl(PR_SET_NAME, "short-one");
	while (process_cpu() < 0.020)
		short_outer(ROUNDS / 4);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0, running = 0;

	if (!count) {
		one();
		return 0;
	}
	for (; count > 0; count--) {
		if (running++ >= 2)
			wait(NULL);
		if (!fork()) {
			execl("/proc/self/exe", "short", NULL);
			_exit(1);
		}
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
