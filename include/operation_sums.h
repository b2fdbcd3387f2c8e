/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * operation_sums.h: what the operations on stacks (operations.h) have left out of one picture, as
 * it is kept when they have gone on to the next. `kept` and what each has removed add up to
 * `total`, and so do the stacks.
 */
#ifndef WICK_OPERATION_SUMS_H
#define WICK_OPERATION_SUMS_H

#include "base/vec.h"
#include "unit.h"

struct operation_sum {
	const char *option; /* without the dashes */
	const char *text;   /* what it was given; NULL: nothing */
	u64 removed;	    /* value */
	u64 stacks;
	u64 frames; /* distinct names; of collapsed recursion and of small ones: every one */
	u64 joined; /* value that is the callers' own now */
};

/* Zero-initialized: no operations. */
struct operation_sums {
	VEC_FIELDS(struct operation_sum); /* in the order in which they were applied */
	const char *picture;		  /* owned; NULL: there is only one */
	struct unit unit;
	u64 total, kept;
	u64 stacks, kept_stacks; /* those of one thread, place and state that differ */
};

#endif
