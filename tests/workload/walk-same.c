/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk-same.c: `walk-same COUNT`: COUNT processes, two at a time, each a new exec that prints where
 * its main() is ("main ADDRESS") and spends 20 ms of CPU time in one single instruction,
 * main;same_outer;same_leaf.
 */
#include <sys/time.h>

#include "workload.h"

FUNCTION static void same_leaf(void)
{
	for (;;)
		;
}

FUNCTION static void same_outer(void)
{
	same_leaf();
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0, running = 0;
	struct itimerval end = {.it_value = {.tv_usec = 20000}};

	if (!count) {
		prctl(PR_SET_NAME, "same");
		printf("main %p\n", (void *)main);
		fflush(stdout);
		setitimer(ITIMER_PROF, &end, NULL); /* whose signal kills */
		same_outer();
	}
	for (; count > 0; count--) {
		if (running++ >= 2)
			wait(NULL);
		if (!fork()) {
			execl("/proc/self/exe", "walk-same", NULL);
			_exit(1);
		}
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
