/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rhythm.c: `rhythm SECONDS`: sleeps of 20, 200 and 900 us, in nap_20(), nap_200() and nap_900(), always one
 * after the other: a rhythm that a profiler that takes every n-th sleep, or one a millisecond, falls for.
 * Prints nap_N.* and its .tid, .queued, .life, .life-off.
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
	double stop = now() + (argc > 1 ? atof(argv[1]) : 1);
	struct life life = {};

	life_begin(&life, "rhythm");
	if (argc > 2)
		ready();
	while (now() < stop) {
		TIMED(&of_20, nap_20());
		TIMED(&of_200, nap_200());
		TIMED(&of_900, nap_900());
	}
	life_end(&life);
	waited_print("nap_20", &of_20);
	waited_print("nap_200", &of_200);
	waited_print("nap_900", &of_900);
	life_print("rhythm", &life);
	return 0;
}
