/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * futexes.c: which futexes are locks, and who has them.
 *
 * A wait for a word of 2 is for a lock that is taken, in glibc, Rust and Go. But the words of
 * glibc's conditions count (g_signals in nptl/pthread_cond_wait.c, since 2.41), and are 2 at some
 * time. A condition is told by the function that waits, or by other waits for the same word:
 * while a lock is waited for, its word is never anything else. And a lock is let go: a word for
 * which threads only ever wait until their time is over is none, but how a program sleeps.
 *
 * A lock's word names its holder in robust and priority inheritance mutexes. In others of glibc the
 * owner is beside it, which means something only where the stack says that it is one of those.
 */
#include "index.h"

#include "view.h"

enum {
	MOST_TIDS = 1 << 22, /* PID_MAX_LIMIT */
	MANY_TIMES = 3,	     /* that the time was over: once, or twice, the holder may be slow */
};

/* Waits for a word: with what a lock has in it, and with other numbers. */
struct word {
	u64 as_lock, otherwise;
	u64 timed_out, let_go; /* of as_lock: ended by a timer, by a thread */
};

static bool timed_out(const struct why *why, const struct block *block)
{
	return why_by_interrupt(why, block) &&
	       !strcmp(hop_interrupt(why->p, why_hop(why->p, block)), "timer");
}

static void count_as_lock(const struct why *why, const struct block *block, struct word *word)
{
	word->as_lock += block_nr(block);
	if (timed_out(why, block))
		word->timed_out += block_nr(block);
	else if (why_hop(why->p, block))
		word->let_go += block_nr(block);
}

static void count_waits(struct why *why, struct word *words)
{
	vec_for_each (&why->p->blocks, block) {
		if (block->object_kind == WICK_OBJECT_LOCK)
			count_as_lock(why, block, &words[block->object]);
		else if (block->object_kind == WICK_OBJECT_FUTEX)
			words[block->object].otherwise += block_nr(block);
	}
}

static bool is_condition(struct why *why, const struct block *block, const struct word *words)
{
	const struct word *word = &words[block->object];
	const struct place place = places_place(&why->places, why->p, block->user);
	bool is_held = block->holder && !(block->holder & WICK_HOLDER_BESIDE);

	/* Rust parks threads at a word of all ones: it has the bit of a lock that others want. */
	if (is_held && block->holder > MOST_TIDS)
		return true;
	if (place.in_condition || (block->object && word->otherwise >= word->as_lock))
		return true;
	return block->object && !is_held && !place.in_mutex && !place.lock &&
	       word->timed_out >= MANY_TIMES && !word->let_go;
}

/* A thread of that number which was there when the block ended; 0: none is known. */
static u32 leg_of(const struct why *why, const struct block *block, u32 tid)
{
	const struct profile *p = why->p;
	const struct leg *waiter = &p->legs.at[block->leg];
	const struct image *image = &p->images.at[waiter->image];
	struct table_probe probe = table_probe(&why->by_tid, hash_u64(tid));
	bool is_inside = image->inner_pid && image->inner_pid != image->pid;

	/* Of a container, only the number of the process is known in both namespaces. */
	if (is_inside && tid != image->inner_pid)
		return 0;
	if (is_inside)
		probe = table_probe(&why->by_tid, hash_u64(tid = image->pid));
	while (table_next(&probe)) {
		const struct leg *leg = &p->legs.at[probe.ref];
		const struct why_thread *t = &why->threads.at[why_thread(why, probe.ref)];

		if (leg->tid == tid && leg->host == waiter->host && t->followed &&
		    t->begin <= block->woken && t->end >= block->begin)
			return probe.ref;
	}
	return 0;
}

enum wick_object why_object_kind(const struct why *why, const struct block *block)
{
	return why->object_kinds.at[block - why->p->blocks.at];
}

static u32 holder_of(struct why *why, const struct block *block)
{
	bool is_beside = block->holder & WICK_HOLDER_BESIDE;
	u32 leg;

	if (!block->holder || why_object_kind(why, block) != WICK_OBJECT_LOCK ||
	    (is_beside && !places_place(&why->places, why->p, block->user).in_mutex))
		return 0;
	leg = leg_of(why, block, block->holder & ~(u32)WICK_HOLDER_BESIDE);
	return leg && why_thread(why, leg) != why_thread(why, block->leg) ? leg : 0;
}

void futexes_find(struct why *why)
{
	struct word *words = xcalloc(why->p->objects.nr + 1, sizeof(*words));

	for (u32 ref = 1; ref < why->p->legs.nr; ref++)
		table_insert(&why->by_tid, hash_u64(why->p->legs.at[ref].tid), ref);
	count_waits(why, words);
	vec_for_each (&why->p->blocks, block) {
		bool is_lock = block->object_kind == WICK_OBJECT_LOCK;

		*vec_add(&why->object_kinds) =
			(u8)(is_lock && is_condition(why, block, words) ? WICK_OBJECT_FUTEX
									: block->object_kind);
		*vec_add(&why->holders) = holder_of(why, block);
	}
	free(words);
}

u32 why_holder(const struct why *why, const struct block *block)
{
	return why->holders.at[block - why->p->blocks.at];
}
