/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "waits.h"

/*
 * forks.c: `forks SECONDS`: a thread waits for a child that another thread has yet to fork:
 *
 *	forks		main: reads in for_child()
 *	fork-parent	parent_naps(), then fork() in parent_forks(), then waits in for_exit()
 *	fork-child	child_burns(), and wakes main in child_wakes(), without a sleep in between: what woke it is its birth
 *
 * Prints main's and the parent's waits: forks.wait.*, fork-parent.wait.*, and their .tid, .queued,
 * .life, .life-off.
 */

LEAF(child_burns)

static double stop;
static int channel[2];
static struct waited parent_waits;
static struct life parent_life;

FUNCTION static void parent_naps(void)
{
	sleep_ns(5 * NSEC_PER_MSEC);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void child_wakes(void)
{
	write_byte(channel[1]);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static pid_t parent_forks(void)
{
	pid_t pid = fork();

	__asm__ volatile("" ::: "memory");
	return pid;
}

FUNCTION static void for_exit(pid_t pid)
{
	waitpid(pid, NULL, 0);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void child(void)
{
	prctl(PR_SET_NAME, "fork-child");
	child_burns(4 * ROUNDS);
	child_wakes();
	_exit(0);
}

FUNCTION static void *parent(void *unused)
{
	life_begin(&parent_life, "fork-parent");
	while (now() < stop) {
		pid_t pid;

		parent_naps();
		pid = parent_forks();
		if (!pid)
			child();
		TIMED(&parent_waits, for_exit(pid));
	}
	close(channel[1]);
	life_end(&parent_life);
	return unused;
}

FUNCTION static bool for_child(void)
{
	bool more = read_byte(channel[0]);

	__asm__ volatile("" ::: "memory");
	return more;
}

int main(int argc, char **argv)
{
	struct waited waits = {};
	struct life life = {};
	pthread_t thread;
	bool more;

	stop = now() + (argc > 1 ? atof(argv[1]) : 1);
	if (pipe(channel))
		return 1;
	pthread_create(&thread, NULL, parent, NULL);
	life_begin(&life, NULL);
	do {
		TIMED(&waits, more = for_child());
	} while (more);
	life_end(&life);
	pthread_join(thread, NULL);
	waited_print("forks.wait", &waits);
	life_print("forks", &life);
	waited_print("fork-parent.wait", &parent_waits);
	life_print("fork-parent", &parent_life);
	return 0;
}
