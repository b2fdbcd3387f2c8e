/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folded_nodes.h: stacks of folded text become nodes of the tree, some MiB of them at a time.
 */
#ifndef INPUT_FOLDED_NODES_H
#define INPUT_FOLDED_NODES_H

#include "unsorted.h"

struct folded_nodes {
	struct input *in;
	bool groups;		      /* the first frame of a stack is a group */
	struct batch window;	      /* the last stacks of the file ... */
	u64 sum;		      /* ... and the sum of their values */
	struct unsorted unsorted;     /* of windows before, what was in no order */
	struct string before;	      /* the stack before, in the window or below */
	struct strbuf last;	      /* the last one of the window before */
	struct strbuf reversed;	      /* the stack, leaf first */
	VEC(struct folded_step) path; /* of the stack before */
};

/* The frame that ends at `end` in its stack, and its node. */
struct folded_step {
	size_t end;
	u32 node;
};

/* For a file of `size` bytes (0: not known), whose stacks may begin with groups. */
void folded_nodes_begin(struct folded_nodes *n, struct input *in, bool groups, size_t size);
void folded_nodes_release(struct folded_nodes *n);
/* `before` means something in a differential only. The sum of all values is below 2^64. */
void folded_nodes_add(struct folded_nodes *n, struct string stack, u64 value, u64 before);
/* The tree has all of them then. */
void folded_nodes_finish(struct folded_nodes *n);
/* What the tree does not have yet. */
static inline u64 folded_nodes_sum(const struct folded_nodes *n)
{
	return n->sum + n->unsorted.sum;
}

/* Of the frame that begins at that byte of its stack. */
enum frame_kind folded_kind_at(const struct folded_nodes *n, size_t at);

#endif
