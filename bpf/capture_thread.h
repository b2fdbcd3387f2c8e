/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture_thread.h: the current task's leg and stacks, for instruments that meet a thread at many
 * events. What is known of its leg lies in the thread's own storage, so that the filters are asked
 * once, and again when its name, image or cgroup changes.
 */
#ifndef CAPTURE_THREAD_H
#define CAPTURE_THREAD_H

#include "capture.h"
#include "leg.h"

enum wanted {
	WANTED_UNKNOWN,
	WANTED,
	CAUSE,	  /* the filters leave it out, and it may be why others wait: see filter.causes */
	UNWANTED, /* wick itself; without filter.causes also what the filters leave out */
};

enum { MOST_NAMES = 31 };

struct known_leg {
	u64 id;		/* 0: not taken yet */
	u32 mark;	/* what it was made from; 0: its body could not be sent */
	u32 wanted : 3; /* enum wanted */
	u32 names : 5;	/* how many times its leg was another one than before; 31: or more */
	u32 asked : 24; /* when the filters were asked, jiffies: strangers.h */
};

/* After the filters were asked. */
static __always_inline bool is_unwanted(const struct known_leg *known)
{
	return known->wanted > WANTED;
}

/* Asks the filters of a leg that has been captured; `address` is the task's. */
static __always_inline enum wanted ask_of(const struct wick_leg *leg, u64 address)
{
	if (is_self(leg, address))
		return UNWANTED;
	if (wanted(leg, address))
		return WANTED;
	return filter.causes ? CAUSE : UNWANTED;
}

/*
 * What identifies a leg, short of reading all of it: a thread's name, image and cgroup change, and
 * its process's name, where a filter asks for that. With a new epoch its body has to be sent again.
 */
static __always_inline u32 leg_mark(struct task_struct *task)
{
	u64 comm[2], mark;

	bpf_core_read(comm, sizeof(comm), &task->comm);
	mark = hash_lane(hash_seed + window.epoch, comm[0], comm[1]);
	if (filter.by_process) {
		bpf_core_read(comm, sizeof(comm), &task->group_leader->comm);
		mark = hash_lane(mark, comm[0], comm[1]);
	}
	return (u32)hash_lane(mark, task->self_exec_id, task->cgroups->dfl_cgrp->kn->id) | 1;
}

/*
 * The leg of a task, read into s->leg and sent; false when the filters leave it out. `address` is
 * the task's, as a number. Makes s->key anew, with nothing but the leg.
 */
static __always_inline bool take_leg_at(struct scratch *s, struct task_struct *task, u64 address,
					struct known_leg *known, u64 now,
					struct wick_counters *tally)
{
	u64 id;

	leg_capture(&s->leg.leg, address, thread_kind(task));
	s->has_leg = true;
	known->wanted = ask_of(&s->leg.leg, address);
	s->leg.leg.left_out = known->wanted == CAUSE;
	id = leg_intern(&s->leg, tally, now, known->names);
	if (id != known->id && known->names < MOST_NAMES)
		known->names++;
	known->id = id;
	known->mark = was_seen(id) ? leg_mark(task) : 0;
	s->key = (struct wick_key){.leg = id};
	return known->wanted == WANTED;
}

/*
 * The same of the current task. Where nothing has changed, its leg is not read again, and s->leg
 * not filled in: see complete_leg().
 */
OWN_FRAME bool take_leg(struct scratch *s, struct task_struct *current, struct known_leg *known,
			u64 now, struct wick_counters *tally)
{
	s->has_leg = false;
	if ((known->wanted == WANTED || known->wanted == CAUSE) &&
	    known->mark == leg_mark(current)) {
		s->key = (struct wick_key){.leg = known->id};
		return known->wanted == WANTED;
	}
	return take_leg_at(s, current, bpf_get_current_task(), known, now, tally);
}

/*
 * A thread that the filters left out may match by now: renamed, another program, moved to another
 * cgroup.
 */
static __always_inline void look_again(struct known_leg *known, struct task_struct *task)
{
	if (is_unwanted(known) && known->mark != leg_mark(task))
		known->wanted = WANTED_UNKNOWN;
}

/* Both stacks into s->key, after its leg; the user stack if it is wanted. */
static __always_inline void take_stacks(void *ctx, struct scratch *s, struct task_struct *task,
					bool user, u64 now, struct wick_counters *tally)
{
	struct wick_key *key = &s->key;

	if (!filter.no_kernel_stack)
		key->kernel = remembered_kernel_stack(ctx, s, now, tally);
	if (!user || filter.no_user_stack || !has_user_stack())
		return;
	walk_begin_in_kernel(&s->walk, task);
	key->user = remembered_user_stack(task, s, now, tally);
}

#endif
