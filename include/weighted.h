/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * weighted.h: weighted stacks, what a view makes of a profile before anything is merged.
 *
 *	                     .-> call tree (tree.h)        stacks merged by what their frames show
 *	view --> stack sink -<
 *	                     `-> struct weighted_stacks    stacks kept apart by thread, state, waker
 *	                                                   and place
 *
 * Formats for other profilers draw the second: those ask for threads, addresses and several values
 * of a stack. A view gives all sinks the same stacks and values, so that no sum of one format
 * differs from another's.
 *
 * References are into one profile and its names, or only names where the stacks were read from
 * folded text.
 */
#ifndef WICK_WEIGHTED_H
#define WICK_WEIGHTED_H

#include "base/table.h"
#include "base/vec.h"
#include "tree.h"
#include "unit.h"

struct profile;

/* A stack and its value, in the metric's base unit. */
struct weighted_stack {
	const struct tree_frame *frames; /* root first; good until add() returns */
	size_t nr;
	u64 value;
	u32 leg;    /* whose it is: a row of profile.legs; 0: not known, or a loss */
	u32 waker;  /* the name of who ended the sleep; 0: none, or not known */
	char state; /* why it is off-CPU: a letter of --state; 0: it is not */
	bool on_cpu;
	u32 class; /* of a wait: 1 + enum why_class, or WHY_UNTOLD; 0: it has none */
};

/* Takes the stacks of a view, one by one, in any order; equal ones may come again. */
struct stack_sink {
	void (*add)(void *ctx, const struct weighted_stack *stack);
	void *ctx;
	bool wakers; /* it wants `waker`, which costs something */
};

static inline void stack_sink_add(const struct stack_sink *sink, const struct weighted_stack *stack)
{
	sink->add(sink->ctx, stack);
}

/* Adds them to an unfinished call tree. */
struct stack_sink call_tree_sink(struct call_tree *tree);

/* A stack is its leaf's node: that one's frame, its parent's, and so on down to node 0. */
struct stack_node {
	u32 parent;
	u32 frame; /* in `frames` */
};

enum { MAX_WEIGHTS = 4 };

/* A distinct (stack, leg, waker, state), and its value of each unit. */
struct weighted_row {
	u32 node;
	u32 leg, waker;
	char state;
	bool on_cpu;
	u64 value[MAX_WEIGHTS];
};

/*
 * A single wait of the log of blocks, CLOCK_MONOTONIC: blocked from begin to end, then waiting for
 * a CPU until the thread ran again.
 */
struct weighted_block {
	u32 node;
	u32 leg, waker;
	u32 waker_leg; /* the thread that ended it; 0: an interrupt did, or it is not known */
	char state;
	u64 begin, end, ran;
};

/*
 * The distinct stacks of a view, in the order in which they came. Frames are distinct by all that a
 * tree_frame has, place too. A node comes after its parent. Node 0 is the stack without frames, and
 * frame 0 its frame, which nothing shows.
 */
struct weighted_stacks {
	const struct profile *profile; /* not owned; NULL: there is none, all legs are 0 */
	const struct strings *names;   /* not owned */
	struct unit units[MAX_WEIGHTS];
	size_t nr_units;   /* 1 or more; the first one's is the metric that was asked for */
	u32 frequency;	   /* Hz, where a value of the first unit is a sample of a CPU; else 0 */
	size_t unit_added; /* which of the values the sink adds to */
	VEC(struct tree_frame) frames;
	VEC(struct stack_node) nodes;
	VEC(struct weighted_row) rows;
	bool with_blocks;		   /* asked for, before the stacks are added */
	bool has_waits;			   /* the view is one of waits: it may have blocks */
	VEC(struct weighted_block) blocks; /* of a view of waits, by begin; they are in rows too */
	struct table frame_table, node_table, row_table;
	u64 sum[MAX_WEIGHTS]; /* of all rows; UINT64_MAX: it is larger */
	u32 max_depth;
};

void weighted_stacks_init(struct weighted_stacks *w, const struct strings *names);
void weighted_stacks_release(struct weighted_stacks *w);
/* The node of a stack, root first, which is added if it is not there. */
u32 weighted_stacks_node(struct weighted_stacks *w, const struct tree_frame *frames, size_t nr);
/* Adds to the values of a further unit. */
void weighted_stacks_begin(struct weighted_stacks *w, struct unit unit);
struct stack_sink weighted_stacks_sink(struct weighted_stacks *w);
/*
 * Moves each row and block from its node to `to[node]`, sums what is equal then; what is moved to
 * node 0 from another one is removed.
 */
void weighted_stacks_move(struct weighted_stacks *w, const u32 *to);
/* All stacks of a finished tree over the same names, without legs, as values of the unit. */
void weighted_stacks_add_tree(struct weighted_stacks *w, const struct call_tree *tree);

#endif
