/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits.h: how long a function kept its thread off the CPU, as the thread's own clocks say.
 *
 * What was planned is not what happens on a busy host: a sleep of 5 ms is one of 9 where the thread
 * waits for a CPU after it. So a workload takes both of a thread's clocks before and after each
 * call, and prints what went by on the monotonic one and not on the thread's: off-CPU time,
 * whatever it was made of.
 *
 * With RAW_CALLS a function that waits enters the kernel itself, not through the C library, which
 * has no frame pointers: a walk by them then finds every function, too.
 */
#ifndef WAITS_H
#define WAITS_H

#include "workload.h" /* first: it says that we want GNU's */

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>

#define NSEC_PER_MSEC 1000000ll
#define NSEC_PER_SEC  1000000000ll

static inline long long clock_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

static inline long long now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

struct stamp {
	long long wall, cpu;
};

/* Always in this order, so that what a reading costs is in both differences alike. */
static inline struct stamp stamp(void)
{
	struct stamp s;

	s.cpu = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	s.wall = now_ns();
	return s;
}

/* The sum over all calls of a function. */
struct waited {
	long long calls, wall, off;
};

static inline void waited_add(struct waited *w, struct stamp begin)
{
	struct stamp end = stamp();

	w->calls++;
	w->wall += end.wall - begin.wall;
	w->off += end.wall - begin.wall - (end.cpu - begin.cpu);
}

/* w += what `call` takes */
#define TIMED(w, call)                                                                             \
	do {                                                                                       \
		struct stamp begin_ = stamp();                                                     \
		call;                                                                              \
		waited_add(w, begin_);                                                             \
	} while (0)

static inline void waited_print(const char *name, const struct waited *w)
{
	printf("%s.calls %lld\n%s.wall %lld\n%s.off %lld\n", name, w->calls, name, w->wall, name,
	       w->off);
}

/*
 * A thread's whole life but its first and last microseconds, of which `queued` it waited for a CPU.
 */
struct life {
	long long tid, queued;
	struct waited whole;
	struct stamp begin;
};

/* The kernel's own figure: woken or preempted, and not yet running. */
static inline long long queued_ns(void)
{
	long long ran, queued = 0;
	FILE *f = fopen("/proc/thread-self/schedstat", "r");

	if (f) {
		if (fscanf(f, "%lld %lld", &ran, &queued) != 2)
			queued = 0;
		fclose(f);
	}
	return queued;
}

static inline void life_begin(struct life *l, const char *name)
{
	if (name)
		prctl(PR_SET_NAME, name);
	/* By default a timer may be 50 us late. */
	prctl(PR_SET_TIMERSLACK, 1);
	l->tid = syscall(SYS_gettid);
	l->queued = -queued_ns();
	l->begin = stamp();
}

static inline void life_end(struct life *l)
{
	waited_add(&l->whole, l->begin);
	l->queued += queued_ns();
}

static inline void life_print(const char *name, const struct life *l)
{
	printf("%s.tid %lld\n%s.queued %lld\n%s.life %lld\n%s.life-off %lld\n", name, l->tid, name,
	       l->queued, name, l->whole.wall, name, l->whole.off);
}

/* ---- ways to wait */

#ifdef RAW_CALLS
static inline __attribute__((always_inline)) long call4(long nr, long a, long b, long c, long d)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
	return result;
#else
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	return x0;
#endif
}
#else
#define call4(nr, a, b, c, d) syscall(nr, a, b, c, d)
#endif

/* Always inlined, so that the function that waits is the one that calls it. */
#define WAIT static inline __attribute__((always_inline))

WAIT void sleep_ns(long long ns)
{
	struct timespec t = {ns / NSEC_PER_SEC, ns % NSEC_PER_SEC};

#ifdef RAW_CALLS
	call4(SYS_nanosleep, (long)&t, 0, 0, 0);
#else
	nanosleep(&t, NULL);
#endif
}

WAIT void poll_ns(long long ns)
{
	struct timespec t = {ns / NSEC_PER_SEC, ns % NSEC_PER_SEC};

#ifdef RAW_CALLS
	call4(SYS_ppoll, 0, 0, (long)&t, 0);
#else
	ppoll(NULL, 0, &t, NULL);
#endif
}

/*
 * Until *word is not `value`, a wakeup, or the time is over. The C library has no function for it.
 */
WAIT void futex_wait(int *word, int value, long long ns)
{
	struct timespec t = {ns / NSEC_PER_SEC, ns % NSEC_PER_SEC};

	call4(SYS_futex, (long)word, FUTEX_WAIT_PRIVATE, value, ns ? (long)&t : 0);
}

WAIT void futex_wake(int *word, int nr)
{
	call4(SYS_futex, (long)word, FUTEX_WAKE_PRIVATE, nr, 0);
}

WAIT bool read_byte(int fd)
{
	char byte;

#ifdef RAW_CALLS
	return call4(SYS_read, fd, (long)&byte, 1, 0) == 1;
#else
	return read(fd, &byte, 1) == 1;
#endif
}

WAIT bool write_byte(int fd)
{
	char byte = 0;

#ifdef RAW_CALLS
	return call4(SYS_write, fd, (long)&byte, 1, 0) == 1;
#else
	return write(fd, &byte, 1) == 1;
#endif
}

/* For a signal that nobody sends: the kernel marks this sleep freezable, since 6.1. */
WAIT void signal_wait_ns(long long ns)
{
	struct timespec t = {ns / NSEC_PER_SEC, ns % NSEC_PER_SEC};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
#ifdef RAW_CALLS
	call4(SYS_rt_sigtimedwait, (long)&set, 0, (long)&t, 8);
#else
	sigtimedwait(&set, NULL, &t);
#endif
}

/* ---- CPUs */

static inline void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("sched_setaffinity");
		exit(1);
	}
}

/* The CPUs that this process may use; how many. */
static inline int allowed_cpus(int *cpus, int room)
{
	cpu_set_t set;
	int nr = 0;

	sched_getaffinity(0, sizeof(set), &set);
	for (int cpu = 0; cpu < CPU_SETSIZE && nr < room; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[nr++] = cpu;
	return nr;
}

#endif
