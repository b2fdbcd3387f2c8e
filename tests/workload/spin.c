/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spin.c: `spin SECONDS [PROGRAM ARGS...]`: burns in PREFIX_outer -> PREFIX_leaf, then becomes
 * PROGRAM.
 *
 * Built several times with another PREFIX of the same length: programs whose functions lie at the
 * same addresses, which only their files tell apart. With SPIN_CPU in the environment SECONDS are
 * those of its CPU time, with SPIN_UNLINK it deletes its own file first. Prints its CPU time at the
 * end, unless it becomes another program.
 */
#include "workload.h"

#ifndef PREFIX
#define PREFIX spin
#endif
#define JOIN_(a, b) a##b
#define JOIN(a, b)  JOIN_(a, b)

LEAF(JOIN(PREFIX, _leaf))
CALLER(JOIN(PREFIX, _outer), JOIN(PREFIX, _leaf))

static void unlink_self(void)
{
	char path[4096];
	ssize_t size = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (size > 0) {
		path[size] = '\0';
		unlink(path);
	}
}

int main(int argc, char **argv)
{
	clockid_t clock = getenv("SPIN_CPU") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
	double stop = clock_seconds(clock) + (argc > 1 ? atof(argv[1]) : 1);

	if (getenv("SPIN_UNLINK"))
		unlink_self();
	if (argc <= 2)
		ready();
	while (clock_seconds(clock) < stop)
		JOIN(PREFIX, _outer)(ROUNDS / 4);
	if (argc > 2) {
		execvp(argv[2], argv + 2);
		perror(argv[2]);
		return 1;
	}
	printf("cpu %f\n", process_cpu());
	return 0;
}
