/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numbers.h: values, shares and texts as people read them. What a format writes for itself is made
 * of these.
 */
#ifndef WICK_EMIT_NUMBERS_H
#define WICK_EMIT_NUMBERS_H

#include "base/strbuf.h"
#include "base/strings.h"
#include "emit.h"

/* 1234567 ns in us: "1,235". Rounded to the nearest. */
void strbuf_add_value(struct strbuf *b, u64 value, const struct unit *unit);
/* Nanoseconds with three digits, in the unit that suits them: "1.23 ms", "45.6 us", "1,234 s". */
void strbuf_add_time(struct strbuf *b, u64 ns);
/* The same with bytes: "1.23 MiB", "512 B". */
void strbuf_add_bytes(struct strbuf *b, u64 bytes);
/* part / all with `decimals` digits after the point, rounded to the nearest: "33.33". 0 of 0 is 0.
 */
void strbuf_add_percent(struct strbuf *b, u64 part, u64 all, unsigned int decimals);

#endif
