/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waker.h: at a wakeup, the hop that it adds to the sleeper's chain. See hops.h. */
#ifndef WAKER_H
#define WAKER_H

#include "hops.h"
#include "capture_thread.h"
#include "strangers.h"
#include "thread.h"

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WICK_SCRATCH_LEVELS);
	__type(key, u32);
	__type(value, struct chain);
} chain_scratches __weak SEC(".maps");

enum { NEW_LEGS_A_PERIOD = 50 }; /* bounds the new legs of a task that keeps renaming itself */

/* The id of the current task's leg, the body sent if need be. */
static __always_inline u64 leg_id(struct scratch *s, struct task_struct *task, struct thread *t,
				  struct wick_sched_cpu *cpu, u64 now, struct wick_counters *tally)
{
	const struct known_leg *known = &t->known;
	bool is_old = known->id && known->mark != leg_mark(task);

	if (is_old && cpu->new_legs++ >= NEW_LEGS_A_PERIOD)
		is_old = false;
	if (!known->id || is_old || !was_seen(known->id))
		take_thread(s, task, t, now, tally);
	return known->id;
}

/* The waker as a hop of `t`; with its stacks when the sleep was worth a walk. */
static __always_inline u64 waker_hop(void *ctx, struct scratch *s, struct task_struct *waker,
				     struct thread *w, const struct thread *t,
				     struct wick_sched_cpu *cpu, u32 cause, bool walk, u64 now,
				     struct wick_counters *tally)
{
	struct wick_hop_body *hop = &s->hop;

	hop->leg = hop->user = hop->kernel = 0;
	hop->cause = cause;
	hop->pad = 0;
	if (cause != WICK_BY_INTERRUPT && w)
		hop->leg = walk ? (take_thread(s, waker, w, now, tally), w->known.id)
				: leg_id(s, waker, w, cpu, now, tally);
	/*
	 * The kernel stack tells whether a softirq is the task's doing, and is taken for that as
	 * long as there is time. Without a leg, a user stack has no owner.
	 */
	if ((walk && (cause == WICK_BY_INTERRUPT || !w)) ||
	    (!walk && cause == WICK_BY_SOFTIRQ && has_time_to_spare(cpu))) {
		hop->kernel = kernel_stack(ctx, s, now, tally);
	} else if (walk) {
		take_stacks(ctx, s, waker, wants_user_stacks(t), now, tally);
		hop->user = s->key.user;
		hop->kernel = s->key.kernel;
	}
	return hop_intern(hop, now, tally);
}

/* A slot for each of the scratches. */
static __always_inline struct chain *chain_scratch(const struct scratch *s)
{
	u32 slot = s->slot;

	return bpf_map_lookup_elem(&chain_scratches, &slot);
}

/*
 * The hop of a waker that is not walked depends on its leg alone, or on nothing for an interrupt.
 * So it is kept, for as long as that does not change; an epoch is part of a leg's mark.
 */
static __always_inline u64 known_hop(struct task_struct *waker, const struct hops *wakers,
				     const struct wick_sched_cpu *cpu, u32 cause)
{
	if (cause == WICK_BY_INTERRUPT)
		return cpu->hop_epoch == window.epoch + 1 ? cpu->interrupt_hop : 0;
	if (cause == WICK_BY_TASK && wakers && wakers->head.hop &&
	    wakers->head.hop_mark == leg_mark(waker))
		return wakers->head.hop;
	return 0;
}

static __always_inline void keep_hop(const struct thread *w, struct hops *wakers,
				     struct wick_sched_cpu *cpu, u32 cause, u64 id)
{
	if (!was_seen(id)) /* it could not be sent */
		return;
	if (cause == WICK_BY_INTERRUPT) {
		cpu->interrupt_hop = id;
		cpu->hop_epoch = window.epoch + 1;
	} else if (cause == WICK_BY_TASK && w && wakers) {
		wakers->head.hop = id;
		wakers->head.hop_mark = w->known.mark;
	}
}

/*
 * `task`, which `t` is about, is being made runnable by what runs here. True when a stack was
 * walked.
 */
static __always_inline bool follow_waker(void *ctx, struct task_struct *task, struct thread *t,
					 struct wick_sched_cpu *cpu, u64 since, bool walk,
					 bool fork, u64 now, struct wick_counters *tally)
{
	_cleanup_(scratch_give_back) struct scratch *s = NULL;
	struct task_struct *waker = bpf_get_current_task_btf();
	u32 cause = fork ? WICK_BY_FORK : cause_of(waker, cpu, walk);
	struct hops *hops, *wakers = NULL;
	struct chain *chain = NULL;
	struct thread *w = NULL;
	u64 id = 0;

	hops = hops_of(task, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!hops) {
		tally->at[WICK_LOST_THREAD]++;
		return false;
	}
	if (cause != WICK_BY_INTERRUPT && waker->pid)
		w = thread_of(waker, now, tally);
	if (cause == WICK_BY_TASK || cause == WICK_BY_SOFTIRQ)
		wakers = hops_of(waker, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!walk)
		id = known_hop(waker, wakers, cpu, cause);
	if (!id) {
		s = scratch_take(tally);
		if (!s)
			return false;
		id = waker_hop(ctx, s, waker, w, t, cpu, cause, walk, now, tally);
		if (!walk)
			keep_hop(w, wakers, cpu, cause, id);
		else
			chain = chain_scratch(s);
	}
	take_hops(hops, id, now, since, wakers);
	if (cause == WICK_BY_INTERRUPT || cause == WICK_BY_FORK)
		hops->head.end = cause == WICK_BY_FORK ? WICK_CHAIN_FORK : WICK_CHAIN_INTERRUPT;
	if (filter.causes && w)
		note_link(w, t);
	hops->head.wakeup.chain = chain ? chain_intern(chain, hops, now, tally) : 0;
	return walk || (s && s->hop.kernel);
}

#endif
