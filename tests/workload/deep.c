/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * deep N SECONDS: runs at the end of N recursive calls, all in cache: what a walk costs at its
 * cheapest.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sink;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

__attribute__((noinline)) static unsigned long spin(double seconds)
{
	for (double end = now() + seconds; now() < end;)
		for (int i = 0; i < 1000000; i++)
			sink += sink << 1 ^ (unsigned long)i;
	return sink;
}

__attribute__((noinline)) static unsigned long down(int depth, double seconds)
{
	unsigned long below = depth ? down(depth - 1, seconds) : spin(seconds);

	return below + (unsigned long)depth; /* no tail call */
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	printf("%lu\n", down(atoi(argv[1]), atof(argv[2])) & 1);
	return 0;
}
