/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * checked.h: arithmetic on places and sizes that a stranger wrote. A sum of two of them may wrap,
 * and what wraps passes the next comparison; so parsers of other people's files add, multiply and
 * compare them with these.
 */
#ifndef WICK_CHECKED_H
#define WICK_CHECKED_H

#include "base.h"

/* *sum = a + b; false, and *sum untouched, where that is 2^64 or more. */
static inline bool checked_add(u64 a, u64 b, u64 *sum)
{
	u64 result;

	if (__builtin_add_overflow(a, b, &result))
		return false;
	*sum = result;
	return true;
}

/* *place = base + nr * size, the place of a record; false where that is 2^64 or more. */
static inline bool checked_record(u64 base, u64 nr, u64 size, u64 *place)
{
	u64 distance;

	return !__builtin_mul_overflow(nr, size, &distance) && checked_add(base, distance, place);
}

/* Whether [offset, offset + size) lies in [0, whole). */
static inline bool lies_within(u64 offset, u64 size, u64 whole)
{
	return offset <= whole && size <= whole - offset;
}

/* How many bytes of [offset, offset + size) lie in [0, whole). */
static inline u64 part_within(u64 offset, u64 size, u64 whole)
{
	return offset < whole ? min(size, whole - offset) : 0;
}

#endif
