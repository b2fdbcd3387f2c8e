/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit.c: `jit CPU-SECONDS`: a runtime that writes machine code into memory and says in
 * /tmp/perf-PID.map, PID as it knows it itself, what it has written: two functions, jit_slow() and
 * jit_quick(). It leaves that file behind, as runtimes do. Prints "pid PID".
 */
#include <sys/mman.h>

#include "workload.h"

/* Keeps a frame, counts its argument down. */
#if defined(__x86_64__)
static const unsigned char code[] = {
	0x55,		  /* push %rbp */
	0x48, 0x89, 0xe5, /* mov %rsp, %rbp */
	0x48, 0xff, 0xcf, /* 1: dec %rdi */
	0x75, 0xfb,	  /* jnz 1b */
	0x5d, 0xc3,	  /* pop %rbp; ret */
};
#elif defined(__aarch64__)
static const unsigned int code[] = {
	0xa9bf7bfd, /* stp x29, x30, [sp, -16]! */
	0x910003fd, /* mov x29, sp */
	0xf1000400, /* 1: subs x0, x0, 1 */
	0x54ffffe1, /* b.ne 1b */
	0xa8c17bfd, /* ldp x29, x30, [sp], 16 */
	0xd65f03c0, /* ret */
};
#endif

enum { SLOW = 0x100, QUICK = 0x800, SIZE = 0x1000 };

FUNCTION static void interpret(void (*slow)(long), void (*quick)(long))
{
	slow(3 * ROUNDS / 4);
	quick(ROUNDS / 4);
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 1;
	unsigned char *memory =
		mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *map;

	if (memory == MAP_FAILED)
		return 1;
	memcpy(memory + SLOW, code, sizeof(code));
	memcpy(memory + QUICK, code, sizeof(code));
	if (mprotect(memory, SIZE, PROT_READ | PROT_EXEC))
		return 1;
	__builtin___clear_cache((char *)memory, (char *)memory + SIZE);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map)
		return 1;
	fprintf(map, "%lx %zx jit_slow()\n", (unsigned long)(uintptr_t)(memory + SLOW),
		sizeof(code));
	fprintf(map, "%lx %zx jit_quick()\n", (unsigned long)(uintptr_t)(memory + QUICK),
		sizeof(code));
	fclose(map);
	printf("pid %d\n", getpid());
	ready();
	while (process_cpu() < seconds)
		interpret((void (*)(long))(uintptr_t)(memory + SLOW),
			  (void (*)(long))(uintptr_t)(memory + QUICK));
	return 0;
}
