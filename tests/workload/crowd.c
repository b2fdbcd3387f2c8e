/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * crowd.c: `crowd SECONDS`: two threads, a child, a grandchild, each burning in a function and
 * under a name of its own. Prints "PART PID-OR-TID" for each, then "ready".
 */
#include "workload.h"

LEAF(main_leaf)
LEAF(thread_leaf)
LEAF(child_leaf)
LEAF(grandchild_leaf)

static double stop;

static void say(const char *part, long id)
{
	dprintf(1, "%s %ld\n", part, id);
}

static void burn(const char *name, void (*leaf)(long))
{
	prctl(PR_SET_NAME, name);
	while (now() < stop)
		leaf(ROUNDS / 4);
}

static void *thread(void *started)
{
	say("thread", syscall(SYS_gettid));
	pthread_barrier_wait(started);
	burn("crowd-thread", thread_leaf);
	return NULL;
}

static void child(int started)
{
	if (!fork()) {
		say("grandchild", getpid());
		close(started);
		burn("crowd-grandkid", grandchild_leaf);
		_exit(0);
	}
	say("child", getpid());
	close(started);
	burn("crowd-child", child_leaf);
	_exit(0);
}

int main(int argc, char **argv)
{
	pthread_barrier_t started;
	pthread_t other;
	int pipes[2];
	char none;

	stop = now() + (argc > 1 ? atof(argv[1]) : 2);
	if (pipe(pipes))
		return 1;
	if (!fork()) {
		close(pipes[0]);
		child(pipes[1]);
	}
	close(pipes[1]);
	pthread_barrier_init(&started, NULL, 2);
	pthread_create(&other, NULL, thread, &started);
	pthread_barrier_wait(&started);
	say("main", getpid());
	/* Both children have said who they are when the last of them has closed its end. */
	if (read(pipes[0], &none, 1) < 0)
		return 1;
	dprintf(1, "ready\n");
	burn("crowd-main", main_leaf);
	pthread_join(other, NULL);
	wait(NULL);
	return 0;
}
