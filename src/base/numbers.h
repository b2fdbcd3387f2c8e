/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numbers.h: sums that do not wrap, and counts, times, sizes and shares as people read them, which
 * pictures, text and the summary are made of.
 */
#ifndef WICK_NUMBERS_H
#define WICK_NUMBERS_H

#include "strbuf.h"

/*
 * Adds to a sum. One that would pass UINT64_MAX stays at that value, which says that the true sum
 * is larger.
 */
static inline void add_to_sum(u64 *sum, u64 value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

/* The same of a value that was computed with 128 bits. */
static inline u64 saturated(unsigned __int128 value)
{
	return value > UINT64_MAX ? UINT64_MAX : (u64)value;
}

/* "1,234,567" */
void strbuf_add_number(struct strbuf *b, u64 value);
/* Nanoseconds with three digits, in the unit that suits them: "1.23 ms", "45.6 us", "1,234 s". */
void strbuf_add_time(struct strbuf *b, u64 ns);
/* The same with bytes: "1.23 MiB", "512 B". */
void strbuf_add_bytes(struct strbuf *b, u64 bytes);
/*
 * part / all with `decimals` digits after the point, rounded to the nearest: "33.33". 0 of 0 is 0.
 */
void strbuf_add_percent(struct strbuf *b, u64 part, u64 all, unsigned int decimals);

#endif
