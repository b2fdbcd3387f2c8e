/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rhythm.c: `rhythm SECONDS`: sleeps of 20, 200 and 900 us, in nap_20(), nap_200() and nap_900(),
 * always one after the other: a rhythm that a profiler that takes every n-th sleep, or one a
 * millisecond, falls for. Prints nap_N.* and its .tid, .queued, .life, .life-off. Of what is 150 to
 * 700 us long: within.least, what those of nap_200() slept at least; within.stray, what those of
 * nap_20() may have, where the host was late.
 */
#include "waits.h"

#define NAP(us)                                                                                    \
	FUNCTION static void nap_##us(void)                                                        \
	{                                                                                          \
		sleep_ns(us * 1000);                                                               \
		__asm__ volatile("" ::: "memory");                                                 \
	}
NAP(20)
NAP(200)
NAP(900)

int main(int argc, char **argv)
{
	struct waited of_20 = {}, of_200 = {}, of_900 = {};
	long long least = 0, stray = 0, took;
	double stop = now() + (argc > 1 ? atof(argv[1]) : 1);
	struct life life = {};

	life_begin(&life, "rhythm");
	if (argc > 2)
		ready();
	while (now() < stop) {
		took = -of_20.wall;
		TIMED(&of_20, nap_20());
		took += of_20.wall;
		stray += took >= 150 * 1000 ? took : 0;
		took = -of_200.wall;
		TIMED(&of_200, nap_200());
		took += of_200.wall;
		least += took <= 700 * 1000 ? 200 * 1000 : 0;
		TIMED(&of_900, nap_900());
	}
	life_end(&life);
	waited_print("nap_20", &of_20);
	waited_print("nap_200", &of_200);
	waited_print("nap_900", &of_900);
	life_print("rhythm", &life);
	printf("within.least %lld\nwithin.stray %lld\n", least, stray);
	return 0;
}
