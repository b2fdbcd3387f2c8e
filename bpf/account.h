/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account.h: a thread's account, on its way into the counts and to user space: what was charged
 * for a block or a wait, with the thread's stacks once it is back on a CPU; and all that is left
 * when the thread, or the window, ends.
 */
#ifndef ACCOUNT_H
#define ACCOUNT_H

#include "count.h"
#include "hops.h"
#include "intern.h"
#include "io_limit.h"
#include "log.h"
#include "sampling.h"

/*
 * Counts a stretch off-CPU, `nr` of `ns` in all, with leg and stacks of the key. `wakeup` is what
 * ended it; NULL: a wait for a CPU, or what has not ended.
 */
static __always_inline void count_stretch(struct wick_key *key, u32 state,
					  const struct wick_wakeup *wakeup, u64 nr, u64 ns,
					  u64 longest, struct wick_counters *tally)
{
	struct wick_columns columns = {.column = {nr, ns, longest}};

	key->kind = WICK_SCHED;
	key->state = state;
	key->wakeup = wakeup ? *wakeup : (struct wick_wakeup){};
	count(key, &columns, tally);
}

/* What is left in the accounts of a thread that ends. */
VERIFIED_ONCE int count_short(struct thread *t, struct wick_counters *tally)
{
	struct wick_key key = {};

	if (!t || !tally)
		return 0;
	take_back_block(t);
	take_back_wait(t);
	key.leg = t->known.id;
	if (t->short_sleep)
		count_stretch(&key, 'S' | WICK_STATE_SHORT, NULL, t->nr_short_sleeps,
			      t->short_sleep, 0, tally);
	if (t->short_queue)
		count_stretch(&key, 'Q' | WICK_STATE_SHORT, NULL, 0, t->short_queue, 0, tally);
	if (t->short_preempt)
		count_stretch(&key, 'R' | WICK_STATE_SHORT, NULL, 0, t->short_preempt, 0, tally);
	t->short_sleep = t->short_queue = t->short_preempt = 0;
	return 0;
}

/* Nothing of its accounts is counted of a cause. */
static __always_inline void finish_short(struct thread *t, struct wick_counters *tally)
{
	if (is_counted(t))
		count_short(t, tally);
}

/* `last_ran` is the part of its running time that had not ended. */
static __always_inline void take_account(struct wick_thread_body *body, const struct thread *t,
					 u64 last_ran, u64 end, u64 now)
{
	body_begin(&body->body, WICK_BODY_THREAD, 0, 0, now);
	body->leg = t->known.id;
	body->begin = t->begin;
	body->end = end;
	body->running = t->running;
	body->queued = t->queued;
	body->preempted = t->preempted;
	body->blocked = t->blocked;
	body->unaccounted = t->unaccounted;
	body->ran = t->ran;
	body->last_ran = last_ran;
	body->last_cpu = t->cpu;
	body->still = 0;
	body->still_ns = 0;
	body->user = body->kernel = body->object = 0;
	body->object_kind = body->holder = 0;
}

static __always_inline void send_account(const struct wick_thread_body *body,
					 struct wick_counters *tally)
{
	if (bpf_ringbuf_output(&bodies, (void *)body, sizeof(*body), wakeup_flag()))
		tally->at[WICK_LOST_ACCOUNT]++;
}

/* What a thread is doing when the window ends. */
struct standing {
	u64 blocked_ns; /* a block that has ended, of a thread that has not run since */
	u64 still_ns;	/* what has not ended */
	u64 ran_ns;	/* ... of running */
	u32 still;	/* its state */
	u32 blocked;	/* and that of the block */
};

/* What the thread stood at, into its account; `key` has its stacks, and the scratch the object. */
static __always_inline void take_standing(struct scratch *s, const struct standing *at,
					  const struct wick_key *key, u32 flags)
{
	struct wick_thread_body *body = &s->account;

	if (!at->still_ns)
		return;
	body->still = at->still | flags | WICK_STATE_STILL;
	body->still_ns = at->still_ns;
	body->user = key->user;
	body->kernel = key->kernel;
	if (!is_blocked_state(at->still))
		return;
	body->object = s->object.id;
	body->object_kind = s->object.kind;
	body->holder = s->object.holder;
}

/* Closes the account of a thread that was seen. */
static __always_inline void close_account(struct thread *t, u64 end, struct standing *at)
{
	u64 off = t->off ? t->off : t->begin;

	if (t->on > t->off) { /* it runs */
		at->ran_ns = span(t->on, end);
		t->running += at->ran_ns;
		t->ran += at->ran_ns;
		return;
	}
	if (!is_blocked_state(t->state)) {
		at->still_ns = span(off, end);
		at->still = (t->state & WICK_STATE_LETTER) == 'R' ? 'R' : 'Q';
		at->still |= t->state & (WICK_STATE_NEVER_RAN | WICK_STATE_THROTTLED);
		if ((t->state & WICK_STATE_LETTER) == 'R')
			t->preempted += at->still_ns;
		else
			t->queued += at->still_ns;
	} else if (t->wake >= off) {
		at->blocked_ns = t->block.charge;
		at->blocked = t->state;
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

/* How many sleeps a block's charge is for; they leave the account. */
static __always_inline u32 take_sleeps(struct thread *t)
{
	u32 nr = t->nr_short_sleeps;

	if (t->block.charge == t->block.length)
		return 1;
	t->nr_short_sleeps = 0;
	return nr;
}

/*
 * Counts both stretches, with the stacks and the leg of the key. `always`: also what is no time at
 * all.
 */
static __always_inline void count_standing(struct scratch *s, struct task_struct *task,
					   struct thread *t, const struct standing *at,
					   struct wick_key *key, u32 flags, bool always,
					   struct wick_counters *tally)
{
	if (at->blocked_ns) {
		key->state = flags;
		log_woken(s, task, t, key, tally);
		if (is_counted(t))
			count_stretch(key, at->blocked | flags, wakeup_of(task, t), take_sleeps(t),
				      at->blocked_ns, at->blocked_ns, tally);
	}
	t->block.charge = 0;
	if (is_counted(t) && (at->still_ns || always))
		count_stretch(key, at->still | flags | WICK_STATE_STILL, NULL, 1, at->still_ns,
			      at->still_ns, tally);
}

/*
 * The final pass and the thread itself can race to close the account: exactly one of them gets
 * true.
 */
static __always_inline bool claim_account(struct thread *t)
{
	return !take_word(&t->closed);
}

/* Counts what a thread was charged, with leg and stacks of the key. */
OWN_FRAME void charge(struct scratch *s, struct task_struct *task, struct thread *t, u32 flags,
		      struct wick_counters *tally)
{
	const struct block *block = &t->block;
	struct wick_key *key = &s->key;

	key->state = flags;
	log_stretch(s, task, t, tally);
	if (block->charge && is_counted(t))
		count_stretch(key, t->state | flags, wakeup_of(task, t), take_sleeps(t),
			      block->charge, block->length, tally);
	if (t->wait_charge && is_counted(t))
		count_stretch(key, t->wait_state | (t->state & WICK_STATE_THROTTLED) | flags, NULL,
			      1, t->wait_charge, t->wait_charge, tally);
	t->block.charge = t->wait_charge = 0;
}

/*
 * Without a hook at the end of the switch: takes the stacks of the thread that leaves, whatever
 * will come of it, as long as there is time for that. False: there are none.
 */
static __always_inline bool walk_leaver(void *ctx, struct task_struct *task, struct thread *t,
					struct wick_sched_cpu *cpu, u64 now,
					struct wick_counters *tally)
{
	_cleanup_(scratch_give_back) struct scratch *s = NULL;
	struct left_stacks *left = left_stacks_of(task, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!left)
		return false;
	left->user = left->kernel = 0;
	if (t->known.wanted == UNWANTED || !within_budget(cpu))
		return false;
	s = scratch_take(tally);
	if (!s || !take_thread(s, task, t, now, tally))
		return false;
	take_stacks(ctx, s, task, !is_bystander(t), now, tally);
	left->user = s->key.user;
	left->kernel = s->key.kernel;
	return true;
}

/*
 * The current task, which leaves its CPU, was not seen to come to it: the wait that it was charged
 * for has no stacks.
 */
OWN_FRAME void count_hidden(struct task_struct *task, struct thread *t, u64 now,
			    struct wick_counters *tally)
{
	_cleanup_(scratch_give_back) struct scratch *s = scratch_take(tally);

	if (s && take_thread(s, task, t, now, tally))
		charge(s, task, t, WICK_STATE_NOT_WALKED, tally);
}

/*
 * Closes the account of the current task, which exits, or runs again, after the window ended and
 * before the final pass reached it. Its stacks are in s->key; none if it exits.
 */
OWN_FRAME void close_late(struct scratch *s, struct task_struct *task, struct thread *t, u32 flags,
			  struct wick_counters *tally)
{
	struct standing at = {};

	if (!claim_account(t))
		return;
	close_account(t, window.end, &at);
	count_standing(s, task, t, &at, &s->key, flags, false, tally);
	finish_short(t, tally);
	take_account(&s->account, t, at.ran_ns, window.end, bpf_ktime_get_ns());
	take_standing(s, &at, &s->key, flags);
	send_account(&s->account, tally);
}

OWN_FRAME void ends_late(struct task_struct *task, struct thread *t, u64 now,
			 struct wick_counters *tally)
{
	_cleanup_(scratch_give_back) struct scratch *s = scratch_take(tally);

	if (s && take_thread(s, task, t, now, tally))
		close_late(s, task, t, WICK_STATE_NOT_WALKED, tally);
}

/* What held a wait for a disk back goes with its state. */
static __always_inline void note_io_limit(struct thread *t, struct task_struct *task, u64 now)
{
	if (is_blocked_state(t->state) && t->state & WICK_STATE_IO &&
	    was_held_back(task, span(t->off, now)))
		t->state |= WICK_STATE_IO_LIMIT;
}

/*
 * Walks the current task, which has just come back to a CPU, and counts what it was charged. True
 * for a stall.
 */
static __always_inline bool walk_comer(void *ctx, struct task_struct *task, u64 now,
				       struct wick_counters *tally)
{
	_cleanup_(scratch_give_back) struct scratch *s = scratch_take(tally);
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);

	if (!s || !t || !take_thread(s, task, t, now, tally))
		return false;
	take_stacks(ctx, s, task, wants_user_stacks(t), now, tally);
	if (is_blocked_state(t->state))
		take_object(s, task, now, tally);
	note_io_limit(t, task, now);
	if (t->on > t->off && t->on < window.end)
		charge(s, task, t, 0, tally);
	else
		close_late(s, task, t, 0, tally);
	return t->is_stall;
}

/* A thread's last switch-out. */
OWN_FRAME void ends(struct thread *t, struct task_struct *task, u64 now,
		    struct wick_counters *tally)
{
	_cleanup_(scratch_give_back) struct scratch *s = scratch_take(tally);

	if (!s || !take_thread(s, task, t, now, tally) || !claim_account(t))
		return;
	finish_short(t, tally);
	take_account(&s->account, t, 0, now, now);
	send_account(&s->account, tally);
}

#endif
