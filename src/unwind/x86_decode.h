/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * x86_decode.h: one instruction of x86-64, as far as its size and its operands go:
 *
 *	prefixes, REX, VEX or EVEX | opcode, of four maps | ModRM, SIB, displacement | immediate
 *
 * Source: Intel's Software Developer's Manual, volume 2, chapter 2 and appendix A. Compared with
 * objdump's sizes of all instructions of glibc, musl and a Go program: the same.
 */
#ifndef WICK_X86_DECODE_H
#define WICK_X86_DECODE_H

#include "base/base.h"

enum { X86_REX_W = 8, X86_REX_R = 4, X86_REX_B = 1, X86_SP = 4, X86_MAX_SIZE = 15 };

enum x86_map { ONE_BYTE, MAP_0F, MAP_0F38, MAP_0F3A };

struct x86_instruction {
	const u8 *code;
	size_t room, size; /* what was taken of it */
	enum x86_map map;
	u8 opcode, rex, modrm;
	bool has_modrm, narrow; /* 16 bits: prefix 66 */
	bool vector;		/* VEX or EVEX */
	bool has_displacement;
	u8 base; /* register that the displacement counts from; 0xff: none that matters */
	s32 displacement;
	s64 immediate;
};

/*
 * The instruction at `code`, of which `room` bytes are there. False: it is none, or not whole; or
 * one of 32-bit code, or of AMD's XOP.
 */
bool x86_decode(struct x86_instruction *i, const u8 *code, size_t room);

#endif
