/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ledger.h: what goes from a thread's account into the counts, and to user space, when it is closed. */
#ifndef LEDGER_H
#define LEDGER_H

#include "count.h"
#include "intern.h"
#include "thread.h"

static __always_inline void count_time(struct wick_key *key, u64 nr, u64 ns, u64 longest,
				       struct wick_counters *tally)
{
	struct wick_columns columns = {.column = {nr, ns, longest}};

	count(key, &columns, tally);
}

/* What is left in the accounts of a thread that ends. */
VERIFIED_ONCE int count_short(struct thread *t, struct wick_counters *tally)
{
	struct wick_key key = {.kind = WICK_SCHED};

	if (!t || !tally)
		return 0;
	key.leg = t->known.id;
	key.state = 'S' | WICK_STATE_SHORT;
	if (t->short_sleep)
		count_time(&key, t->nr_short_sleeps, t->short_sleep, 0, tally);
	key.state = 'Q' | WICK_STATE_SHORT;
	if (t->short_queue)
		count_time(&key, 0, t->short_queue, 0, tally);
	key.state = 'R' | WICK_STATE_SHORT;
	if (t->short_preempt)
		count_time(&key, 0, t->short_preempt, 0, tally);
	t->short_sleep = t->short_queue = t->short_preempt = 0;
	return 0;
}

static __always_inline void send_thread(const struct thread *t, u64 end, u64 now,
					struct wick_counters *tally)
{
	struct wick_thread_body body = {
		.leg = t->known.id,
		.begin = t->begin,
		.end = end,
		.running = t->running,
		.queued = t->queued,
		.preempted = t->preempted,
		.blocked = t->blocked,
	};

	body_begin(&body.body, WICK_BODY_THREAD, 0, 0, now);
	if (bpf_ringbuf_output(&bodies, &body, sizeof(body), wakeup_flag()))
		tally->at[WICK_LOST_BODY]++;
}

/* What a thread is doing when the window ends. */
struct standing {
	u64 blocked_ns; /* a block that has ended, of a thread that has not run since */
	u64 still_ns;	/* what has not ended */
	u32 still;	/* its state */
	u32 blocked;	/* and that of the block */
};

/* Closes the account of a thread that was seen. */
static __always_inline void close_account(struct thread *t, u64 end, struct standing *at)
{
	u64 off = t->off ? t->off : t->begin;

	if (t->on > t->off) { /* it runs */
		t->running += span(t->on, end);
		return;
	}
	if (!is_blocked_state(t->state)) {
		at->still_ns = span(off, end);
		at->still = (t->state & WICK_STATE_LETTER) == 'R' ? 'R' : 'Q';
		at->still |= t->state & WICK_STATE_NEVER_RAN;
		if ((t->state & WICK_STATE_LETTER) == 'R')
			t->preempted += at->still_ns;
		else
			t->queued += at->still_ns;
	} else if (t->wake >= off) {
		at->blocked_ns = t->block_charge;
		at->blocked = t->block_state;
		at->still_ns = span(t->wake, end);
		at->still = 'Q';
		t->blocked += t->wake - off;
		t->queued += at->still_ns;
	} else if (t->wake && t->wake >= t->on) {
		at->still_ns = span(off, end);
		at->still = 'Q';
		t->queued += at->still_ns;
	} else {
		at->still_ns = span(off, end);
		at->still = t->state;
		t->blocked += at->still_ns;
	}
}

/* Counts both stretches, with the stacks and the leg of the key. `always`: also what is no time at all. */
static __always_inline void count_standing(const struct thread *t, const struct standing *at,
					   struct wick_key *key, u32 flags, bool always,
					   struct wick_counters *tally)
{
	key->chain = t->chain;
	key->state = at->blocked | flags;
	if (at->blocked_ns)
		count_time(key, t->nr_block_sleeps, at->blocked_ns, at->blocked_ns, tally);
	key->chain = 0;
	key->state = at->still | flags | WICK_STATE_STILL;
	if (at->still_ns || always)
		count_time(key, 1, at->still_ns, at->still_ns, tally);
}

/* The pass and the thread itself may come to close an account at the same time: true for one of them. */
static __always_inline bool is_to_be_closed(struct thread *t)
{
	return !__sync_lock_test_and_set(&t->closed, 1);
}

#endif
