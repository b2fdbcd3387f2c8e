/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capture.h: the stacks of the current task, captured into scratch, hashed, their bodies sent when they
 * are new. Each returns the stack's id, 0 for no stack.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include "copy.h"
#include "intern.h"
#include "scratch.h"
#include "walk.h"

static __always_inline void leg_intern(struct scratch *s, u64 id, u64 now,
				       struct wick_counters *tally)
{
	body_begin(&s->leg.body, WICK_BODY_LEG, 0, id, now);
	intern(&s->leg.body, sizeof(s->leg), tally);
}

/*
 * The kernel's own walk (ORC or frame pointers), from the point where the context interrupted it.
 * Kernel addresses mean the same to everybody, so the id has no owner in it.
 */
static __always_inline u64 kernel_stack(void *ctx, struct scratch *s, u64 now,
					struct wick_counters *tally)
{
	long size = bpf_get_stack(ctx, s->kernel_frames, WICK_KERNEL_FRAMES * sizeof(u64), 0);
	u32 nr;

	if (size <= 0)
		return 0;
	nr = (u64)size / sizeof(u64);
	if (nr > WICK_KERNEL_FRAMES)
		return 0;
	pad_frames(s->kernel_frames, nr);
	body_begin(&s->kernel.body, WICK_BODY_KERNEL_STACK, nr,
		   hash_frames(s->kernel_frames, nr, WICK_KERNEL_FRAMES, WICK_BODY_KERNEL_STACK, 0),
		   now);
	s->kernel.leg = 0;
	s->kernel.tgid = 0;
	s->kernel.mappings = 0;
	s->kernel.end = nr == WICK_KERNEL_FRAMES ? WICK_TRUNCATED : WICK_COMPLETE;
	s->kernel.in_exec = 0;
	intern(&s->kernel.body, sizeof(s->kernel) + nr * sizeof(u64), tally);
	return s->kernel.body.id;
}

/*
 * A number that differs when the mappings may: how often they were locked for writing. Where the
 * kernel does not count that, the pages of code that are mapped.
 */
static __always_inline u32 mappings_tag(struct mm_struct *mm)
{
	struct mm_struct___before_6_13 *old = (void *)mm;

	if (bpf_core_field_exists(mm->mm_lock_seq.sequence))
		return BPF_CORE_READ(mm, mm_lock_seq.sequence);
	if (bpf_core_field_exists(old->mm_lock_seq))
		return (u32)BPF_CORE_READ(old, mm_lock_seq);
	return (u32)BPF_CORE_READ(mm, exec_vm);
}

static __always_inline bool has_user_stack(struct task_struct *task, const struct wick_leg *leg)
{
	return leg->kind == WICK_USER_THREAD && BPF_CORE_READ(task, mm);
}

/* s->walk.regs has the registers; s->leg, with its id, tells whose image the addresses are of. */
static __always_inline u64 user_stack(struct task_struct *task, struct scratch *s, u64 now,
				      struct wick_counters *tally)
{
	struct mm_struct *mm = BPF_CORE_READ(task, mm);
	struct wick_leg *leg = &s->leg.leg;
	u64 image = (u64)leg->tgid << 32 | leg->exec_id;
	u32 nr;

	s->walk.ip = s->walk.regs[WICK_REG_COPY_IP];
	s->walk.sp = s->walk.regs[WICK_REG_COPY_SP];
	s->walk.fp = s->walk.regs[WICK_REG_COPY_FP];
	walk_user(&s->walk, s->user_frames);
	nr = s->walk.nr;
	if (!nr || nr > WICK_USER_FRAMES)
		return 0;
	pad_frames(s->user_frames, nr);
	s->user.mappings = mappings_tag(mm);
	s->user.leg = s->leg.body.id;
	s->user.tgid = leg->tgid;
	s->user.end = s->walk.end;
	s->user.in_exec = BPF_CORE_READ_BITFIELD_PROBED(task, in_execve);
	body_begin(&s->user.body, WICK_BODY_USER_STACK, nr,
		   hash_frames(s->user_frames, nr, WICK_USER_FRAMES,
			       image ^ leg->process_start_ns << 8,
			       (u64)s->user.mappings << 8 | s->user.in_exec << 7 | s->walk.end),
		   now);
	intern(&s->user.body, sizeof(s->user) + nr * sizeof(u64), tally);
	return s->user.body.id;
}

#endif
