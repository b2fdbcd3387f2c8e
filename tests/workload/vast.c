/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vast.c: maps and unmaps 126 TB so many times: `vast 160000` is more than 2^64 bytes in all. To be
 * linked with -no-pie, or there is no room for that between the program and its stack.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	const size_t size = 126000000000000ull;
	long nr = argc > 1 ? atol(argv[1]) : 1;

	for (long i = 0; i < nr; i++) {
		void *p = mmap(NULL, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
			       -1, 0);

		if (p == MAP_FAILED || munmap(p, size)) {
			perror("mmap");
			return 1;
		}
	}
	printf("mapped %zu\n", size);
	return 0;
}
