/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unsorted.h: folded stacks in any order become nodes of the tree, a million of them at a time.
 */
#ifndef INPUT_UNSORTED_H
#define INPUT_UNSORTED_H

#include "base/strbuf.h"
#include "batch.h"
#include "input.h"

/* Begins zeroed, but for these two. */
struct unsorted {
	struct input *in;
	enum frame_kind first;	     /* the kind of first frames that do not tell their own */
	struct batch batch;	     /* coded stacks that are not in the tree yet ... */
	u64 sum;		     /* ... and the sum of their values */
	struct strbuf coded;	     /* the stack that is being added */
	VEC(struct coded_step) path; /* the callers in the stack that was taken last */
};

struct coded_step {
	u32 frame;
	u32 node;
};

void unsorted_release(struct unsorted *u);
/* False: there are too many names to number frames. */
bool unsorted_takes(const struct unsorted *u);
void unsorted_add(struct unsorted *u, struct string stack, struct batch_counts counts);
/* The tree has all of them then. */
void unsorted_finish(struct unsorted *u);

#endif
