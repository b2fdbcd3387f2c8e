/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pointer.h: encoded pointers (LSB 5.0 Core section 10.5.1): a byte tells how one is written
 * (width, sign) and what it counts from (nothing, its own address, the start of .eh_frame_hdr).
 */
#ifndef WICK_POINTER_H
#define WICK_POINTER_H

#include "reader.h"

enum {
	POINTER_OMIT = 0xff,
	POINTER_FORM = 0x0f,
	POINTER_BASE = 0x70,
	POINTER_INDIRECT = 0x80,

	POINTER_ABSOLUTE = 0x00,
	POINTER_ULEB128 = 0x01,
	POINTER_UDATA2 = 0x02,
	POINTER_UDATA4 = 0x03,
	POINTER_UDATA8 = 0x04,
	POINTER_SLEB128 = 0x09,
	POINTER_SDATA2 = 0x0a,
	POINTER_SDATA4 = 0x0b,
	POINTER_SDATA8 = 0x0c,

	POINTER_PCREL = 0x10,
	POINTER_DATAREL = 0x30,
};

/* What pointers can count from. */
struct pointer_bases {
	u64 here; /* the address of `origin` */
	const u8 *origin;
	u64 data; /* for POINTER_DATAREL */
};

/* Whether reader_pointer() reads it. Not: indirect (memory is needed), text- and function-relative.
 */
static inline bool pointer_readable(u8 encoding)
{
	u8 form = encoding & POINTER_FORM, base = encoding & POINTER_BASE;

	return !(encoding & POINTER_INDIRECT) &&
	       (base == 0 || base == POINTER_PCREL || base == POINTER_DATAREL) &&
	       (form <= POINTER_UDATA8 || (form >= POINTER_SLEB128 && form <= POINTER_SDATA8));
}

/* The number itself, without what it counts from: lengths are written so too. */
static inline u64 reader_pointer_form(struct reader *r, u8 encoding)
{
	switch (encoding & POINTER_FORM) {
	case POINTER_ULEB128:
		return reader_uleb(r);
	case POINTER_SLEB128:
		return (u64)reader_sleb(r);
	case POINTER_UDATA2:
		return reader_number(r, 2);
	case POINTER_SDATA2:
		return (u64)(s64)(int16_t)reader_number(r, 2);
	case POINTER_UDATA4:
		return reader_number(r, 4);
	case POINTER_SDATA4:
		return (u64)(s64)(s32)reader_number(r, 4);
	default:
		return reader_number(r, 8);
	}
}

static inline u64 reader_pointer(struct reader *r, u8 encoding, const struct pointer_bases *bases)
{
	u64 here = bases->here + (u64)(r->at - bases->origin);
	u64 value = reader_pointer_form(r, encoding);

	if ((encoding & POINTER_BASE) == POINTER_PCREL)
		value += here;
	else if ((encoding & POINTER_BASE) == POINTER_DATAREL)
		value += bases->data;
	return value;
}

#endif
