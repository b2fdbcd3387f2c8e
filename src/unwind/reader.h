/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reader.h: takes numbers from bytes that a stranger wrote. A read beyond the end gives 0 and
 * leaves a mark, which a parser looks at once, at the end of a record, not after each number.
 *
 * Little-endian, as every machine that wick runs on.
 */
#ifndef WICK_READER_H
#define WICK_READER_H

#include "base/base.h"

struct reader {
	const u8 *at, *end;
	bool cut; /* something was read that is not there */
};

static inline struct reader reader_of(const u8 *at, size_t size)
{
	return (struct reader){.at = at, .end = at + size};
}

static inline size_t reader_left(const struct reader *r)
{
	return (size_t)(r->end - r->at);
}

/* Takes `size` bytes; NULL when there are fewer. */
static inline const u8 *reader_take(struct reader *r, u64 size)
{
	const u8 *at = r->at;

	if (size > reader_left(r)) {
		r->cut = true;
		r->at = r->end;
		return NULL;
	}
	r->at += size;
	return at;
}

/* An unsigned number of 1, 2, 4 or 8 bytes. */
static inline u64 reader_number(struct reader *r, u32 size)
{
	const u8 *at = reader_take(r, size);
	u64 value = 0;

	if (at)
		memcpy(&value, at, size);
	return value;
}

/* LEB128: seven bits a byte, lowest first, the eighth says that more follow. Bits beyond 64 are
 * dropped. */
static inline u64 reader_uleb(struct reader *r)
{
	u64 value = 0;

	for (u32 shift = 0;; shift += 7) {
		const u8 *byte = reader_take(r, 1);

		if (!byte)
			return 0;
		if (shift < 64)
			value |= (u64)(*byte & 0x7f) << shift;
		if (!(*byte & 0x80))
			return value;
	}
}

static inline s64 reader_sleb(struct reader *r)
{
	u64 value = 0;

	for (u32 shift = 0;; shift += 7) {
		const u8 *byte = reader_take(r, 1);

		if (!byte)
			return 0;
		if (shift < 64)
			value |= (u64)(*byte & 0x7f) << shift;
		if (*byte & 0x80)
			continue;
		if (shift + 7 < 64 && *byte & 0x40)
			value |= ~0ull << (shift + 7);
		return (s64)value;
	}
}

#endif
