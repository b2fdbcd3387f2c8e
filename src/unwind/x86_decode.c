/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "x86_decode.h"

static bool take(struct x86_instruction *i, size_t size, s64 *value)
{
	union {
		u8 bytes[8];
		int8_t one;
		int16_t two;
		s32 four;
		s64 eight;
	} v = {};

	if (i->room - i->size < size)
		return false;
	memcpy(v.bytes, i->code + i->size, size);
	i->size += size;
	*value = size == 1 ? v.one : size == 2 ? v.two : size == 4 ? v.four : v.eight;
	return true;
}

static bool take_byte(struct x86_instruction *i, u8 *value)
{
	s64 wide;

	if (!take(i, 1, &wide))
		return false;
	*value = (u8)wide;
	return true;
}

/* Legacy prefixes; *value is what comes after them. */
static bool take_prefixes(struct x86_instruction *i, u8 *value)
{
	static const char prefixes[] = "\x66\x67\xf2\xf3\xf0\x2e\x36\x3e\x26\x64\x65";

	while (take_byte(i, value)) {
		if (!memchr(prefixes, *value, sizeof(prefixes) - 1))
			return true;
		i->narrow |= *value == 0x66;
	}
	return false;
}

/* c5 RvvvvLpp; c4 RXBmmmmm Wvvvvlpp; 62 and three bytes, the first of which has mmm. */
static bool take_vector(struct x86_instruction *i, u8 first)
{
	u8 bytes[3] = {1};
	size_t nr = first == 0xc5 ? 1 : first == 0xc4 ? 2 : 3;

	for (size_t k = 0; k < nr; k++)
		if (!take_byte(i, &bytes[k]))
			return false;
	i->vector = true;
	i->map = first == 0xc5 ? MAP_0F : (enum x86_map)(bytes[0] & 3);
	return i->map != ONE_BYTE && take_byte(i, &i->opcode);
}

static bool take_opcode(struct x86_instruction *i)
{
	u8 byte;

	if (!take_prefixes(i, &byte))
		return false;
	if (byte == 0xc4 || byte == 0xc5 || byte == 0x62)
		return take_vector(i, byte);
	if ((byte & 0xf0) == 0x40) {
		i->rex = byte & 15;
		if (!take_byte(i, &byte))
			return false;
	}
	i->opcode = byte;
	if (byte != 0x0f)
		return true;
	i->map = MAP_0F;
	if (!take_byte(i, &i->opcode))
		return false;
	if (i->opcode != 0x38 && i->opcode != 0x3a)
		return true;
	i->map = i->opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
	return take_byte(i, &i->opcode);
}

/* A bit for each opcode of the one-byte map, 32 a word, opcode 0 being the lowest. */
static bool is_in(const u32 map[8], u8 opcode)
{
	return map[opcode / 32] >> opcode % 32 & 1;
}

static bool exists(const struct x86_instruction *i)
{
	/*
	 * What 64-bit mode does not have; and returns that take arguments off the stack, of which
	 * their callers would have to be told.
	 */
	static const u32 none[8] = {0xc0c040c0, 0x80808080, 0x00000000, 0x00000003,
				    0x04000004, 0x00000000, 0x00704404, 0x00000400};

	return i->map != ONE_BYTE || !is_in(none, i->opcode);
}

static bool wants_modrm(const struct x86_instruction *i)
{
	static const u32 one[8] = {0x0f0f0f0f, 0x0f0f0f0f, 0x00000000, 0x00000a08,
				   0x0000ffff, 0x00000000, 0xff0f00c3, 0xc0c00000};
	static const u32 two_without[8] = {0x00004be0, 0x00ff0000, 0x00000000, 0x00800000,
					   0x0000ffff, 0x00000707, 0x0000ff00, 0x00000000};

	if (i->map == ONE_BYTE)
		return is_in(one, i->opcode);
	if (i->map != MAP_0F)
		return true;
	if (i->vector)
		return i->opcode != 0x77;
	return !is_in(two_without, i->opcode);
}

static bool take_address(struct x86_instruction *i)
{
	u8 mod = i->modrm >> 6, rm = i->modrm & 7, sib = 0;
	size_t size = mod == 1 ? 1 : mod == 2 ? 4 : 0;
	s64 displacement = 0;

	i->base = 0xff;
	if (mod == 3)
		return true;
	if (rm == 4 && !take_byte(i, &sib))
		return false;
	if (!mod && ((rm == 4 && (sib & 7) == 5) || rm == 5))
		size = 4;
	else if (!(i->rex & X86_REX_B) && (rm != 4 || (sib & 0x3f) == 0x24))
		i->base = rm == 4 ? X86_SP : rm;
	if (size && !take(i, size, &displacement))
		return false;
	i->displacement = (s32)displacement;
	return true;
}

static size_t immediate_of_one_byte(const struct x86_instruction *i)
{
	u8 op = i->opcode, reg = i->modrm >> 3 & 7;
	size_t wide = i->narrow ? 2 : 4;

	if (op < 0x40)
		return (op & 7) == 4 ? 1 : (op & 7) == 5 ? wide : 0;
	if ((op & 0xf0) == 0x70 || (op & 0xf8) == 0xb0)
		return 1;
	if ((op & 0xf8) == 0xb8)
		return i->rex & X86_REX_W ? 8 : wide;
	switch (op) {
	case 0xf6:
		return reg < 2 ? 1 : 0;
	case 0xf7:
		return reg < 2 ? wide : 0;
	case 0x68:
	case 0x69:
	case 0x81:
	case 0xa9:
	case 0xc7:
		return wide;
	case 0xe8:
	case 0xe9:
		return 4;
	case 0xa0 ... 0xa3:
		return 8;
	case 0xc2:
	case 0xca:
		return 2;
	case 0xc8:
		return 3;
	case 0x6a:
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xa8:
	case 0xc0:
	case 0xc1:
	case 0xc6:
	case 0xcd:
	case 0xe0 ... 0xe7:
	case 0xeb:
		return 1;
	default:
		return 0;
	}
}

static size_t immediate_of(const struct x86_instruction *i)
{
	static const char with_byte[] = "\x70\x71\x72\x73\xa4\xac\xba\xc2\xc4\xc5\xc6";

	if (i->map == ONE_BYTE)
		return immediate_of_one_byte(i);
	if (i->map == MAP_0F3A)
		return 1;
	if (i->map == MAP_0F && !i->vector && (i->opcode & 0xf0) == 0x80)
		return 4;
	return i->map == MAP_0F && memchr(with_byte, i->opcode, sizeof(with_byte) - 1) ? 1 : 0;
}

bool x86_decode(struct x86_instruction *i, const u8 *code, size_t room)
{
	size_t size;

	*i = (struct x86_instruction){.code = code, .room = min(room, (size_t)X86_MAX_SIZE)};
	if (!take_opcode(i) || !exists(i))
		return false;
	i->has_modrm = wants_modrm(i);
	if (i->has_modrm && (!take_byte(i, &i->modrm) || !take_address(i)))
		return false;
	if (i->map == ONE_BYTE && i->opcode == 0x8f && i->modrm >> 3 & 7) /* AMD's XOP */
		return false;
	size = immediate_of(i);
	if (size == 3) {
		i->size += size;
		return i->size <= i->room;
	}
	return !size || take(i, size, &i->immediate);
}
