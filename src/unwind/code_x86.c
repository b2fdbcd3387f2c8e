/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code_x86.c: x86-64. */
#include "frame_state.h"
#include "x86_decode.h"

enum { SP = X86_SP, FP = 5, BX = 3 };

static u8 reg_of(const struct x86_instruction *i)
{
	return (i->modrm >> 3 & 7) | (i->rex & X86_REX_R ? 8 : 0);
}

/* The register that ModRM's other half names; 0xff: that is memory. */
static u8 rm_of(const struct x86_instruction *i)
{
	return i->modrm >> 6 == 3 ? (i->modrm & 7) | (i->rex & X86_REX_B ? 8 : 0) : 0xff;
}

static void push(struct frame_state *s, u8 reg)
{
	frame_set_depth(s, s->depth + 8);
	if (reg == FP && !s->fp_at && !s->has_frame)
		s->fp_at = s->depth;
	if (reg == BX && !s->bx_at)
		s->bx_at = s->depth;
}

static void pop(struct frame_state *s, u8 reg)
{
	frame_set_depth(s, s->depth - 8);
	if (reg == FP)
		s->fp_at = s->has_frame = s->frame = 0;
	if (reg == BX)
		s->bx_at = 0;
	s->lost |= reg == SP;
}

static void to_frame(struct frame_state *s, s64 below)
{
	s->lost = !s->has_frame;
	frame_set_depth(s, s->frame + below);
}

static void move(struct frame_state *s, u8 to, u8 from)
{
	if (to == FP && from == SP) {
		s->has_frame = !s->lost;
		s->frame = s->depth;
	} else if (to == SP && from == FP) {
		to_frame(s, 0);
	} else if (to == SP) {
		s->lost = true;
	} else if (to == FP) {
		s->has_frame = s->frame = 0;
	}
}

/* Opcodes 80 to 83: add, or, adc, sbb, and, sub, xor, cmp with an immediate. */
static void arithmetic(struct frame_state *s, const struct x86_instruction *i)
{
	u8 what = i->modrm >> 3 & 7;

	if (rm_of(i) != SP || what == 7)
		return;
	if (what == 0 || what == 5)
		frame_set_depth(s, s->depth + (what ? i->immediate : -i->immediate));
	else
		s->lost = true;
}

static void load_address(struct frame_state *s, const struct x86_instruction *i)
{
	if (reg_of(i) == FP)
		s->has_frame = s->frame = 0;
	if (reg_of(i) != SP)
		return;
	if (i->base == SP)
		frame_set_depth(s, (s64)s->depth - i->displacement);
	else if (i->base == FP)
		to_frame(s, -(s64)i->displacement);
	else
		s->lost = true;
}

/* Two registers, or one and memory: add, or, adc, sbb, and, sub, xor, cmp. */
static void combine(struct frame_state *s, const struct x86_instruction *i)
{
	u8 to = i->opcode & 2 ? reg_of(i) : rm_of(i);
	bool is_xor = i->opcode >> 3 == 6, is_cmp = i->opcode >> 3 == 7;

	if (is_xor && to == FP && i->modrm == 0xed && !s->fp_at && !s->has_frame)
		s->outermost = true;
	if (to == SP && !is_cmp)
		s->lost = true;
}

static void leave(struct frame_state *s)
{
	to_frame(s, 0);
	pop(s, FP);
}

static void apply_group_5(struct frame_state *s, const struct x86_instruction *i,
			  struct code_step *step)
{
	u8 what = i->modrm >> 3 & 7;

	if (what == 2)
		step->flow = CODE_CALL;
	else if (what == 4)
		step->flow = CODE_INDIRECT;
	else if (what == 6)
		push(s, 0xff);
}

static void apply_stack(struct frame_state *s, const struct x86_instruction *i,
			struct code_step *step)
{
	u8 reg = (i->opcode & 7) | (i->rex & X86_REX_B ? 8 : 0);

	switch (i->opcode) {
	case 0x50 ... 0x57:
		push(s, reg);
		break;
	case 0x58 ... 0x5f:
		pop(s, reg);
		break;
	case 0x68:
	case 0x6a:
	case 0x9c:
		push(s, 0xff);
		break;
	case 0x8f:
	case 0x9d:
		pop(s, 0xff);
		break;
	case 0x80 ... 0x83:
		arithmetic(s, i);
		break;
	case 0x89:
		move(s, rm_of(i), reg_of(i));
		break;
	case 0x8b:
		move(s, reg_of(i), rm_of(i));
		break;
	case 0x8d:
		load_address(s, i);
		break;
	case 0x87:
		s->lost |= rm_of(i) == SP || reg_of(i) == SP;
		break;
	case 0x94: /* xchg, mov of what the opcode names */
	case 0xbc:
		s->lost |= reg == SP;
		break;
	case 0xc8:
		s->lost = true;
		break;
	case 0xc9:
		leave(s);
		break;
	case 0xff:
		apply_group_5(s, i, step);
		break;
	default:
		if (i->opcode < 0x40 && i->has_modrm)
			combine(s, i);
	}
}

static void set_target(const struct x86_instruction *i, struct code_step *step, enum code_flow flow)
{
	step->flow = flow;
	step->has_target = true;
	step->target = (s64)i->size + i->immediate;
}

static void apply_flow(struct frame_state *s, const struct x86_instruction *i,
		       struct code_step *step)
{
	switch (i->opcode) {
	case 0x70 ... 0x7f:
	case 0xe0 ... 0xe3:
		set_target(i, step, CODE_BRANCH);
		break;
	case 0xe9:
	case 0xeb:
		set_target(i, step, CODE_JUMP);
		break;
	case 0xe8:
		set_target(i, step, CODE_CALL);
		if (!i->immediate) { /* a way to read the program counter */
			step->flow = CODE_NEXT;
			push(s, 0xff);
		}
		break;
	case 0xc3:
	case 0xcb:
	case 0xcf:
		step->flow = CODE_RETURN;
		break;
	case 0xcc:
	case 0xf4:
		step->flow = CODE_STOP;
		break;
	default:
		apply_stack(s, i, step);
	}
}

static bool step_x86(const u8 *code, size_t room, struct frame_state *state, struct code_step *step)
{
	struct x86_instruction i;

	if (!x86_decode(&i, code, room))
		return false;
	*step = (struct code_step){.size = (u32)i.size};
	if (i.map == ONE_BYTE)
		apply_flow(state, &i, step);
	else if (i.map == MAP_0F && !i.vector && (i.opcode & 0xf0) == 0x80)
		set_target(&i, step, CODE_BRANCH);
	else if (i.map == MAP_0F && !i.vector && i.opcode == 0x0b)
		step->flow = CODE_STOP;
	step->entry = i.size == 4 && !memcmp(code, "\xf3\x0f\x1e\xfa", 4); /* endbr64 */
	return true;
}

/* nop, int3, zeros, and the long nops: 0f 1f with prefixes. */
static size_t padding_x86(const u8 *code, size_t room)
{
	struct x86_instruction i;

	if (*code == 0x90 || *code == 0xcc || !*code)
		return 1;
	if (!x86_decode(&i, code, room))
		return 0;
	if (i.map == ONE_BYTE)
		return i.opcode == 0x90 ? i.size : 0;
	return i.map == MAP_0F && !i.vector && i.opcode == 0x1f ? i.size : 0;
}

const struct code_machine code_x86 = {
	.entry = {.depth = 8, .ra_at = 8},
	.align = 1,
	.set_frame_pointer = {"\x55\x48\x89\xe5", 4}, /* push %rbp; mov %rsp,%rbp */
	.ret = {"\xc3", 1},
	.step = step_x86,
	.padding = padding_x86,
};
