/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture.h: the stacks of the current task, captured into scratch, hashed, their bodies sent when
 * they are new. Each returns the stack's id, 0 for no stack.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "copy.h"
#include "intern.h"
#include "kernel_memo.h"
#include "leg.h"
#include "memo.h"
#include "python.h"
#include "scratch.h"

/* A thread whose names are more than its process's share bears this one, however it is called. */
static __always_inline void hide_name(struct wick_leg *leg)
{
	__builtin_memcpy(leg->comm, "[lost name]\0\0\0\0", sizeof(leg->comm));
}

enum { MOST_FOR_NAME = 16 }; /* times the size of a leg: what a name is charged */

/*
 * Sends a leg that has been captured `now`, if it is new; returns its id. The first one of a thread
 * is not charged. The more names it has had, the more is one charged: so a process can have very
 * many threads, but not very many names for each.
 */
VERIFIED_ONCE u64 leg_intern(struct wick_leg_body *leg, struct wick_counters *tally, u64 now,
			     u32 names)
{
	u32 times = names < MOST_FOR_NAME ? names : MOST_FOR_NAME;

	if (!leg || !tally)
		return 0;
	body_begin(&leg->body, WICK_BODY_LEG, 0, leg_hash(&leg->leg), now);
	if (!intern(&leg->body, sizeof(*leg), times * sizeof(*leg), tally)) {
		hide_name(&leg->leg);
		leg->body.id = leg_hash(&leg->leg);
		intern(&leg->body, sizeof(*leg), 0, tally);
	}
	return leg->body.id;
}

/*
 * The kernel stack in s->kernel.frames. Kernel addresses mean the same to everybody: the id has no
 * owner in it.
 */
static __always_inline u64 kernel_frames(struct scratch *s, u32 nr, u64 now,
					 struct wick_counters *tally)
{
	body_begin(&s->kernel.head.body, WICK_BODY_KERNEL_STACK, nr, 0, now);
	s->kernel.head.leg = 0;
	s->kernel.head.tgid = 0;
	s->kernel.head.python = 0;
	s->kernel.head.python_cut = 0;
	s->kernel.head.end = nr >= WICK_KERNEL_FRAMES ? WICK_TRUNCATED : WICK_COMPLETE;
	return stack_intern(&s->kernel, tally, 0, 0);
}

/*
 * The kernel's own walk (ORC or frame pointers), from the point where the context interrupted it.
 */
static __always_inline u64 kernel_stack(void *ctx, struct scratch *s, u64 now,
					struct wick_counters *tally)
{
	long size = bpf_get_stack(ctx, s->kernel.frames, WICK_KERNEL_FRAMES * sizeof(u64), 0);

	return size > 0 ? kernel_frames(s, (u64)size / sizeof(u64), now, tally) : 0;
}

/*
 * The same, walked only where it is not remembered. `ctx` is that of a tracepoint or kprobe. The
 * room of the user stack is used, which has to be walked later.
 */
static __always_inline u64 remembered_kernel_stack(void *ctx, struct scratch *s, u64 now,
						   struct wick_counters *tally)
{
	bool can = kernel_memo_begin(s, ctx);
	u64 known = 0, id;

	if (can)
		known = kernel_memo_try(s, 0) ?: kernel_memo_try(s, 1);
	tally->at[WICK_REMEMBERED_KERNEL] += known != 0;
	if (known && !filter.check_memos)
		return known;
	id = kernel_stack(ctx, s, now, tally);
	if (known && id != known)
		tally->at[WICK_MISREMEMBERED] += !kernel_memo_agrees(s, s->kernel.head.body.nr);
	else if (!known && can && id)
		kernel_memo_keep(s, s->kernel.head.body.nr, id);
	return id;
}

/* Has the current task a stack in user memory? */
static __always_inline bool has_user_stack(void)
{
	struct task_struct *current = bpf_get_current_task_btf();

	return current->pid && !(current->flags & (PF_KTHREAD | PF_IO_WORKER)) && current->mm;
}

/*
 * An exec is under way, and the old program's code or stack is gone already: what was found is none
 * of either program's.
 */
static __always_inline bool is_between_programs(struct task_struct *task, const struct walk *walk)
{
	return (walk->nr <= 1 || walk->end == WICK_UNREADABLE) &&
	       BPF_CORE_READ_BITFIELD_PROBED(task, in_execve);
}

/*
 * The user stack of `nr` frames in s->user.frames. `of_image`: some of them mean something in this
 * leg's image only, s->leg being sent.
 */
static __always_inline u64 user_frames(struct scratch *s, u32 nr, u32 end, bool of_image, u64 now,
				       struct wick_counters *tally)
{
	const struct wick_leg *leg = &s->leg.leg;
	u64 image = 0, start = 0;

	body_begin(&s->user.head.body, WICK_BODY_USER_STACK, nr, 0, now);
	s->user.head.leg = 0;
	s->user.head.tgid = leg->tgid;
	s->user.head.end = end;
	s->user.head.python = s->walk.python.words;
	s->user.head.python_cut = s->walk.python.is_cut;
	if (of_image) {
		image = (u64)leg->tgid << 32 | leg->exec_id;
		start = leg->process_start_ns;
		s->user.head.leg = s->leg.body.id;
	}
	return stack_intern(&s->user, tally, image ^ (u64)end << 8, start);
}

/*
 * Of s->walk, as walk_user() left it; s->leg, with its id, tells whose image the addresses are of.
 * Where the walk has met a file that is not known, a copy of the stack is sent in its place; what
 * the bound on copies refuses is what has been walked so far.
 */
OWN_FRAME u64 user_stack(struct task_struct *task, struct scratch *s, u64 now,
			 struct wick_counters *tally)
{
	u64 copy;

	s->walk.is_cut = false;
	if (!s->walk.nr || is_between_programs(task, &s->walk))
		return 0;
	if (s->walk.stopped_at) {
		copy = send_copy(task, s, now, tally);
		if (copy)
			return copy;
		s->walk.is_cut = true;
	}
	return user_frames(s, s->walk.nr + s->walk.python.words, s->walk.end, s->walk.of_image, now,
			   tally);
}

/* The current task's leg, where its id was known without. */
OWN_FRAME void complete_leg(struct scratch *s, u64 now, struct wick_counters *tally)
{
	u64 task = bpf_get_current_task();

	if (s->has_leg)
		return;
	leg_capture(&s->leg.leg, task, thread_kind((void *)task));
	leg_intern(&s->leg, tally, now, 0);
	s->has_leg = true;
}

/* The user stack that s->walk.regs are of. */
static __always_inline u64 walked_user_stack(struct task_struct *task, struct scratch *s, u64 now,
					     struct wick_counters *tally)
{
	complete_leg(s, now, tally);
	walk_user(s, (u64)BPF_CORE_READ(task, mm));
	if (s->walk.python.number && !s->walk.stopped_at) {
		s->user.head.body.time = now;
		python_walk(s, tally);
		s->walk.of_image |= s->walk.python.words;
		tally->at[WICK_NO_PYTHON] += !s->walk.python.words;
	}
	return user_stack(task, s, now, tally);
}

/*
 * The same, walked only where it is not remembered. Sampling does without, since it meets each
 * place once; so do calls that map memory, since they change what the walk depends on.
 */
static __always_inline u64 remembered_user_stack(struct task_struct *task, struct scratch *s,
						 u64 now, struct wick_counters *tally)
{
	u64 mm = (u64)BPF_CORE_READ(task, mm), known = memo_find(s, mm), id;

	s->walk.is_cut = false;
	tally->at[WICK_REMEMBERED_USER] += known != 0;
	if (known && !filter.check_memos)
		return known;
	id = walked_user_stack(task, s, now, tally);
	if (known)
		tally->at[WICK_MISREMEMBERED] += id != known;
	else
		memo_keep(s, mm, id);
	return id;
}

#endif
