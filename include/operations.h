/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * operations.h: what is left out of stacks before they are merged, as pprof and Cloud Profiler do.
 *
 *	struct operations operations = {};
 *
 *	operations_add(&operations, OPERATION_HIDE_STACKS, "^idle$", &error);	often
 *	operations_begin(&operations);				a view begins
 *	operations_apply(&operations, names, frames, &nr, value);	each stack, root first
 *	call_tree_prune(&tree, &operations);			its finished tree
 *
 * They are applied in the order of enum operation_kind, whatever the order in which they were
 * added; several of one kind one after the other. A pattern is a POSIX extended regular expression
 * (regcomp(3)) that matches anywhere in a frame's name, as bytes; the frames of groups (threads,
 * processes) and notes have names like others.
 *
 * A stack of which no frame is left is removed. Nothing vanishes unseen: `total` is what came in,
 * operations_kept() and what each operation has removed add up to it.
 */
#ifndef WICK_OPERATIONS_H
#define WICK_OPERATIONS_H

#include <regex.h>

#include "tree.h"

enum operation_kind {
	OPERATION_SHOW_STACKS,	      /* only stacks with a frame that matches */
	OPERATION_HIDE_STACKS,	      /* no stacks with a frame that matches */
	OPERATION_SHOW_FRAMES,	      /* only frames that match */
	OPERATION_HIDE_FRAMES,	      /* no frames that match: their callees join their caller */
	OPERATION_SHOW_FROM,	      /* begins at the match nearest to the root; none: removed */
	OPERATION_FOCUS,	      /* the same with a whole name */
	OPERATION_HIDE_PLUMBING,      /* no frames that are plumbing.h's */
	OPERATION_COLLAPSE_RECURSION, /* no frame that is its caller's once more */
	OPERATION_MIN_PERCENT,	      /* no frames of less than that many percent of what is kept */
	NR_OPERATION_KINDS,
};

struct operation {
	enum operation_kind kind;
	const char *text; /* the pattern, name or percentage, not owned; NULL: the kind has none */
	regex_t *regex;	  /* owned; NULL: the kind has none */
	double percent;
	/* By name, or name and kind: 0 not known yet, 1 + what the pattern says of it. */
	struct {
		VEC_FIELDS(unsigned char);
	} verdicts;
	/* Since operations_begin(): stacks that it has removed, their value, and frames. */
	u64 nr_stacks, removed;
	u64 nr_frames; /* distinct names; of collapsed recursion and of small ones: every one */
	u64 joined;    /* of frames that are small: the value that is their callers' own now */
	/* The same of what was before, where the tree was a differential. */
	u64 removed_before, joined_before;
};

/* Zero-initialized: none. Between two operations_begin(), names are of one pool. */
struct operations {
	VEC_FIELDS(struct operation); /* in the order in which they are applied */
	u64 total;		      /* since operations_begin() */
	u64 nr_total;		      /* stacks */
};

/*
 * -EINVAL: no such pattern, or not a percentage from 0 to 100. `text` has to live as long as the
 * operations.
 */
int operations_add(struct operations *operations, enum operation_kind kind, const char *text,
		   struct error *error);
void operations_release(struct operations *operations);
/* Forgets all sums, and what the patterns said of names. */
void operations_begin(struct operations *operations);
/*
 * Changes the frames in place and counts; false: the stack is removed. `value` is what the sums are
 * of.
 */
bool operations_apply(struct operations *operations, const struct strings *names,
		      struct tree_frame *frames, size_t *nr, u64 value);
/* Values were multiplied. */
void operations_scale(struct operations *operations, u64 factor);
u64 operations_kept(const struct operations *operations);

/*
 * OPERATION_MIN_PERCENT, if there is one, of a finished tree: boxes with less than that share of
 * the root's, of a differential also before, are cut, and their values are their callers' own. What
 * has no caller is removed. Nodes that were cut have no value and no place in the tree; their
 * numbers stay.
 */
void call_tree_prune(struct call_tree *tree, struct operations *operations);
/* The same of the stacks that such a tree is made of, by the first unit; counts nothing. */
struct weighted_stacks;
void weighted_stacks_prune(struct weighted_stacks *stacks, const struct operations *operations);

#endif
