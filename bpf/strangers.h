/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strangers.h: threads that the filters leave out, at switches and wakeups. Most of a host's are,
 * and they cost little: a small cache has their numbers, so that nothing of them is read, and no
 * clock. They have no stamps and no account.
 *
 * Not so where chains are followed: any thread can be why one that is wanted waits. There nobody is
 * a stranger but wick, and what the filters leave out is logged, and not counted. The budget is for
 * threads that are wanted, and for those that have woken one of them, or have woken such a thread,
 * up to the depth of a chain: these are links, and known as such within a few wakeups. What others
 * wait for is walked as long as there is time to spare, and their stamps are not charged, so that
 * who is wanted is seen as well on a busy host as on a quiet one.
 */
#ifndef STRANGERS_H
#define STRANGERS_H

#include "sampling.h"
#include "thread.h"

/* A thread is asked for again after 25 to 250 ms: its name, image or cgroup may be another. */
enum { ASK_AGAIN_JIFFIES = 25 };

enum { ASKED_MASK = 0xffffff };

static __always_inline u32 jiffies_since(u32 asked)
{
	return ((u32)bpf_jiffies64() - asked) & ASKED_MASK;
}

static __always_inline bool is_asked(const struct thread *t)
{
	return t->known.wanted != WANTED_UNKNOWN &&
	       (t->known.wanted == WANTED || jiffies_since(t->known.asked) < ASK_AGAIN_JIFFIES);
}

static __always_inline bool is_left_out(const struct thread *t)
{
	return settings.filtered && t->known.wanted == UNWANTED;
}

enum {
	STRANGERS = 8192,
	STRANGERS_EPOCH_BITS = 5, /* of jiffies: what is noted holds for 32 at most */
};

/* A thread's slot has its number and the epoch in which it was a stranger. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, STRANGERS);
	__type(key, u32);
	__type(value, u64);
} strangers __weak SEC(".maps");

static __always_inline u64 stranger_mark(u32 pid)
{
	return bpf_jiffies64() >> STRANGERS_EPOCH_BITS << 32 | pid;
}

static __always_inline u64 *stranger_slot(u32 pid)
{
	u32 slot = pid % STRANGERS;

	return bpf_map_lookup_elem(&strangers, &slot);
}

static __always_inline bool has_strangers(void)
{
	return settings.filtered && !filter.causes;
}

/* Is a task known to be a stranger? */
static __always_inline bool is_stranger(struct task_struct *task)
{
	u32 pid = (u32)task->pid;
	u64 *slot;

	if (!pid)
		return true;
	slot = stranger_slot(pid);
	return slot && *slot == stranger_mark(pid);
}

static __always_inline void note_stranger(struct task_struct *task, bool is)
{
	u32 pid = (u32)task->pid;
	u64 *slot = has_strangers() ? stranger_slot(pid) : NULL;

	if (slot && (is || (u32)*slot == pid))
		*slot = is ? stranger_mark(pid) : 0;
}

/* A thread has come to be wanted: its stamps and its account begin here. */
static __always_inline void begin_here(struct thread *t, struct task_struct *task, u64 now)
{
	start_over(t, now);
	t->on = t->off = t->wake = 0;
	t->sum_exec = BPF_CORE_READ(task, se.sum_exec_runtime);
}

/* How many links a chain that ends at this thread can have. */
static __always_inline u32 links_of(const struct thread *t)
{
	return t->known.wanted == WANTED ? settings.depth : t->links;
}

/* The current task, of which `w` is known, has woken the thread: a link of its chain. */
static __always_inline void note_link(struct thread *w, const struct thread *t)
{
	u32 links = links_of(t);

	if (links > w->links + 1)
		w->links = (u8)(links - 1);
}

/* May a stretch of the thread be walked? */
static __always_inline bool may_be_walked(const struct thread *t, const struct wick_sched_cpu *cpu)
{
	return !is_bystander(t) || has_time_for_bystanders(cpu);
}

/* Asks the filters, if need be. `argument` is the tracepoint's that the task came as. */
OWN_FRAME void ask_filters(struct task_struct *task, const unsigned long long *argument,
			   struct thread *t, u64 now, struct wick_counters *tally)
{
	_cleanup_(scratch_give_back) struct scratch *s = NULL;
	bool was_unwanted = is_unwanted(&t->known);
	u64 address = 0;

	t->known.asked = bpf_jiffies64() & ASKED_MASK;
	look_again(&t->known, task);
	if (t->known.wanted != WANTED_UNKNOWN)
		return;
	s = scratch_take(tally);
	if (!s)
		return;
	bpf_probe_read_kernel(&address, sizeof(address), argument);
	leg_capture(&s->leg.leg, address, thread_kind(task));
	t->known.wanted = ask_of(&s->leg.leg, address);
	/* The leg has to be taken yet of one that is followed. */
	t->known.mark = t->known.wanted == UNWANTED ? leg_mark(task) : 0;
	if (was_unwanted && t->known.wanted == WANTED)
		begin_here(t, task, now);
}

/* Is there nothing to be followed of a task? */
static __always_inline bool leave_out(struct task_struct *task, const unsigned long long *argument,
				      struct thread *t, u64 now, struct wick_counters *tally)
{
	if (!settings.filtered)
		return false;
	if (!is_asked(t))
		ask_filters(task, argument, t, now, tally);
	if (!is_left_out(t))
		return false;
	note_stranger(task, true);
	return true;
}

#endif
