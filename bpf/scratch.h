/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scratch.h: memory for a capture that is too large for the BPF stack, and survives nesting.
 *
 * A program can be interrupted by another one on the same CPU: task by softirq, by hardirq, by NMI.
 * Each takes the next of WICK_SCRATCH_LEVELS slots of its CPU and gives it back before it returns.
 * Programs here run with preemption off, so that slots are taken and given back like a
 * stack. Where a kernel lets a program be preempted, a second one finds the slot taken and takes the
 * next; with none left, the event is counted as WICK_LOST_SCRATCH.
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include "intern.h"
#include "mappings.h"
#include "unwind.h"

enum {
	WALK_PAGE = 4096,
	WALK_WINDOW =
		512, /* bytes of stack that are read at once; 256 do almost as well, 1,024 no better */
	WALK_BELOW = 64, /* what a frame saved lies at most so far below its caller's */
};

/*
 * The registers a user stack is walked from and what the walk has found: all of its state lies here and
 * not in registers, which keeps the verifier's work small.
 */
struct walk {
	u64 regs[WICK_NR_REGS];	      /* of the leaf, for a copy */
	bpf_user_pt_regs_t user_regs; /* as the kernel has saved them */
	struct wick_unwind_regs at;
	struct mappings mappings;
	u64 window[WALK_WINDOW / sizeof(u64)];
	u64 window_begin, window_size; /* aligned; in bytes */
	/* As in struct wick_copy_body. */
	u64 stopped_at, stopped_in;
	struct wick_file_key stopped_file;
	u32 nr;
	s32 end;      /* enum wick_end */
	u32 of_image; /* some frames are addresses, which mean something to this image only */
	u32 is_cut;   /* what was walked is all there is: no copy was made */
};

struct scratch {
	struct wick_leg_body leg;
	struct walk walk;
	struct stack kernel, user;
	struct wick_key key;
	struct wick_hop_body hop;
};

struct scratch_level {
	u32 taken;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WICK_SCRATCH_LEVELS);
	__type(key, u32);
	__type(value, struct scratch);
} scratches __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct scratch_level);
} scratch_levels __weak SEC(".maps");

/* A slot, or NULL with the loss counted. What is taken must be given back. */
static __always_inline struct scratch *scratch_take(struct wick_counters *tally)
{
	u32 zero = 0, slot;
	struct scratch_level *level = bpf_map_lookup_elem(&scratch_levels, &zero);

	if (!level)
		return NULL;
	slot = level->taken;
	if (slot >= WICK_SCRATCH_LEVELS) {
		tally->at[WICK_LOST_SCRATCH]++;
		return NULL;
	}
	level->taken = slot + 1;
	return bpf_map_lookup_elem(&scratches, &slot);
}

static __always_inline void scratch_give_back(void)
{
	u32 zero = 0;
	struct scratch_level *level = bpf_map_lookup_elem(&scratch_levels, &zero);

	if (level)
		level->taken--;
}

#endif
