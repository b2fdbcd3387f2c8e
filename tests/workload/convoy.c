/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * convoy.c: `convoy ROUNDS`: who waits for whom is known. In each round
 *
 *	conv-a	takes the lock, then waits in a_waits_for_d()
 *	conv-b	wants the lock: b_wants_lock()
 *	conv-c	wants it too, when b has long been waiting: c_wants_lock()
 *	conv-d	sleeps in d_naps(), when both wait, and wakes a: d_wakes_a()
 *
 * so that a wakes b in a_unlocks(), and b, who has it then, wakes c in b_unlocks(): b waits for a,
 * who waits for d; c for b, who waits for a, who waits for d, whom a timer wakes. Prints what each
 * waits: NAME.wait.*, and its .tid, .queued, .life, .life-off.
 */
#include <stdatomic.h>

#include "waits.h"

enum { A, B, C, D, NR };

static int rounds;
static int word; /* the lock: 0 free, 1 taken, 2 taken, and others wait */
static int channel[2];
static atomic_int b_waits, c_waits; /* the rounds in which they have begun to */
static pthread_barrier_t round_begins;

static struct thread {
	char name[8];
	struct waited wait;
	struct life life;
} all[NR] = {{"conv-a"}, {"conv-b"}, {"conv-c"}, {"conv-d"}};

/* Drepper, "Futexes Are Tricky" (2011), mutex 2. One wakeup each, and its place is known. */
static inline __attribute__((always_inline)) void lock(void)
{
	int seen = 0;

	if (__atomic_compare_exchange_n(&word, &seen, 1, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
		return;
	while (__atomic_exchange_n(&word, 2, __ATOMIC_ACQUIRE))
		futex_wait(&word, 2, 0);
}

static inline __attribute__((always_inline)) void unlock(void)
{
	if (__atomic_exchange_n(&word, 0, __ATOMIC_RELEASE) == 2)
		futex_wake(&word, 1);
}

FUNCTION static void b_wants_lock(void)
{
	lock();
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void c_wants_lock(void)
{
	lock();
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void a_waits_for_d(void)
{
	read_byte(channel[0]);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void a_unlocks(void)
{
	unlock();
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void b_unlocks(void)
{
	unlock();
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void c_unlocks(void)
{
	unlock();
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void d_naps(void)
{
	sleep_ns(20 * NSEC_PER_MSEC);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void d_wakes_a(void)
{
	write_byte(channel[1]);
	__asm__ volatile("" ::: "memory");
}

/* Until that round is announced, and long enough for who announced it to block. */
FUNCTION static void until(atomic_int *announced, int round)
{
	while (atomic_load(announced) < round)
		sleep_ns(NSEC_PER_MSEC);
	sleep_ns(4 * NSEC_PER_MSEC);
}

FUNCTION static void next_round(void)
{
	pthread_barrier_wait(&round_begins);
	__asm__ volatile("" ::: "memory");
}

FUNCTION static void one_a(struct thread *t, int round)
{
	(void)round;
	TIMED(&t->wait, a_waits_for_d());
	a_unlocks();
}

FUNCTION static void one_b(struct thread *t, int round)
{
	atomic_store(&b_waits, round);
	TIMED(&t->wait, b_wants_lock());
	b_unlocks();
}

FUNCTION static void one_c(struct thread *t, int round)
{
	until(&b_waits, round);
	atomic_store(&c_waits, round);
	TIMED(&t->wait, c_wants_lock());
	c_unlocks();
}

FUNCTION static void one_d(struct thread *t, int round)
{
	until(&c_waits, round);
	TIMED(&t->wait, d_naps());
	d_wakes_a();
}

static void (*const parts[])(struct thread *, int) = {one_a, one_b, one_c, one_d};

FUNCTION static void *life_of(void *thread)
{
	struct thread *t = thread;

	life_begin(&t->life, t->name);
	for (int round = 1; round <= rounds; round++) {
		next_round();
		/* It is free: c has had it last. */
		if (t == &all[A])
			lock();
		next_round();
		parts[t - all](t, round);
	}
	life_end(&t->life);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[NR];
	char name[16];

	rounds = argc > 1 ? atoi(argv[1]) : 20;
	pthread_barrier_init(&round_begins, NULL, NR);
	if (pipe(channel))
		return 1;
	for (int i = 0; i < NR; i++)
		pthread_create(&threads[i], NULL, life_of, &all[i]);
	for (int i = 0; i < NR; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < NR; i++) {
		snprintf(name, sizeof(name), "%.8s.wait", all[i].name);
		waited_print(name, &all[i].wait);
		life_print(all[i].name, &all[i].life);
	}
	return 0;
}
