/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settle.h: what was decided for a thread, counted: with its stacks when it has come back to a CPU, without them where
 * that was not seen; and all that is left of it when it ends.
 */
#ifndef SETTLE_H
#define SETTLE_H

#include "ledger.h"

/* Counts what was decided for a thread, with the stacks of a key. */
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
				tally->at[WICK_LOST_BODY]++;
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

/* A thread that leaves, and is current, was not seen to come: what was decided for it then has no stacks. */
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
 * The current task, which was as it is now when the window ended, before the end's pass has come to it: it ends, and goes
 * without its stacks, or it comes back to a CPU, with the stacks in s->key.
 */
OWN_FRAME void close_late(struct scratch *s, struct thread *t, u32 flags, u64 now,
			  struct wick_counters *tally)
{
	struct standing at = {};

	if (!is_to_be_closed(t))
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

/* Walks the current task, which has just come back, and counts what was decided. */
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
	if (take_leg(s, task, &t->known, now, tally) && is_to_be_closed(t)) {
		count_short(t, tally);
		send_thread(t, now, now, tally);
	}
	scratch_give_back(s);
}

#endif
