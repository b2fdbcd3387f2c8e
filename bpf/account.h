/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account.h: a thread's account, on its way into the counts and to user space: what was charged for
 * a block or a wait, with the thread's stacks once it is back on a CPU; and all that is left when
 * the thread, or the window, ends.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

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

static __always_inline void take_account(struct wick_thread_body *body, const struct thread *t,
					 u64 end, u64 now)
{
	body_begin(&body->body, WICK_BODY_THREAD, 0, 0, now);
	body->leg = t->known.id;
	body->begin = t->begin;
	body->end = end;
	body->running = t->running;
	body->queued = t->queued;
	body->preempted = t->preempted;
	body->blocked = t->blocked;
}

static __always_inline void send_thread(const struct thread *t, u64 end, u64 now,
					struct wick_counters *tally)
{
	struct wick_thread_body body;

	take_account(&body, t, end, now);
	if (bpf_ringbuf_output(&bodies, &body, sizeof(body), wakeup_flag()))
		tally->at[WICK_LOST_ACCOUNT]++;
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

/*
 * Counts both stretches, with the stacks and the leg of the key. `always`: also what is no time at
 * all.
 */
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

/*
 * The final pass and the thread itself can race to close the account: exactly one of them gets
 * true.
 */
static __always_inline bool claim_account(struct thread *t)
{
	return !take_word(&t->closed);
}

/* Counts what a thread was charged, with the stacks of a key. */
OWN_FRAME void charge(struct thread *t, const struct wick_key *stacks, u32 flags, u64 now,
		      struct wick_counters *tally)
{
	struct wick_key key = *stacks;

	key.kind = WICK_SCHED;
	key.leg = t->known.id;
	if (t->block_charge) {
		struct wick_columns columns = {
			.column = {t->nr_block_sleeps, t->block_charge, t->block_length}};

		key.chain = t->chain;
		key.state = t->block_state | flags;
		count(&key, &columns, tally);
		if (t->block_length >= control.long_block) {
			struct wick_block_body block = {
				.leg = key.leg,
				.user = key.user,
				.kernel = key.kernel,
				.chain = key.chain,
				.ns = t->block_length,
				.state = key.state,
			};

			body_begin(&block.body, WICK_BODY_BLOCK, 0, 0, now);
			if (bpf_ringbuf_output(&bodies, &block, sizeof(block), wakeup_flag()))
				tally->at[WICK_LOST_BLOCK]++;
		}
	}
	if (t->wait_charge) {
		struct wick_columns columns = {.column = {1, t->wait_charge, t->wait_charge}};

		key.chain = 0;
		key.state = t->wait_state | flags;
		count(&key, &columns, tally);
	}
	t->block_charge = t->wait_charge = 0;
}

/* Without a hook at the end of the switch: takes the stacks of every thread that leaves. */
static __always_inline void walk_leaver(void *ctx, struct task_struct *task, struct thread *t,
					u64 now, struct wick_counters *tally)
{
	struct scratch *s;

	t->user = t->kernel = 0;
	if (t->known.wanted == UNWANTED)
		return;
	s = scratch_take(tally);
	if (!s)
		return;
	if (take_leg(s, task, &t->known, now, tally)) {
		take_stacks(ctx, s, task, now, tally);
		t->user = s->key.user;
		t->kernel = s->key.kernel;
	}
	scratch_give_back(s);
}

/*
 * The current task, which leaves its CPU, was not seen to come to it: the wait that it was charged
 * for has no stacks.
 */
OWN_FRAME void count_hidden(struct task_struct *task, struct thread *t, u64 now,
			    struct wick_counters *tally)
{
	struct scratch *s = scratch_take(tally);

	if (!s)
		return;
	if (take_leg(s, task, &t->known, now, tally)) {
		struct wick_key key = {};

		charge(t, &key, WICK_STATE_NOT_WALKED, now, tally);
	}
	scratch_give_back(s);
}

/*
 * Closes the account of the current task, which exits, or runs again, after the window ended and
 * before the final pass reached it. Its stacks are in s->key; none if it exits.
 */
OWN_FRAME void close_late(struct scratch *s, struct thread *t, u32 flags, u64 now,
			  struct wick_counters *tally)
{
	struct standing at = {};

	if (!claim_account(t))
		return;
	close_account(t, window.end, &at);
	s->key.kind = WICK_SCHED;
	s->key.leg = t->known.id;
	count_standing(t, &at, &s->key, flags, false, tally);
	count_short(t, tally);
	send_thread(t, window.end, now, tally);
}

OWN_FRAME void ends_late(struct task_struct *task, struct thread *t, u64 now,
			 struct wick_counters *tally)
{
	struct scratch *s = scratch_take(tally);

	if (!s)
		return;
	s->key.user = s->key.kernel = 0;
	if (take_leg(s, task, &t->known, now, tally))
		close_late(s, t, WICK_STATE_NOT_WALKED, now, tally);
	scratch_give_back(s);
}

/* Walks the current task, which has just come back to a CPU, and counts what it was charged. */
static __always_inline void walk_comer(void *ctx, struct task_struct *task, u64 now,
				       struct wick_counters *tally)
{
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);
	struct scratch *s;

	if (!t)
		return;
	s = scratch_take(tally);
	if (!s)
		return;
	if (take_leg(s, task, &t->known, now, tally)) {
		take_stacks(ctx, s, task, now, tally);
		if (t->on > t->off && t->on < window.end)
			charge(t, &s->key, 0, now, tally);
		else
			close_late(s, t, 0, now, tally);
	}
	scratch_give_back(s);
}

/* A thread's last switch-out. */
OWN_FRAME void ends(struct thread *t, struct task_struct *task, u64 now,
		    struct wick_counters *tally)
{
	struct scratch *s = scratch_take(tally);

	if (!s)
		return;
	if (take_leg(s, task, &t->known, now, tally) && claim_account(t)) {
		count_short(t, tally);
		send_thread(t, now, now, tally);
	}
	scratch_give_back(s);
}

#endif
