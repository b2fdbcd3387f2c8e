/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * workload.h: functions whose place in a stack and whose CPU time are known.
 *
 * A FUNCTION is a box of its own: never inlined, never cloned, never merged with one that has the
 * same code. A LEAF(name) burns: name(n) takes n rounds of an empty loop, about a cycle each, and
 * calls nothing, so that the C library, which has no frame pointers, is in no busy stack.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FUNCTION __attribute__((noinline, noclone, no_icf))

/*
 * gcc gives a leaf that touches no stack no frame, whatever -fno-omit-frame-pointer says, and its
 * caller is then missing in a walk by frame pointers.
 */
#define KEEP_FRAME()                                                                               \
	do {                                                                                       \
		volatile char frame_[16];                                                          \
		frame_[0] = 0;                                                                     \
	} while (0)

#define LEAF(name)                                                                                 \
	FUNCTION void name(long n);                                                                \
	FUNCTION void name(long n)                                                                 \
	{                                                                                          \
		KEEP_FRAME();                                                                      \
		for (; n > 0; n--)                                                                 \
			__asm__ volatile("" ::: "memory");                                         \
	}

/* A caller: the barrier keeps the call from becoming a jump. */
#define CALLER(name, callee)                                                                       \
	FUNCTION void name(long n);                                                                \
	FUNCTION void name(long n)                                                                 \
	{                                                                                          \
		callee(n);                                                                         \
		__asm__ volatile("" ::: "memory");                                                 \
	}

/* Rounds of a leaf that take a millisecond or so. */
#define ROUNDS 2000000l

static inline double clock_seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static inline double now(void)
{
	return clock_seconds(CLOCK_MONOTONIC);
}

static inline double thread_cpu(void)
{
	return clock_seconds(CLOCK_THREAD_CPUTIME_ID);
}

/* CPU seconds of the process and all its threads, as getrusage() reports them. */
static inline double process_cpu(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

static inline void ready(void)
{
	printf("ready\n");
	fflush(stdout);
}

#endif
