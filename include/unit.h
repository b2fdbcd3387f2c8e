/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unit.h: what the values of a picture are, and how they are written: value / divisor, in `name`.
 */
#ifndef WICK_UNIT_H
#define WICK_UNIT_H

#include "base/strbuf.h"

struct unit {
	const char *name; /* "samples", "us", "bytes" */
	u64 divisor;	  /* 1 for samples; 1000 where values are ns and the unit is us */
	/* A reader gets words where there is room for them: */
	bool time;	       /* values are ns: "1.23 ms", "4.50 s" */
	bool bytes;	       /* "1.23 MiB" */
	unsigned int decimals; /* of values in folded text; the divisor is that power of ten then */
	double factor;	       /* what a value is multiplied with where it is shown; 0: as it is */
};

/* "1.23 ms" of time, "4.56 MiB" of bytes, else as strbuf_add_value(). */
void strbuf_add_amount(struct strbuf *b, u64 value, const struct unit *unit);
/* The same with the unit's name, where that is not said by then: "1,234 samples". */
void strbuf_add_quantity(struct strbuf *b, u64 value, const struct unit *unit);
/* 1234567 ns in us: "1,235". Rounded to the nearest; multiplied by the unit's factor. */
void strbuf_add_value(struct strbuf *b, u64 value, const struct unit *unit);

#endif
