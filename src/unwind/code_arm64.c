/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code_arm64.c: AArch64. All instructions have four bytes. */
#include "frame_state.h"

enum { FP = 29, LR = 30, SP = 31, BX = 19 };

static u32 bits(u32 code, u32 from, u32 nr)
{
	return code >> from & ((1u << nr) - 1);
}

static s32 signed_bits(u32 code, u32 from, u32 nr)
{
	return (s32)(code << (32 - from - nr)) >> (32 - nr);
}

/* A register is saved `below` bytes below the CFA. */
static void save(struct frame_state *s, u32 reg, s32 below)
{
	s32 *at = reg == FP ? &s->fp_at : reg == LR ? &s->ra_at : reg == BX ? &s->bx_at : NULL;

	if (at && !*at && !s->lost && below > 0)
		*at = below;
}

static void restore(struct frame_state *s, u32 reg)
{
	if (reg == FP)
		s->fp_at = s->has_frame = s->frame = 0;
	else if (reg == LR)
		s->ra_at = 0;
	else if (reg == BX)
		s->bx_at = 0;
}

/* Where an access that counts from the stack pointer lies, and what that does to it. */
enum access_mode { AT_OFFSET, AFTERWARDS, BEFORE };

/* One or two registers, 8 bytes each; vectors are `reg` 0xff. */
static void access_stack(struct frame_state *s, enum access_mode mode, s32 offset, bool load,
			 u32 reg, u32 second)
{
	s32 below;

	if (mode == BEFORE)
		frame_set_depth(s, (s64)s->depth - offset);
	below = s->depth - (mode == AT_OFFSET ? offset : 0);
	if (load) {
		restore(s, reg);
		restore(s, second);
	} else {
		save(s, reg, below);
		save(s, second, below - 8);
	}
	if (mode == AFTERWARDS)
		frame_set_depth(s, (s64)s->depth - offset);
}

/* stp, ldp: 7 bits of offset in units of what is stored. */
static void apply_pair(struct frame_state *s, u32 code)
{
	static const enum access_mode modes[] = {AT_OFFSET, AFTERWARDS, AT_OFFSET, BEFORE};
	bool vector = bits(code, 26, 1);
	u32 size = bits(code, 30, 2);
	s32 unit = vector ? 4 << size : size == 2 ? 8 : 4;
	bool known = !vector && size == 2;

	if (bits(code, 5, 5) != SP)
		return;
	access_stack(s, modes[bits(code, 23, 2)], signed_bits(code, 15, 7) * unit,
		     bits(code, 22, 1), known ? bits(code, 0, 5) : 0xff,
		     known ? bits(code, 10, 5) : 0xff);
}

/* str, ldr of 8 bytes and of vectors: 9 bits of offset, or 12 in units of 8. */
static void apply_single(struct frame_state *s, u32 code)
{
	static const enum access_mode modes[] = {AT_OFFSET, AFTERWARDS, AT_OFFSET, BEFORE};
	bool scaled = bits(code, 24, 1), vector = bits(code, 26, 1);
	bool load = bits(code, 22, 2) & 1;
	u32 reg = vector || bits(code, 30, 2) != 3 ? 0xff : bits(code, 0, 5);

	if (bits(code, 5, 5) != SP || (!scaled && bits(code, 21, 1)))
		return;
	if (scaled)
		access_stack(s, AT_OFFSET, (s32)bits(code, 10, 12) * 8, load, reg, 0xff);
	else
		access_stack(s, modes[bits(code, 10, 2)], signed_bits(code, 12, 9), load, reg,
			     0xff);
}

/* add, sub with an immediate, of 64 bits. */
static void apply_immediate(struct frame_state *s, u32 code)
{
	s32 by = (s32)(bits(code, 10, 12) << (bits(code, 22, 1) ? 12 : 0));
	u32 to = bits(code, 0, 5), from = bits(code, 5, 5);
	s32 up = bits(code, 30, 1) ? -by : by;

	if (to == SP && from == SP) {
		frame_set_depth(s, (s64)s->depth - up);
	} else if (to == SP && from == FP) {
		s->lost = !s->has_frame;
		frame_set_depth(s, (s64)s->frame - up);
	} else if (to == FP && from == SP) {
		s->has_frame = !s->lost;
		s->frame = s->depth - up;
	} else if (to == SP) {
		s->lost = true;
	} else if (to == FP) {
		s->has_frame = s->frame = 0;
	}
}

static bool matches(u32 code, u32 mask, u32 value)
{
	return (code & mask) == value;
}

static void apply(struct frame_state *s, u32 code)
{
	if (matches(code, 0x3a000000, 0x28000000))
		apply_pair(s, code);
	else if (matches(code, 0x3a000000, 0x38000000))
		apply_single(s, code);
	else if (matches(code, 0xbf800000, 0x91000000))
		apply_immediate(s, code);
	else if (matches(code, 0xbf80001f, 0x9200001f) || matches(code, 0xbfe0001f, 0x8b20001f))
		s->lost = true; /* and; add, sub of an extended register */
	else if ((code == 0xd280001d || code == 0xaa1f03fd) && !s->fp_at && !s->has_frame)
		s->outermost = true; /* mov x29, #0 */
}

static void set_target(struct code_step *step, enum code_flow flow, s32 instructions)
{
	step->flow = flow;
	step->has_target = true;
	step->target = 4 * (s64)instructions;
}

static bool apply_flow(u32 code, struct code_step *step)
{
	if (matches(code, 0xfc000000, 0x14000000))
		set_target(step, CODE_JUMP, signed_bits(code, 0, 26));
	else if (matches(code, 0xfc000000, 0x94000000))
		set_target(step, CODE_CALL, signed_bits(code, 0, 26));
	else if (matches(code, 0xff000000, 0x54000000) || matches(code, 0x7e000000, 0x34000000))
		set_target(step, CODE_BRANCH, signed_bits(code, 5, 19));
	else if (matches(code, 0x7e000000, 0x36000000))
		set_target(step, CODE_BRANCH, signed_bits(code, 5, 14));
	else if (matches(code, 0xfefff000, 0xd65f0000))
		step->flow = CODE_RETURN;
	else if (matches(code, 0xfefff000, 0xd61f0000))
		step->flow = CODE_INDIRECT;
	else if (matches(code, 0xffe0001f, 0xd4200000))
		step->flow = CODE_STOP;
	else
		return false;
	return true;
}

static bool step_arm64(const u8 *bytes, size_t room, struct frame_state *state,
		       struct code_step *step)
{
	u32 code;

	if (room < sizeof(code))
		return false;
	memcpy(&code, bytes, sizeof(code));
	if (code < 0x10000) /* udf */
		return false;
	*step = (struct code_step){.size = sizeof(code)};
	step->entry =
		matches(code, 0xffffff3f, 0xd503241f) || code == 0xd503233f; /* bti, paciasp */
	if (!apply_flow(code, step))
		apply(state, code);
	return true;
}

static size_t padding_arm64(const u8 *bytes, size_t room)
{
	u32 code;

	if (room < sizeof(code))
		return room;
	memcpy(&code, bytes, sizeof(code));
	return !code || code == 0xd503201f ? sizeof(code) : 0;
}

const struct code_machine code_arm64 = {
	.align = 4,
	.set_frame_pointer = {"\xfd\x03\x00\x91", 4}, /* mov x29, sp */
	.ret = {"\xc0\x03\x5f\xd6", 4},
	.step = step_arm64,
	.padding = padding_arm64,
};
