/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-contexts.c: `unwind-contexts MS`: stacks that do not begin where a thread does, and one whose
 * row is wrong, MS milliseconds of CPU time each.
 *
 * Thread's name	stack
 * contexts		in_context;burn, in a context of makecontext(), with and without one to go on with
 * wrong-row		main;wrong_row, as it is; its unwind entry takes a 0 for the return address
 */
#include <ucontext.h>

#include "workload.h"

#define BARRIER() __asm__ volatile("" ::: "memory")

static ucontext_t outside, inside;

FUNCTION static void burn(void)
{
	for (long n = ROUNDS / 20; n > 0; n--)
		BARRIER();
}

FUNCTION static void in_context(void)
{
	for (;;) {
		burn();
		swapcontext(&inside, &outside);
	}
}

static void run_context(double seconds, ucontext_t *next)
{
	static _Alignas(16) char stack[1 << 16];
	double stop = thread_cpu() + seconds;

	getcontext(&inside);
	inside.uc_stack.ss_sp = stack;
	inside.uc_stack.ss_size = sizeof(stack);
	inside.uc_link = next;
	makecontext(&inside, in_context, 0);
	while (thread_cpu() < stop)
		swapcontext(&outside, &inside);
}

#ifdef __x86_64__
void wrong_row(long rounds);
__asm__(".text\n"
	".type wrong_row, @function\n"
	"wrong_row:\n"
	".cfi_startproc\n"
	"	push	$0\n" /* CFA = rsp + 8 all the same */
	"1:	dec	%rdi\n"
	"	jnz	1b\n"
	"	add	$8, %rsp\n"
	"	ret\n"
	".cfi_endproc\n"
	".size wrong_row, . - wrong_row\n");

static void run_wrong_row(double seconds)
{
	double stop = thread_cpu() + seconds;

	prctl(PR_SET_NAME, "wrong-row");
	while (thread_cpu() < stop)
		wrong_row(10 * ROUNDS);
}
#endif

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) / 1000 : 1;

	prctl(PR_SET_NAME, "contexts");
	run_context(seconds, NULL);
	run_context(seconds, &outside);
#ifdef __x86_64__
	run_wrong_row(seconds);
#endif
	return 0;
}
