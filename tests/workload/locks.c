/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locks.c: `locks ROUNDS FILE`: who has which lock, and for how long, is known. In each round, at
 * the same time:
 *
 *	l-first	has lock A until all of l-0 ... l-7 want it, and naps then in first_naps(); those
 *		have it one after the other, each for a nap in part_naps(). They all wait in wants_a()
 *	l-turn	has locks B and C; gives up B after a nap in turn_holds_b(), then C after one in
 *		turn_holds_c()
 *	l-want	waits in wants_b(), then in wants_c()
 *	l-file	has a lock on FILE for a nap in file_naps()
 *	l-flock	waits for that in wants_file()
 *
 * Prints what each waits, NAME.wait.*, and its .tid, .queued, .life, .life-off.
 */
#include "waits.h" /* first: it says that we want GNU's */

#include <fcntl.h>
#include <stdatomic.h>
#include <sys/file.h>

enum { PARTS = 8, FIRST = PARTS, TURN, WANT, HOLDS_FILE, WANTS_FILE, NR };

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
		       c = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t round_begins, all_have;
static atomic_int wanting;
static const char *file;
static int rounds;

static struct thread {
	char name[8];
	struct waited wait, second; /* second: for lock C */
	struct life life;
} all[NR] = {[FIRST] = {"l-first"},
	     [TURN] = {"l-turn"},
	     [WANT] = {"l-want"},
	     [HOLDS_FILE] = {"l-file"},
	     [WANTS_FILE] = {"l-flock"}};

static void nap(int ms)
{
	sleep_ns(ms * NSEC_PER_MSEC);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void first_naps(void)
{
	/* Time for the last one to get from its announcement to the lock. */
	nap(14);
}

FUNCTION static void part_naps(void)
{
	nap(3);
}

FUNCTION static void turn_holds_b(void)
{
	nap(20);
}

FUNCTION static void turn_holds_c(void)
{
	nap(10);
}

FUNCTION static void file_naps(void)
{
	nap(15);
}

FUNCTION static void wants_a(void)
{
	pthread_mutex_lock(&a);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void wants_b(void)
{
	pthread_mutex_lock(&b);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void wants_c(void)
{
	pthread_mutex_lock(&c);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void wants_file(int fd)
{
	flock(fd, LOCK_EX);
	__asm__ volatile("" ::: "memory");
}

static void take_first(size_t i, int fd)
{
	if (i == FIRST)
		pthread_mutex_lock(&a);
	if (i == TURN) {
		pthread_mutex_lock(&b);
		pthread_mutex_lock(&c);
	}
	if (i == HOLDS_FILE)
		flock(fd, LOCK_EX);
}

static void one_part(struct thread *t)
{
	atomic_fetch_add(&wanting, 1);
	TIMED(&t->wait, wants_a());
	part_naps();
	pthread_mutex_unlock(&a);
}

static void one_first(void)
{
	while (atomic_load(&wanting) < PARTS)
		sleep_ns(NSEC_PER_MSEC);
	first_naps();
	atomic_store(&wanting, 0);
	pthread_mutex_unlock(&a);
}

static void one_turn(void)
{
	turn_holds_b();
	pthread_mutex_unlock(&b);
	turn_holds_c();
	pthread_mutex_unlock(&c);
}

static void one_want(struct thread *t)
{
	TIMED(&t->wait, wants_b());
	pthread_mutex_unlock(&b);
	TIMED(&t->second, wants_c());
	pthread_mutex_unlock(&c);
}

static void one_file(struct thread *t, int fd, bool holds)
{
	if (holds)
		file_naps();
	else
		TIMED(&t->wait, wants_file(fd));
	flock(fd, LOCK_UN);
}

static void *life_of(void *thread)
{
	struct thread *t = thread;
	size_t i = (size_t)(t - all);
	int fd = open(file, O_RDWR);

	life_begin(&t->life, t->name);
	for (int round = 0; round < rounds; round++) {
		pthread_barrier_wait(&round_begins);
		take_first(i, fd);
		pthread_barrier_wait(&all_have);
		if (i < PARTS)
			one_part(t);
		else if (i == FIRST)
			one_first();
		else if (i == TURN)
			one_turn();
		else if (i == WANT)
			one_want(t);
		else
			one_file(t, fd, i == HOLDS_FILE);
	}
	life_end(&t->life);
	close(fd);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[NR];
	char name[16];

	if (argc != 3)
		return 2;
	rounds = atoi(argv[1]);
	file = argv[2];
	pthread_barrier_init(&round_begins, NULL, NR);
	pthread_barrier_init(&all_have, NULL, NR);
	for (int i = 0; i < PARTS; i++)
		snprintf(all[i].name, sizeof(all[i].name), "l-%d", i);
	for (int i = 0; i < NR; i++)
		pthread_create(&threads[i], NULL, life_of, &all[i]);
	for (int i = 0; i < NR; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < NR; i++) {
		snprintf(name, sizeof(name), "%.8s.wait", all[i].name);
		waited_print(name, &all[i].wait);
		life_print(all[i].name, &all[i].life);
	}
	waited_print("l-want.second", &all[WANT].second);
	return 0;
}
