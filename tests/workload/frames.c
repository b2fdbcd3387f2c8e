/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frames SCENARIO FILE: calls its way down, and at the bottom writes what a profiler would have
 * seen (registers, stack) and what is true (the return addresses by the compiler's own unwinder) to
 * FILE.
 *
 * In text lines: "reg HEX" for ip and the 16 registers in DWARF's order, "true HEX" from the
 * bottom's caller on (0: any address), "map LINE" for /proc/self/maps, "mem HEX-HEX OFFSET" for
 * memory that lies at OFFSET of FILE.mem.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

enum {
	MAX_TRUE = 1000,
};

struct truth {
	int nr;
	uint64_t at[MAX_TRUE];
};

static const char *out_path;
static struct truth outer; /* of the caller of code that the compiler's unwinder does not know */
static volatile int done;

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *ctx)
{
	struct truth *truth = ctx;

	/* The outermost frame's own caller is given as 0, on some ways out. */
	if (truth->nr == MAX_TRUE || !_Unwind_GetIP(context))
		return _URC_END_OF_STACK;
	truth->at[truth->nr++] = _Unwind_GetIP(context);
	return _URC_NO_REASON;
}

static void write_memory(FILE *out, FILE *mem, uint64_t start, uint64_t end)
{
	fprintf(out, "mem %lx-%lx %lx\n", start, end, (unsigned long)ftell(mem));
	fwrite((void *)start, 1, end - start, mem);
}

/* The stack that `sp` is on, from there up, and every other one that a signal may have left. */
static void write_maps(FILE *out, uint64_t sp)
{
	FILE *maps = fopen("/proc/self/maps", "r"), *mem;
	char path[256], line[512], mode[5];
	uint64_t start, end;

	snprintf(path, sizeof(path), "%s.mem", out_path);
	mem = fopen(path, "w");
	while (fgets(line, sizeof(line), maps)) {
		fprintf(out, "map %s", line);
		if (sscanf(line, "%lx-%lx %4s", &start, &end, mode) != 3 || mode[0] != 'r')
			continue;
		if (start <= sp && sp < end)
			write_memory(out, mem, sp & ~7ul, end);
		else if (strstr(line, "[stack]") || (strstr(line, "rwxp") && !strchr(line, '/')))
			write_memory(out, mem, start, end);
	}
	fclose(maps);
	fclose(mem);
}

/* The return addresses from the caller of the caller of `here` on. */
static __attribute__((noinline)) void write_truth(FILE *out)
{
	struct truth truth = {};

	_Unwind_Backtrace(add_frame, &truth);
	/* write_truth() and bottom() */
	for (int i = 2; i < truth.nr; i++)
		fprintf(out, "true %lx\n", truth.at[i]);
	for (int i = 0; i < outer.nr; i++)
		fprintf(out, "true %lx\n", outer.at[i]);
}

__attribute__((noinline)) void bottom(void)
{
	uint64_t reg[17] = {};
	FILE *out;

	if (done++)
		return;
	__asm__ volatile("lea 0(%%rip), %%rax\n\t"
			 "mov %%rax, 0(%0)\n\t"
			 "mov %%rbx, 32(%0)\n\t"
			 "mov %%rbp, 56(%0)\n\t"
			 "mov %%rsp, 64(%0)\n\t"
			 "mov %%r12, 104(%0)\n\t"
			 "mov %%r13, 112(%0)\n\t"
			 "mov %%r14, 120(%0)\n\t"
			 "mov %%r15, 128(%0)\n\t"
			 :
			 : "r"(reg)
			 : "rax", "memory");
	out = fopen(out_path, "w");
	for (int i = 0; i < 17; i++)
		fprintf(out, "reg %lx\n", reg[i]);
	write_truth(out);
	write_maps(out, reg[8]);
	fclose(out);
}

static __attribute__((noinline)) int recurse(int depth, int a, int b)
{
	volatile char frame[48];
	int result;

	frame[depth % 48] = (char)a;
	if (!depth)
		bottom();
	result = depth ? recurse(depth - 1, b, a + depth) : 0;
	return result + frame[depth % 48] + b;
}

static __attribute__((noinline)) int with_alloca(int depth, size_t size)
{
	char *room = alloca(size + 16 * (size_t)depth);
	int array[depth + 1];

	memset(room, depth, size);
	memset(array, 0, sizeof(array));
	if (!depth)
		bottom();
	return (depth ? with_alloca(depth - 1, size + 100) : 0) + room[depth] + array[depth];
}

static __attribute__((noinline)) int aligned(int depth)
{
	_Alignas(64) volatile char frame[128] = {};

	if (!depth)
		bottom();
	return (depth ? aligned(depth - 1) : 0) + frame[depth];
}

static int compare(const void *a, const void *b)
{
	bottom();
	return *(const int *)a - *(const int *)b;
}

static void sort(void)
{
	int numbers[] = {3, 1, 2, 5, 4};

	qsort(numbers, 5, sizeof(int), compare);
}

static void handler(int signal)
{
	(void)signal;
	bottom();
}

static __attribute__((noinline)) void spin(void)
{
	for (volatile unsigned int i = 0; !done; i++)
		continue;
}

static __attribute__((noinline)) void interrupted(int flags)
{
	struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
	stack_t stack = {.ss_size = 1 << 18};

	/* Executable, so that write_maps() knows it. */
	stack.ss_sp = mmap(NULL, stack.ss_size, PROT_READ | PROT_WRITE | PROT_EXEC,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaltstack(&stack, NULL);
	sigaction(SIGALRM, &action, NULL);
	ualarm(1000, 0);
	spin();
}

static void by_signal(void)
{
	interrupted(0);
}

static void by_signal_elsewhere(void)
{
	interrupted(SA_ONSTACK);
}

static void *in_thread(void *unused)
{
	recurse(5, 1, 2);
	return unused;
}

static void thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, in_thread, NULL);
	pthread_join(thread, NULL);
}

/* Code without a file, and with a frame pointer: push rbp; mov rbp, rsp; call rdi; pop rbp; ret */
static __attribute__((noinline)) void jit(void)
{
	static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3};
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(page, code, sizeof(code));
	_Unwind_Backtrace(add_frame, &outer);
	outer.at[0] = 0; /* where jit() is when it calls, rather than here */
	((void (*)(void (*)(void)))page)(bottom);
	__asm__ volatile("");
}

/*
 * A symbol that is bound when it is called, and whose resolver is then code under the dynamic
 * linker.
 */
static void lazily(void)
{
	void *library = dlopen(getenv("FRAMES_LIBRARY"), RTLD_LAZY);
	void (*call)(void) = library ? (void (*)(void))dlsym(library, "call_lazily") : NULL;

	if (call)
		call();
}

/* A call that does not return may be a function's last byte; the return address is another's. */
static __attribute__((noinline, noreturn)) void leave(int status)
{
	bottom();
	exit(status);
}

static __attribute__((noinline, noreturn)) void never_returns(volatile int status)
{
	volatile char frame[200];

	frame[status] = 0;
	leave(frame[status]);
}

static __attribute__((noinline)) void follows(void)
{
	volatile char frame[300];

	frame[done] = 1;
}

static void noreturn(void)
{
	if (!done)
		never_returns(done);
	follows();
}

static void recursion(void)
{
	recurse(300, 1, 2);
}

static void variable_frames(void)
{
	with_alloca(40, 10);
}

static void aligned_frames(void)
{
	aligned(20);
}

static const struct {
	const char *name;
	void (*run)(void);
} scenarios[] = {
	{"recursion", recursion},
	{"alloca", variable_frames},
	{"aligned", aligned_frames},
	{"qsort", sort},
	{"signal", by_signal},
	{"sigaltstack", by_signal_elsewhere},
	{"thread", thread},
	{"jit", jit},
	{"lazy", lazily},
	{"noreturn", noreturn},
};

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	out_path = argv[2];
	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (!strcmp(argv[1], scenarios[i].name))
			scenarios[i].run();
	return !done;
}
