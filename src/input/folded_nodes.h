/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folded_nodes.h: stacks of folded text become nodes of the tree, some MiB of them at a time.
 */
#ifndef INPUT_FOLDED_NODES_H
#define INPUT_FOLDED_NODES_H

#include "base/strbuf.h"
#include "batch.h"
#include "input.h"

/* Begins zeroed, but for `in`. */
struct folded_nodes {
	struct input *in;
	bool groups;		      /* the first frame of a stack is a group */
	struct batch batch;	      /* what is not in the tree yet ... */
	u64 pending;		      /* ... and its sum */
	struct string before;	      /* the stack before, in the batch or below */
	struct strbuf last;	      /* the last one of the batch before */
	struct strbuf reversed[2];    /* the stack, leaf first, and the one before */
	VEC(struct folded_step) path; /* of the stack before */
};

/* The frame that ends at `end` in its stack, and its node. */
struct folded_step {
	size_t end;
	u32 node;
};

void folded_nodes_release(struct folded_nodes *n);
/* `before` means something in a differential only. The sum of all values is below 2^64. */
void folded_nodes_add(struct folded_nodes *n, struct string stack, u64 value, u64 before);
/* The tree has all of them then. */
void folded_nodes_finish(struct folded_nodes *n);
/* Of the frame that begins at that byte of its stack. */
enum frame_kind folded_kind_at(const struct folded_nodes *n, size_t at);

#endif
