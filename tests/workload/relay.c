/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "waits.h"

/*
 * relay.c: `relay SECONDS`: a byte goes through pipes, from a thread to the next:
 *
 *	relay-source	source_naps(), source_writes()
 *	relay-one	one_reads(), one_writes()
 *	relay-two	two_reads(), two_writes()
 *	relay-sink	sink_reads()
 *
 * each time when all the others have been waiting for long. Prints what each waits: NAME.wait.*,
 * and its .tid, .queued, .life, .life-off.
 */

enum { SOURCE, ONE, TWO, SINK, NR };

static double stop;

static struct thread {
	char name[16];
	int in, out;
	bool (*wait)(struct thread *);
	bool (*pass)(struct thread *);
	struct waited waited;
	struct life life;
} all[NR];

FUNCTION static bool source_naps(struct thread *t)
{
	(void)t;
	sleep_ns(60 * NSEC_PER_MSEC); /* longer than a busy host takes for all of it */
	return now() < stop;
}

#define READS(name)                                                                                \
	FUNCTION static bool name(struct thread *t)                                                \
	{                                                                                          \
		bool more = read_byte(t->in);                                                      \
                                                                                                   \
		__asm__ volatile("" ::: "memory");                                                 \
		return more;                                                                       \
	}
#define WRITES(name)                                                                               \
	FUNCTION static bool name(struct thread *t)                                                \
	{                                                                                          \
		bool more = write_byte(t->out);                                                    \
                                                                                                   \
		__asm__ volatile("" ::: "memory");                                                 \
		return more;                                                                       \
	}
READS(one_reads)
READS(two_reads)
READS(sink_reads)
WRITES(source_writes)
WRITES(one_writes)
WRITES(two_writes)

FUNCTION static void *life_of(void *thread)
{
	struct thread *t = thread;
	bool more;

	life_begin(&t->life, t->name);
	do {
		TIMED(&t->waited, more = t->wait(t));
	} while (more && (!t->pass || t->pass(t)));
	if (t->pass)
		close(t->out);
	life_end(&t->life);
	return NULL;
}

int main(int argc, char **argv)
{
	static const struct thread rows[NR] = {
		[SOURCE] = {"relay-source", .wait = source_naps, .pass = source_writes},
		[ONE] = {"relay-one", .wait = one_reads, .pass = one_writes},
		[TWO] = {"relay-two", .wait = two_reads, .pass = two_writes},
		[SINK] = {"relay-sink", .wait = sink_reads},
	};
	pthread_t threads[NR];
	char name[32];
	int ends[2];

	memcpy(all, rows, sizeof(all));
	stop = now() + (argc > 1 ? atof(argv[1]) : 1);
	for (int i = 0; i < NR - 1; i++) {
		if (pipe(ends))
			return 1;
		all[i].out = ends[1];
		all[i + 1].in = ends[0];
	}
	for (int i = 0; i < NR; i++)
		pthread_create(&threads[i], NULL, life_of, &all[i]);
	for (int i = 0; i < NR; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < NR; i++) {
		snprintf(name, sizeof(name), "%.15s.wait", all[i].name);
		waited_print(name, &all[i].waited);
		life_print(all[i].name, &all[i].life);
	}
	return 0;
}
