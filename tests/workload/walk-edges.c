/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk-edges.c: `walk-edges TAG MS`: functions that are little more than prologue and epilogue, of
 * every form that compilers write: pushes, a frame, both, a frame of unknown size, an aligned one,
 * one of several pages, arguments on the stack, an early return before any of it.
 *
 * A stack is main;turn;edge_FORM;inner_FORM, or a part of it from main on. The thread is called
 * edges-TAG, but for the first 20 ms, behind which it sleeps until its file must be known.
 */
#include <alloca.h>

#include "workload.h"

#define BARRIER() __asm__ volatile("" ::: "memory")

#if defined(__x86_64__)
#define CALLEE_SAVED "rbx", "r12", "r13", "r14", "r15"
#else
#define CALLEE_SAVED "x19", "x20", "x21", "x22", "x23"
#endif

/* inner_FORM has the frame `own`, edge_FORM has it around the call. */
#define FORM(name, own)                                                                            \
	FUNCTION static long inner_##name(long n)                                                  \
	{                                                                                          \
		own;                                                                               \
		BARRIER();                                                                         \
		return n + 1;                                                                      \
	}                                                                                          \
	FUNCTION static long edge_##name(long n)                                                   \
	{                                                                                          \
		own;                                                                               \
		n += inner_##name(n);                                                              \
		BARRIER();                                                                         \
		return n;                                                                          \
	}

#define PUSHES()    __asm__ volatile("" ::: CALLEE_SAVED)
#define USE(object) __asm__ volatile("" : : "r"(object) : "memory")
#define ROOM(size, how)                                                                            \
	char room[size] how;                                                                       \
	USE(room)
#define ALIGNED __attribute__((aligned(64)))

FORM(none, )
FORM(pushes, PUSHES())
FORM(frame, ROOM(200, ))
FORM(both, ROOM(200, ); PUSHES())
FORM(vary, USE(alloca((size_t)(n & 63) + 1)))
FORM(aligned, ROOM(64, ALIGNED))
FORM(mixed, ROOM(64, ALIGNED); PUSHES())
FORM(pages, ROOM(9000, ))
FORM(early, if (n & 2) return n; ROOM(200, ); PUSHES())

FUNCTION static long inner_arguments(long a, long b, long c, long d, long e, long f, long g, long h,
				     long i)
{
	PUSHES();
	return a + b + c + d + e + f + g + h + i;
}

FUNCTION static long edge_arguments(long n)
{
	n += inner_arguments(n, 1, 2, 3, 4, 5, 6, n, n);
	BARRIER();
	n += inner_arguments(n, 1, 2, 3, 4, 5, 6, 7, n);
	BARRIER();
	return n;
}

FUNCTION static void turn(long n)
{
	for (long i = 0; i < n; i++) {
		edge_none(i);
		edge_pushes(i);
		edge_frame(i);
		edge_both(i);
		edge_vary(i);
		edge_aligned(i);
		edge_mixed(i);
		edge_pages(i);
		edge_early(i);
		edge_arguments(i);
		BARRIER();
	}
}

static inline __attribute__((always_inline)) void turn_for(double seconds)
{
	double stop = thread_cpu() + seconds;

	while (thread_cpu() < stop)
		turn(20000);
}

int main(int argc, char **argv)
{
	char name[16];

	if (argc < 3)
		return 2;
	snprintf(name, sizeof(name), "edges-%s", argv[1]);
	prctl(PR_SET_NAME, "edges-begin");
	turn_for(0.020);
	usleep(200000);
	prctl(PR_SET_NAME, name);
	turn_for(atof(argv[2]) / 1000);
	prctl(PR_SET_NAME, "edges-end");
	return 0;
}
