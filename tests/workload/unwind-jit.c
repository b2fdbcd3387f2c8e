/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-jit.c: `unwind-jit MS`: main -> enter -> jit_call() -> callback -> burn, where jit_call()
 * was written at run time, keeps a frame pointer, and is named in /tmp/perf-PID.map; the others
 * keep none. Prints "pid PID".
 */
#include <sys/mman.h>

#include "workload.h"

#if defined(__aarch64__)
/* stp x29, x30, [sp, #-16]!; mov x29, sp; blr x0; ldp x29, x30, [sp], #16; ret */
static const unsigned code[] = {0xa9bf7bfd, 0x910003fd, 0xd63f0000, 0xa8c17bfd, 0xd65f03c0};
#else
/* push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
#endif

FUNCTION static void burn(long n)
{
	for (; n > 0; n--)
		__asm__ volatile("" ::: "memory");
}

FUNCTION static void callback(void)
{
	burn(ROUNDS / 20);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void enter(void (*jit)(void (*)(void)))
{
	jit(callback);
	__asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
	double stop = thread_cpu() + (argc > 1 ? atof(argv[1]) : 1000) / 1000;
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];
	FILE *map;

	if (memory == MAP_FAILED)
		return 1;
	memcpy(memory, code, sizeof(code));
	__builtin___clear_cache((char *)memory, (char *)memory + sizeof(code));
	if (mprotect(memory, 4096, PROT_READ | PROT_EXEC))
		return 1;
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	map = fopen(path, "w");
	if (!map)
		return 1;
	fprintf(map, "%lx %zx jit_call()\n", (unsigned long)(uintptr_t)memory, sizeof(code));
	fclose(map);
	printf("pid %d\n", getpid());
	while (thread_cpu() < stop)
		enter((void (*)(void (*)(void)))(uintptr_t)memory);
	return 0;
}
