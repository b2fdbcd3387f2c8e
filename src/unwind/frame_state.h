/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame_state.h: what one instruction does to a frame: to the stack pointer, to the registers that
 * a caller wants back, and to where the code goes on. One function for each machine. They know the
 * instructions that compilers and hand-written leaves use for that; of all others, only how long
 * they are.
 *
 * Sources: Intel's Software Developer's Manual, volume 2, appendix A (opcode maps); Arm's
 * Architecture Reference Manual, C4.1 (A64 instruction set encoding).
 */
#ifndef WICK_FRAME_STATE_H
#define WICK_FRAME_STATE_H

#include "cfa.h"

/* Before an instruction. Compared as bytes: there is no padding. */
struct frame_state {
	s32 depth;     /* bytes from the stack pointer up to the CFA */
	s32 lost;      /* nothing is known of the stack pointer */
	s32 has_frame; /* the frame pointer is ... */
	s32 frame;     /* ... so many bytes below the CFA */
	/* The caller's registers are so many bytes below the CFA; 0: where they were at entry. */
	s32 ra_at, fp_at, bx_at;
	s32 outermost; /* there is no caller: the frame pointer was cleared, not saved (psABIs) */
};

/* The stack pointer is `depth` bytes below the CFA; no frame is larger than 256 MB. */
static inline void frame_set_depth(struct frame_state *state, s64 depth)
{
	bool sane = depth > -(1 << 28) && depth < 1 << 28;

	state->lost |= !sane;
	state->depth = sane ? (s32)depth : 0;
}

enum code_flow {
	CODE_NEXT,
	CODE_JUMP,     /* to `target` only */
	CODE_BRANCH,   /* there, or on */
	CODE_CALL,     /* of `target`, if it has one */
	CODE_INDIRECT, /* a jump to where a register or memory says */
	CODE_RETURN,
	CODE_STOP, /* never goes on */
};

struct code_step {
	enum code_flow flow;
	u32 size;
	bool entry; /* it marks a target of calls or jumps: endbr64, bti */
	bool has_target;
	s64 target; /* from the instruction's start */
};

struct code_bytes {
	const char *at;
	size_t size;
};

struct code_machine {
	struct frame_state entry; /* of every function */
	u32 align;		  /* of instructions */
	/* The instructions that set a frame pointer as a function begins, and a return. */
	struct code_bytes set_frame_pointer, ret;
	/*
	 * The instruction at `code`, of which `room` bytes are there: its step, and the state
	 * afterwards in place of that before. False: it is none, or not whole.
	 */
	bool (*step)(const u8 *code, size_t room, struct frame_state *state,
		     struct code_step *step);
	/* How many bytes at `code` are only there to align what follows; 0: none. */
	size_t (*padding)(const u8 *code, size_t room);
};

extern const struct code_machine code_x86, code_arm64;

#endif
