/* SPDX-License-Identifier: GPL-2.0-or-later */
/* take.h: the current task's leg and stacks, where a thread's own state goes with them. */
#ifndef TAKE_H
#define TAKE_H

#include "capture.h"
#include "decide.h"

#include "leg.h"
#include "thread.h"

/* What identifies a leg, short of reading all of it: a thread's name changes, and so does its image. */
static __always_inline u64 leg_mark(struct task_struct *task)
{
	u64 comm[2];

	bpf_core_read(comm, sizeof(comm), &task->comm);
	return (comm[0] ^ (comm[1] << 13 | comm[1] >> 51) ^ (u64)task->self_exec_id << 32 ^
		(u64)BPF_CORE_READ(task, cgroups)) |
	       1;
}

/*
 * The leg of a task, read into s->leg and sent; false when the filters leave it out. `address` is the task's, as a
 * number.
 */
static __always_inline bool take_leg_at(struct scratch *s, struct task_struct *task, u64 address,
					struct thread *t, u64 now, struct wick_counters *tally)
{
	u64 id;

	leg_capture(&s->leg.leg, address, thread_kind(task));
	t->wanted = !(filter.self_tgid && s->leg.leg.tgid == filter.self_tgid) &&
				    wanted(&s->leg.leg, address)
			    ? 1
			    : 2;
	id = leg_hash(&s->leg.leg);
	leg_intern(s, id, now, tally);
	t->leg = id;
	t->leg_mark = leg_mark(task);
	return t->wanted == 1;
}

static __always_inline bool take_leg(struct scratch *s, struct task_struct *current,
				     struct thread *t, u64 now, struct wick_counters *tally)
{
	return take_leg_at(s, current, bpf_get_current_task(), t, now, tally);
}

enum { NEW_LEGS_A_PERIOD = 50 }; /* who renames himself all the time shall not fill our memory */

/* The id of the current task's leg, the body sent if need be. */
static __always_inline u64 leg_id(struct scratch *s, struct task_struct *task, struct thread *t,
				  struct wick_sched_cpu *cpu, u64 now, struct wick_counters *tally)
{
	bool is_old = t->leg && t->leg_mark != leg_mark(task);

	if (is_old && cpu->new_legs++ >= NEW_LEGS_A_PERIOD)
		is_old = false;
	if (!t->leg || is_old || !was_seen(t->leg))
		take_leg(s, task, t, now, tally);
	return t->leg;
}

/* What the filters have left out may be another by now: renamed, another program, moved to another cgroup. */
static __always_inline void look_again(struct thread *t, struct task_struct *task)
{
	if (t->wanted == 2 && t->leg_mark != leg_mark(task))
		t->wanted = 0;
}

/* Both stacks into s->key. */
static __always_inline void take_stacks(void *ctx, struct scratch *s, struct task_struct *task,
					u64 now, struct wick_counters *tally)
{
	struct wick_key *key = &s->key;

	key->user = 0;
	key->kernel = filter.no_kernel_stack ? 0 : kernel_stack(ctx, s, now, tally);
	if (filter.no_user_stack || !has_user_stack(task, &s->leg.leg))
		return;
	walk_begin_in_kernel(&s->walk, task);
	walk_user(s, (u64)BPF_CORE_READ(task, mm));
	key->user = user_stack(task, s, now, tally);
}

#endif
