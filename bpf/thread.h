/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * thread.h: what the sched instrument remembers of each thread, in the thread's own storage.
 *
 * Three stamps tell where a thread's time went: off and on, written by sched_switch only, and wake,
 * written by sched_waking only, one plain store. Neither clears the other's stamp: a wakeup can
 * race with the switch that it is for. All sums are made in sched_switch; for a thread that comes
 * back to a CPU
 *
 *	wake >= off		it slept from off to wake, then waited for a CPU
 *	on <= wake < off	woken before it was gone: all of it was waiting
 *	wake < on		its wakeup was not seen
 *
 * Nothing is stamped outside of the window, so no interval has to be clipped: a thread whose first
 * event is a wakeup has slept since the window began.
 *
 * Some switches are not seen: a kernel can skip a program. Then the scheduler's own clocks tell how
 * long the thread has run (run_clock.h), and what it did else is unaccounted.
 */
#ifndef THREAD_H
#define THREAD_H

#include "capture_thread.h"

/* A block that has ended: decided at the wakeup, counted when the thread is back on a CPU. */
struct block {
	u64 charge; /* ns; 0: nothing is to be counted */
	u64 length;
};

/*
 * There are as many as threads, and each switch reads two of them that are in no cache: what only
 * some runs need is elsewhere (hops.h, struct left_stacks).
 */
struct thread {
	u64 begin; /* of its time in the window: the window's, or its own */
	u64 off, on, wake;
	/* ns, up to the last stamp. unaccounted: after a switch that was not seen. */
	u64 running, queued, preempted, blocked, unaccounted;
	u64 ran;      /* running, as the scheduler's own clocks have it */
	u64 sum_exec; /* the scheduler's clock of it at the last stamp: run_clock.h */
	struct known_leg known;
	struct block block;
	u64 wait_charge; /* ns of the wait for a CPU that are to be counted */
	/* Accounts of what was too short to be walked, ns. */
	u64 short_sleep, short_queue, short_preempt;
	/* In units of 64 ns: how much of them brings the next walk; and from which length on a
	 * stretch is walked in any case. See sampling.h. */
	u32 above, stall;
	u32 nr_short_sleeps; /* since the last charge, of which the last is part */
	/* Its account: 0: not closed; 1: sent; else the read that brings it. */
	u32 closed;
	u16 state;     /* enum wick_state, since the last switch-out */
	u16 cpu;       /* where it came last */
	u8 wait_state; /* 'Q' or 'R': what wait_charge is */
	u8 is_stall;   /* what is walked next is one: outside of the budget */
	u8 links;      /* a cause, and for so many links of those that it woke: strangers.h */
	u8 moved;      /* it has run since the window ended */
};
/* With the head of 72 bytes, and 8 of the allocator, that is 256 bytes of memory, not 512. */
_Static_assert(sizeof(struct thread) <= 176, "a thread takes 256 bytes");

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct thread);
} threads __weak SEC(".maps");

/* Stacks, where they are taken before a switch. */
struct left_stacks {
	u64 user, kernel;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct left_stacks);
} left_stacks __weak SEC(".maps");

static __always_inline struct left_stacks *left_stacks_of(struct task_struct *task, u64 flags)
{
	return bpf_task_storage_get(&left_stacks, task, NULL, flags);
}

const volatile struct wick_sched_settings settings __weak = {};

struct wick_sched_control control __weak = {};

/* A thread's memory, made when it is first met; NULL, counted, when there is none to be had. */
static __always_inline struct thread *thread_of(struct task_struct *task, u64 now,
						struct wick_counters *tally)
{
	struct thread *t =
		bpf_task_storage_get(&threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!t) {
		tally->at[WICK_LOST_THREAD]++;
		return NULL;
	}
	if (!t->begin) {
		u64 born = task->start_time;

		t->begin = born > window.begin && born < now ? born : window.begin;
		t->sum_exec = BPF_CORE_READ(task, se.sum_exec_runtime);
	}
	return t;
}

/*
 * The filters did not want a thread, and do now: what it has done before `begin` is not in its
 * account, nor what it was charged for that.
 */
static __always_inline void start_over(struct thread *t, u64 begin)
{
	t->begin = begin;
	t->running = t->queued = t->preempted = t->blocked = t->unaccounted = t->ran = 0;
	t->short_sleep = t->short_queue = t->short_preempt = 0;
	t->nr_short_sleeps = 0;
	t->block = (struct block){};
	t->wait_charge = 0;
}

/* Of a thread that is followed and not counted, all is logged: it may be a cause. */
static __always_inline bool is_counted(const struct thread *t)
{
	return t->known.wanted == WANTED;
}

static __always_inline bool is_followed(const struct thread *t)
{
	return is_counted(t) || t->known.wanted == CAUSE;
}

/* The filters were asked again. */
static __always_inline void note_answer(struct thread *t, bool was_unwanted, u64 now)
{
	u64 last = t->on > t->off ? t->on : t->off;

	if (was_unwanted && is_counted(t))
		start_over(t, last ? last : now);
}

/* The leg of the current task, as take_leg(); true when the thread is followed. */
static __always_inline bool take_thread(struct scratch *s, struct task_struct *current,
					struct thread *t, u64 now, struct wick_counters *tally)
{
	bool was_unwanted = is_unwanted(&t->known);

	if (!take_leg(s, current, &t->known, now, tally))
		return t->known.wanted == CAUSE;
	note_answer(t, was_unwanted, now);
	return true;
}

/* Is the thread left out, and has woken none of those that are wanted? Most are, with a filter. */
static __always_inline bool is_bystander(const struct thread *t)
{
	return t->known.wanted == CAUSE && !t->links;
}

enum { LONG_NS = 100 * 1000 * 1000 };

/*
 * Are the user stacks of a stretch worth what they cost: unwind rows, and names, of the files of
 * all the host? Of bystanders only those of a long block, which may have held up others since.
 */
static __always_inline bool wants_user_stacks(const struct thread *t)
{
	return !is_bystander(t) || t->block.length >= LONG_NS;
}

/* From one stamp to another, which may be of two CPUs whose clocks are not quite alike. */
static __always_inline u64 span(u64 from, u64 to)
{
	return to > from ? to - from : 0;
}

/* The letter of a state, which is a mask: a freezable sleep is 0x2001, a killable one 0x102. */
static __always_inline u32 state_letter(u32 state)
{
	if (state & (TASK_STOPPED | TASK_TRACED))
		return 'T';
	if (state & TASK_INTERRUPTIBLE)
		return 'S';
	if ((state & TASK_UNINTERRUPTIBLE) && (state & TASK_NOLOAD))
		return 'I';
	if (state & TASK_PARKED)
		return 'I';
	return 'D';
}

static __always_inline u32 state_of(struct task_struct *task, u32 state)
{
	return state_letter(state) | (BPF_CORE_READ_BITFIELD(task, in_iowait) ? WICK_STATE_IO : 0);
}

/*
 * Has the thread, which leaves its CPU and could go on, to wait until its cgroup has a new quota?
 * Since 6.18 the thread is told when it leaves the kernel (throttle_cfs_rq_work() in
 * kernel/sched/fair.c); before, all of the group's queue is taken away, within this very switch.
 * One that is woken while its group has none is not told from others that wait for a CPU.
 */
static __always_inline bool is_throttled(struct task_struct *task)
{
	struct task_struct___quota *told = (void *)task;
	struct cfs_rq___quota *queue;

	if (bpf_core_field_exists(told->throttled))
		return BPF_CORE_READ(told, throttled);
	if (!bpf_core_field_exists(task->se.cfs_rq))
		return false;
	queue = (void *)BPF_CORE_READ(task, se.cfs_rq);
	return bpf_core_field_exists(queue->throttle_count) &&
	       BPF_CORE_READ(queue, throttle_count) > 0;
}

/* How a thread leaves that could go on. */
static __always_inline u16 preempted_state(struct task_struct *task)
{
	return is_throttled(task) ? 'R' | WICK_STATE_THROTTLED : 'R';
}

static __always_inline bool is_blocked_state(u32 state)
{
	u32 letter = state & WICK_STATE_LETTER;

	return letter && letter != 'R' && letter != 'Q';
}

#endif
