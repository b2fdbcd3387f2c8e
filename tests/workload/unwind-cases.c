/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-cases.c: `unwind-cases TAG MS [LIBRARY]`: stacks whose walk needs care, MS milliseconds of
 * CPU time each. The thread's name says which: CASE-TAG. Built by every compiler with every option;
 * LIBRARY is unwind-lazy.c, loaded again and again: each time its calls are bound anew.
 *
 * A stack of CASE is main;run_CASE;... to what stands in the table of tests/live/test-unwind.
 */
#include <alloca.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/time.h>

#include "workload.h"

#define BARRIER() __asm__ volatile("" ::: "memory")

static double stop;

FUNCTION static int on(void)
{
	int more = thread_cpu() < stop;

	BARRIER();
	return more;
}

FUNCTION static void burn(long n)
{
	for (; n > 0; n--)
		BARRIER();
}

enum { A_WHILE = ROUNDS / 20 };

/* ---- deep recursion */

FUNCTION static void recurse(long n)
{
	if (n > 1)
		recurse(n - 1);
	else
		burn(4 * A_WHILE);
	BARRIER();
}

FUNCTION static void run_deep(void)
{
	while (on())
		recurse(300);
}

/* ---- the C library in the middle */

FUNCTION static int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	burn(100);
	return (x > y) - (x < y);
}

FUNCTION static void run_sort(void)
{
	int numbers[200];

	while (on()) {
		for (int i = 0; i < 200; i++)
			numbers[i] = i * 7919 % 200;
		qsort(numbers, 200, sizeof(numbers[0]), compare);
	}
}

/* ---- frames that are large, or whose size is not known before */

#define LARGE(name, size, touched)                                                                 \
	FUNCTION static void frame_##name(void)                                                    \
	{                                                                                          \
		char room[size];                                                                   \
                                                                                                   \
		memset(room, 1, touched);                                                          \
		__asm__ volatile("" : : "r"(room) : "memory");                                     \
		burn(A_WHILE);                                                                     \
		__asm__ volatile("" : : "r"(room) : "memory");                                     \
	}                                                                                          \
	FUNCTION static void run_##name(void)                                                      \
	{                                                                                          \
		while (on())                                                                       \
			frame_##name();                                                            \
	}
/* The pages of holes that were never touched are not there to be read. */
LARGE(holes, 20000, 100)
LARGE(large, 20000, 20000)
LARGE(huge, 90000, 90000)

FUNCTION static void vary(long size)
{
	volatile char array[size];
	volatile char *more = alloca((size_t)size / 2);

	array[0] = more[0] = 1;
	burn(A_WHILE / 10);
	array[1] = more[1] = array[0];
}

FUNCTION static void run_vary(void)
{
	for (long size = 16; on(); size = size % 3000 + 101)
		vary(size);
}

/* ---- calls that become jumps, where the compiler makes them so */

FUNCTION static void tail_second(long n)
{
	burn(n + 1);
}

FUNCTION static void tail_first(long n)
{
	tail_second(n + 1);
}

FUNCTION static void run_tail(void)
{
	while (on())
		tail_first(A_WHILE);
}

/* ---- mostly prologues and epilogues */

#if defined(__x86_64__)
#define CALLEE_SAVED "rbx", "r12", "r13", "r14", "r15"
#else
#define CALLEE_SAVED "x19", "x20", "x21"
#endif

FUNCTION static long inner(long n)
{
	volatile long local[3];

	local[1] = n;
	__asm__ volatile("" ::: CALLEE_SAVED, "memory");
	return local[1];
}

FUNCTION static long middle(long n)
{
	__asm__ volatile("" ::: CALLEE_SAVED, "memory");
	n += inner(n);
	BARRIER();
	return n;
}

FUNCTION static void outer(void)
{
	for (int i = 0; i < 5000; i++) {
		middle(i);
		BARRIER();
	}
}

FUNCTION static void run_tiny(void)
{
	while (on())
		outer();
}

/* ---- signals: self-sent, from a timer into a function, and with the handler on its own stack */

FUNCTION static void handle(int number)
{
	(void)number;
	burn(8 * A_WHILE);
	BARRIER();
}

FUNCTION static void run_raise(void)
{
	signal(SIGUSR1, handle);
	while (on())
		raise(SIGUSR1);
}

static void with_timer(int flags, void (*body)(void))
{
	struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART | flags};
	struct itimerval timer = {{0, 2000}, {0, 2000}};

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &timer, NULL);
	body();
	memset(&timer, 0, sizeof(timer));
	setitimer(ITIMER_REAL, &timer, NULL);
	BARRIER();
}

FUNCTION static void interrupted(void)
{
	while (thread_cpu() < stop)
		for (long i = 0; i < A_WHILE; i++)
			BARRIER();
}

FUNCTION static void run_alarm(void)
{
	with_timer(0, interrupted);
	BARRIER();
}

FUNCTION static void run_altstk(void)
{
	static char room[64 << 10];
	stack_t own = {.ss_sp = room, .ss_size = sizeof(room)};

	sigaltstack(&own, NULL);
	with_timer(SA_ONSTACK, interrupted);
	BARRIER();
}

/* ---- the kernel's code in user space, and the kernel itself */

FUNCTION static void run_vdso(void)
{
	while (on())
		for (int i = 0; i < 1000; i++)
			now();
}

FUNCTION static void run_read(void)
{
	static char block[16 << 10];
	int fd = open("/dev/zero", O_RDONLY);

	while (on())
		for (int i = 0; i < 10; i++)
			if (read(fd, block, sizeof(block)) < 0)
				_exit(1);
	close(fd);
	BARRIER();
}

/* ---- other roots */

static char thread_name[16];

FUNCTION static void *thread_body(void *of_first)
{
	prctl(PR_SET_NAME, thread_name);
	stop = thread_cpu() + *(double *)of_first;
	while (on())
		burn(A_WHILE);
	return NULL;
}

static double budget;

FUNCTION static void run_thread(void)
{
	pthread_t thread;

	prctl(PR_GET_NAME, thread_name);
	prctl(PR_SET_NAME, "unwind-waits");
	if (!pthread_create(&thread, NULL, thread_body, &budget))
		pthread_join(thread, NULL);
}

FUNCTION static void run_spawn(void)
{
	char *argv[] = {"true", NULL}, *environment[] = {NULL};
	pid_t pid;

	while (on())
		if (!posix_spawn(&pid, "/bin/true", NULL, NULL, argv, environment))
			waitpid(pid, NULL, 0);
}

FUNCTION static void run_vfork(void)
{
	while (on()) {
		pid_t pid = vfork();

		if (!pid)
			_exit(0);
		waitpid(pid, NULL, 0);
	}
}

/* ---- libraries that come and go, each with its calls still unbound */

static const char *library;

FUNCTION static void run_lazy(void)
{
	while (library && on()) {
		void *handle = dlopen(library, RTLD_LAZY);
		void (*run)(void) = handle ? (void (*)(void))dlsym(handle, "lazy_run") : NULL;

		if (!run)
			_exit(1);
		run();
		dlclose(handle);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} all[] = {
	{"holes", run_holes},	{"deep", run_deep},   {"sort", run_sort},     {"large", run_large},
	{"huge", run_huge},	{"vary", run_vary},   {"tail", run_tail},     {"tiny", run_tiny},
	{"raise", run_raise},	{"alarm", run_alarm}, {"altstk", run_altstk}, {"vdso", run_vdso},
	{"read", run_read},	{"spawn", run_spawn}, {"vfork", run_vfork},   {"lazy", run_lazy},
	{"thread", run_thread},
};

int main(int argc, char **argv)
{
	char name[16];

	if (argc < 3)
		return 2;
	budget = atof(argv[2]) / 1000;
	library = argc > 3 ? argv[3] : NULL;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		snprintf(name, sizeof(name), "%s-%s", all[i].name, argv[1]);
		stop = thread_cpu() + budget;
		prctl(PR_SET_NAME, name);
		all[i].run();
		prctl(PR_SET_NAME, "unwind-next");
	}
	return 0;
}
