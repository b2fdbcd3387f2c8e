/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code_hole.h: a stretch of code without unwind entries: which functions are there, and the state
 * of the frame before each instruction.
 *
 * Followed twice. The first time, a function whose last call never returns seems to go on in the
 * next one, with a frame that is not that one's; the second time it is known that one begins there.
 */
#ifndef WICK_CODE_HOLE_H
#define WICK_CODE_HOLE_H

#include "base/table.h"
#include "base/vec.h"
#include "elf_eh.h"
#include "frame_state.h"
#include "rows.h"

/* A place, and the state there. */
struct code_visit {
	u32 at;
	u16 state;
};

/* After a call: the frame's depth there, and how much was noted up to then. */
struct code_call {
	s32 depth;
	size_t seen, left, called, indirect;
};

enum {
	CODE_NOT_SEEN = 0,
	CODE_INSIDE = UINT16_MAX, /* of an instruction */
};

struct code_hole {
	const struct code_machine *machine;
	u64 begin; /* in the file */
	u32 size;
	u8 *code;
	/* For each byte: 1 + the state before the instruction that begins there, or one of
	 * these. */
	u16 *state;
	u8 *starts; /* for each byte, whether a function begins there */
	VEC(struct frame_state) states;
	struct table known;		 /* states by content */
	VEC(struct code_visit) left;	 /* to be followed */
	VEC(u32) seen;			 /* instructions, in the order in which they were met */
	VEC(u32) called;		 /* functions that were met */
	VEC(struct code_visit) indirect; /* jumps, and the states there */
	VEC(struct code_call) calls;	 /* on the way at hand */
	bool returned;			 /* the code that was followed last */
	u64 work;			 /* instructions that may still be looked at */
};

/* Reads the code of [begin, end) of the file. False: it is not all there. */
bool code_hole_init(struct code_hole *hole, const struct elf_eh *elf,
		    const struct code_machine *machine, u64 begin, u64 end);
void code_hole_release(struct code_hole *hole);

/* A function begins at this place of the file, which is in the hole. */
void code_hole_start(struct code_hole *hole, u64 offset);
/* Finds the other functions, and the states. */
void code_hole_follow(struct code_hole *hole);
/* Adds the rows of all; what begins at `entry`, in the file, has no caller. */
void code_hole_rows(const struct code_hole *hole, u64 entry, struct rows *rows);

#endif
