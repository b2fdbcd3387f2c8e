/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numbers.h: counts, times, sizes and shares as people read them. Pictures, text and the summary
 * are made of these.
 */
#ifndef WICK_NUMBERS_H
#define WICK_NUMBERS_H

#include "strbuf.h"

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
