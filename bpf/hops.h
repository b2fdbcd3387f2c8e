/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hops.h: which thread wakes which, and why it could run itself.
 *
 * At a wakeup the sleeper takes over the hops of its waker: the one that has just happened, then
 * those that explain why the waker itself could run. A hop is a cause only if it happened in time:
 * that U woke V explains W's wait for V only if W was asleep already when U woke V. So the list is
 * cut at the first hop that is older than the sleep it would explain; what V has was cut in the
 * same way when V was woken.
 *
 * A wakeup from an interrupt is no task's doing. The task that it interrupted is a bystander, and
 * its own hops explain nothing. A softirq can be either: it may be a task's own call (a local
 * send), or run when an interrupt ends. The kernel stack tells them apart, by names; user space
 * reads it.
 */
#ifndef HOPS_H
#define HOPS_H

#include "sampling.h"
#include "intern.h"

struct hop {
	u64 id;
	u64 time; /* of the wakeup */
};

/* What is known of a thread as a waker, and of its own last wakeup. */
struct hops_head {
	u64 hop;		   /* as a waker that is not walked: waker.h */
	struct wick_wakeup wakeup; /* if its block was worth a walk */
	u32 hop_mark;		   /* of the leg in `hop` */
	u16 nr;			   /* of the hops that follow; 0: it was not woken yet */
	u16 end;		   /* enum wick_chain_end */
};

/* Why a thread could run: newest first. Only as many are touched as settings.depth says. */
struct hops {
	struct hops_head head;
	struct hop at[WICK_MAX_DEPTH];
};

enum { SHALLOW_DEPTH = 8 };

struct shallow_hops {
	struct hops_head head;
	struct hop at[SHALLOW_DEPTH];
};

/*
 * Task storage lives as long as the task: 32 hops are not paid for where the default of 8 is
 * enough.
 */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct shallow_hops);
} hops_shallow __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct hops);
} hops_deep __weak SEC(".maps");

static __always_inline struct hops *hops_of(struct task_struct *task, u64 flags)
{
	if (settings.depth > SHALLOW_DEPTH)
		return bpf_task_storage_get(&hops_deep, task, NULL, flags);
	return bpf_task_storage_get(&hops_shallow, task, NULL, flags);
}

/* The count of what has been entered on this CPU: preemption off, softirqs, interrupts. */
#if defined(__TARGET_ARCH_arm64)
static __always_inline u32 preempt_count(struct task_struct *current, struct wick_sched_cpu *cpu)
{
	return (u32)BPF_CORE_READ(current, thread_info.preempt_count);
}
#else
static __always_inline u32 preempt_count(struct task_struct *current, struct wick_sched_cpu *cpu)
{
	u32 count = 0;

	if (!settings.preempt_count_at || !bpf_core_field_exists(current->se.cfs_rq))
		return 0;
	if (!cpu->rq)
		cpu->rq = (u64)BPF_CORE_READ(current, se.cfs_rq, rq);
	bpf_probe_read_kernel(&count, sizeof(count), (void *)(cpu->rq + settings.preempt_count_at));
	return count;
}
#endif

/* Where the count cannot be read, the stack has to tell, of those that are walked. */
static __always_inline u32 cause_by_stack(bool walk)
{
	return walk ? WICK_BY_SOFTIRQ : WICK_BY_TASK;
}

static __always_inline u32 cause_of(struct task_struct *current, struct wick_sched_cpu *cpu,
				    bool walk)
{
	u32 count = preempt_count(current, cpu);

	if (settings.no_preempt_count)
		return cause_by_stack(walk);
	if (count & settings.interrupt_bits)
		return WICK_BY_INTERRUPT;
	return count & SOFTIRQ_SERVED ? WICK_BY_SOFTIRQ : WICK_BY_TASK;
}

static __always_inline u64 hop_intern(struct wick_hop_body *hop, u64 now,
				      struct wick_counters *tally)
{
	struct hash_state h;

	hash_begin(&h, hop->leg, WICK_BODY_HOP);
	h.lane[1] = hash_lane(h.lane[1], hop->user, hop->kernel);
	h.lane[2] = hash_lane(h.lane[2], hop->cause, 0);
	body_begin(&hop->body, WICK_BODY_HOP, 0, hash_end(&h), now);
	intern(&hop->body, sizeof(*hop), 0, tally);
	return hop->body.id;
}

/*
 * The hops of a sleeper that `id` woke `now`, after it had slept since `since`: the new one, then
 * the waker's that still explain it. `waker` can be NULL.
 */
static __always_inline void take_hops(struct hops *to, u64 id, u64 now, u64 since,
				      const struct hops *waker)
{
	bool has_waker = waker && waker->head.nr;

	to->at[0].id = id;
	to->at[0].time = now;
	to->head.nr = 1;
	to->head.end = has_waker || since > window.begin ? WICK_CHAIN_RUNNING : WICK_CHAIN_BEFORE;
	if (!has_waker || waker == to)
		return;
	for (u32 i = 0; i < WICK_MAX_DEPTH && i < settings.depth; i++) {
		u64 hop = waker->at[i].id, time = waker->at[i].time;

		if (i >= waker->head.nr) {
			to->head.end = waker->head.end;
			/* What lies before the window is no cause of a sleep that began in it. */
			if (to->head.end == WICK_CHAIN_BEFORE && since > window.begin)
				to->head.end = WICK_CHAIN_RUNNING;
			return;
		}
		if (time < since)
			return;
		if (hop == id) {
			to->head.end = WICK_CHAIN_CYCLE;
			return;
		}
		if (i + 1 >= settings.depth)
			break;
		to->at[i + 1].id = hop;
		to->at[i + 1].time = time;
		to->head.nr = i + 2;
	}
	to->head.end = WICK_CHAIN_DEPTH;
}

/*
 * The wakeup that ended the last block of a task, which `t` is about, and was worth a walk; NULL
 * where it was not seen.
 */
static __always_inline const struct wick_wakeup *wakeup_of(struct task_struct *task,
							   const struct thread *t)
{
	struct hops *hops = settings.depth ? hops_of(task, 0) : NULL;

	if (!hops || hops->at[0].time != t->wake || t->wake < t->off)
		return NULL;
	return &hops->head.wakeup;
}

/* A chain on its way out, with room for what pads it to a step of the hash. */
struct chain {
	struct wick_chain_body head;
	u64 hops[WICK_MAX_DEPTH + HASH_STEP];
};

/* The chain of a thread's hops: its id, the body sent when it is new. */
static __always_inline u64 chain_intern(struct chain *chain, const struct hops *hops, u64 now,
					struct wick_counters *tally)
{
	struct hash_state h;
	u32 nr = hops->head.nr, size;

	if (!nr || nr > WICK_MAX_DEPTH)
		return 0;
	for (u32 i = 0; i < WICK_MAX_DEPTH && i < settings.depth; i++)
		chain->hops[i] = i < nr ? hops->at[i].id : 0;
	hash_begin(&h, (u64)hops->head.end << 8 | WICK_BODY_CHAIN, nr);
	for (u32 i = 0; i < WICK_MAX_DEPTH && i < settings.depth; i += HASH_STEP)
		hash_step(&h, chain->hops + i);
	chain->head.end = hops->head.end;
	chain->head.pad = 0;
	body_begin(&chain->head.body, WICK_BODY_CHAIN, nr, hash_end(&h), now);
	size = sizeof(chain->head) + nr * sizeof(u64);
	return intern(&chain->head.body, size, size, tally) ? chain->head.body.id : 0;
}

#endif
