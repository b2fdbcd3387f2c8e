/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pages.c: what a page fault, a mapping, a brk() and a system call that has nothing to do with
 * memory cost of CPU time. `pages ROUNDS` prints the median of its rounds: "fault.ns", "mmap.ns" (a pair of
 * mmap and munmap), "brk.ns", "getppid.ns", and "chunk.ns": a page of 64 KB that are mapped, touched
 * and unmapped, as a program with short-lived buffers does.
 */
#include "workload.h"

#include <sys/mman.h>

enum { PAGES = 4096, CALLS = 4000, CHUNKS = 100, CHUNK_PAGES = 16, MAX_ROUNDS = 1000 };

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static void report(const char *name, double *seconds, int rounds, long nr)
{
	qsort(seconds, (size_t)rounds, sizeof(*seconds), compare);
	printf("%s.ns %.1f\n", name, seconds[rounds / 2] * 1e9 / (double)nr);
}

FUNCTION void touch_pages(volatile char *p);
FUNCTION void touch_pages(volatile char *p)
{
	for (long i = 0; i < PAGES; i++)
		p[i * 4096] = 1;
}

static double faults(char *p)
{
	double begin;

	madvise(p, PAGES * 4096ul, MADV_DONTNEED);
	begin = thread_cpu();
	touch_pages(p);
	return thread_cpu() - begin;
}

FUNCTION double map_pairs(void);
FUNCTION double map_pairs(void)
{
	double begin = thread_cpu();

	for (int i = 0; i < CALLS; i++)
		munmap(mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			    0),
		       1 << 20);
	return thread_cpu() - begin;
}

FUNCTION double breaks(void);
FUNCTION double breaks(void)
{
	double begin = thread_cpu();

	for (int i = 0; i < CALLS / 2; i++) {
		sbrk(4096);
		sbrk(-4096);
	}
	return thread_cpu() - begin;
}

FUNCTION double others(void);
FUNCTION double others(void)
{
	double begin = thread_cpu();

	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return thread_cpu() - begin;
}

FUNCTION double chunks(void);
FUNCTION double chunks(void)
{
	double begin = thread_cpu();

	for (int i = 0; i < CHUNKS; i++) {
		volatile char *p = mmap(NULL, CHUNK_PAGES * 4096, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			exit(1);
		for (long at = 0; at < CHUNK_PAGES; at++)
			p[at * 4096] = 1;
		munmap((void *)p, CHUNK_PAGES * 4096);
	}
	return thread_cpu() - begin;
}

int main(int argc, char **argv)
{
	static double seconds[5][MAX_ROUNDS];
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	char *p = mmap(NULL, PAGES * 4096ul, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED || rounds < 1 || rounds > MAX_ROUNDS)
		return 1;
	for (int i = 0; i < rounds; i++) {
		seconds[0][i] = faults(p);
		seconds[1][i] = map_pairs();
		seconds[2][i] = breaks();
		seconds[3][i] = others();
		seconds[4][i] = chunks();
	}
	report("fault", seconds[0], rounds, PAGES);
	report("mmap", seconds[1], rounds, CALLS);
	report("brk", seconds[2], rounds, CALLS);
	report("getppid", seconds[3], rounds, CALLS);
	report("chunk", seconds[4], rounds, CHUNKS * CHUNK_PAGES);
	return 0;
}
