/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * walk.h: user stacks, for every instrument: where the registers come from, and the walk.
 *
 * A thread in user mode has its registers in the sample. One that is in the kernel (system call,
 * fault, interrupt, sleep) left them at the top of its kernel stack. Kernel threads have none; what
 * lies there is garbage, so their flag is tested first.
 *
 * The walk follows frame pointers: [fp] is the caller's frame pointer, [fp + 8] the return address, on
 * x86-64 and AArch64 alike. The psABI marks the outermost frame by a frame pointer of 0.
 * Code that was built without frame pointers keeps other things in that register, so each step is
 * checked; user space cuts what cannot be code.
 */
#ifndef WALK_H
#define WALK_H

#include "scratch.h"

/* Above this lies the kernel, or nothing (47 bits on x86-64; larger user spaces only by request). */
#define USER_END (1ull << 47)

static __always_inline struct pt_regs *task_user_regs(struct task_struct *task)
{
	char *stack;

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs))
		return (struct pt_regs *)bpf_task_pt_regs(bpf_get_current_task_btf());
	stack = BPF_CORE_READ(task, stack);
	return (struct pt_regs *)(stack + THREAD_SIZE - bpf_core_type_size(struct pt_regs));
}

/* The registers that the current task left in user mode. */
static __always_inline void walk_begin_in_kernel(struct walk *walk, struct task_struct *task)
{
	bpf_user_pt_regs_t regs = {};

	bpf_probe_read_kernel(&regs, sizeof(regs), task_user_regs(task));
	REGS_COPY(walk->regs, &regs, );
}

/* One frame up. Returns 1, with walk->end set, at the end. */
static __always_inline long walk_step(struct walk *walk, u64 *frames)
{
	u64 pair[2]; /* the caller's frame pointer, the return address */
	u64 fp = walk->fp;
	u32 nr = walk->nr;

	if (!fp) {
		/* At the leaf, a 0 is more likely some value of code that has no frame pointer. */
		walk->end = nr > 1 ? WICK_COMPLETE : WICK_BAD_FRAME;
		return 1;
	}
	if (fp % 8 || fp < walk->sp || fp >= USER_END) {
		walk->end = WICK_BAD_FRAME;
		return 1;
	}
	if (nr >= WICK_USER_FRAMES) {
		walk->end = WICK_TRUNCATED;
		return 1;
	}
	if (bpf_probe_read_user(pair, sizeof(pair), (void *)fp)) {
		walk->end = WICK_UNREADABLE;
		return 1;
	}
	if (!pair[1]) {
		walk->end = WICK_COMPLETE;
		return 1;
	}
	frames[nr] = pair[1];
	walk->nr = nr + 1;
	walk->fp = pair[0];
	walk->sp = fp + sizeof(pair); /* so that the next frame is above this one */
	return 0;
}

struct walk_args {
	struct walk *walk;
	u64 *frames;
};

static long walk_step_callback(u32 i, void *ctx)
{
	struct walk_args *args = ctx;

	return walk_step(args->walk, args->frames);
}

/*
 * Walks from walk->{ip, sp, fp}: frames into `frames`, their number and the reason for the end into
 * *walk. Before bpf_loop() (5.17) the verifier unrolls the walk, and the depth is what it can bear.
 */
static __always_inline void walk_user(struct walk *walk, u64 *frames)
{
	struct walk_args args = {.walk = walk, .frames = frames};

	frames[0] = walk->ip;
	walk->nr = 1;
	walk->end = WICK_TRUNCATED;
	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_loop)) {
		bpf_loop(WICK_USER_FRAMES, walk_step_callback, &args, 0);
		return;
	}
	for (int i = 0; i < WICK_KERNEL_FRAMES; i++)
		if (walk_step(walk, frames))
			break;
}

#endif
