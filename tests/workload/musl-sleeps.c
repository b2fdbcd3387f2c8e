/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * musl-sleeps.c: `musl-sleeps SECONDS`: fill() has the C library's memset() do its work, doze()
 * makes thousands of short naps.
 */
#include <string.h>

#include "workload.h"

static char room[1 << 16];

__attribute__((noinline)) void fill(void)
{
	for (int i = 0; i < 400; i++)
		memset(room, i, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
}

__attribute__((noinline)) void doze(void)
{
	struct timespec nap = {.tv_nsec = 20000};

	nanosleep(&nap, NULL);
}

int main(int argc, char **argv)
{
	double stop = now() + (argc > 1 ? atof(argv[1]) : 1);

	while (now() < stop) {
		fill();
		for (int i = 0; i < 20; i++)
			doze();
	}
	return 0;
}
