/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sleeps.c: `sleeps SECONDS [KIND]`: one thread a kind of sleep, or that kind's alone, each
 * sleeping some milliseconds at a time in a function of its own:
 *
 *	KIND's thread: life_of -> outer -> in_KIND -> ...
 *
 * nanosleep, poll, futex, pipe (what a thread "pipe-writer" writes), freezable (a signal that does
 * not come), vfork (D state: until the child, "vfork-child", is gone), stopped (T state: a process
 * of its own, which stops itself; a thread "continues" lets it go on). Prints KIND.calls, .wall,
 * .off and KIND's .tid, .queued, .life, .life-off.
 */
#include "waits.h"

static double stop;

static int channel[2];	  /* of the pipe */
static pid_t stopped_pid; /* of the process that stops */

FUNCTION static void in_nanosleep(void)
{
	sleep_ns(7 * NSEC_PER_MSEC);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void in_poll(void)
{
	poll_ns(11 * NSEC_PER_MSEC);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void in_futex(void)
{
	int word = 0;

	futex_wait(&word, 0, 9 * NSEC_PER_MSEC);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void in_pipe(void)
{
	read_byte(channel[0]);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void in_freezable(void)
{
	signal_wait_ns(8 * NSEC_PER_MSEC);
	__asm__ volatile("" ::: "memory");
}

#ifdef RAW_CALLS
#define VFORK() (pid_t) call4(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, 0, 0, 0)
#else
#define VFORK() vfork()
#endif

FUNCTION static void in_vfork(void)
{
	pid_t pid = VFORK();

	if (!pid) {
		/* Its own name, and its own tid: nothing of this is its parent's. */
		prctl(PR_SET_NAME, "vfork-child");
		sleep_ns(10 * NSEC_PER_MSEC);
		_exit(0);
	}
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void in_stopped(void)
{
	call4(SYS_kill, getpid(), SIGSTOP, 0, 0);
	__asm__ volatile("" ::: "memory");
}

static struct kind {
	const char *name;
	void (*sleep)(void);
	struct waited slept;
	struct life life;
} * kinds;

static const struct kind rows[] = {
	{"nanosleep", in_nanosleep}, {"poll", in_poll},		  {"futex", in_futex},
	{"pipe", in_pipe},	     {"freezable", in_freezable}, {"vfork", in_vfork},
	{"stopped", in_stopped},
};

enum { NR_KINDS = sizeof(rows) / sizeof(rows[0]) };

FUNCTION static void outer(struct kind *k)
{
	k->sleep();
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void *life_of(void *kind)
{
	struct kind *k = kind;

	life_begin(&k->life, k->name);
	while (now() < stop) {
		TIMED(&k->slept, outer(k));
		if (k->sleep == in_vfork)
			waitpid(-1, NULL, __WNOTHREAD);
	}
	life_end(&k->life);
	return NULL;
}

static void *write_pipe(void *unused)
{
	prctl(PR_SET_NAME, "pipe-writer");
	do
		sleep_ns(6 * NSEC_PER_MSEC);
	while (write_byte(channel[1]) && now() < stop + 0.1);
	return unused;
}

static void *let_go_on(void *unused)
{
	int status;

	prctl(PR_SET_NAME, "continues");
	while (waitpid(stopped_pid, &status, WUNTRACED) == stopped_pid && WIFSTOPPED(status)) {
		sleep_ns(12 * NSEC_PER_MSEC);
		kill(stopped_pid, SIGCONT);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[NR_KINDS + 2];
	int nr = 0;
	sigset_t set;

	/* Shared with the process that stops. */
	kinds = mmap(NULL, sizeof(rows), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (kinds == MAP_FAILED || pipe(channel))
		return 1;
	memcpy(kinds, rows, sizeof(rows));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	stop = now() + (argc > 1 ? atof(argv[1]) : 1);
	for (struct kind *k = kinds; k < kinds + NR_KINDS; k++) {
		if (argc > 2 && strcmp(argv[2], k->name))
			continue;
		if (k->sleep == in_stopped) {
			stopped_pid = fork();
			if (!stopped_pid) {
				life_of(k);
				_exit(0);
			}
			pthread_create(&threads[nr++], NULL, let_go_on, NULL);
			continue;
		}
		if (k->sleep == in_pipe)
			pthread_create(&threads[nr++], NULL, write_pipe, NULL);
		pthread_create(&threads[nr++], NULL, life_of, k);
	}
	while (nr)
		pthread_join(threads[--nr], NULL);
	for (struct kind *k = kinds; k < kinds + NR_KINDS; k++) {
		if (!k->slept.calls)
			continue;
		waited_print(k->name, &k->slept);
		life_print(k->name, &k->life);
	}
	return 0;
}
