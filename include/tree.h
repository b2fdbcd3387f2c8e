/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.h: the call tree, the merged stacks of one view. It is what every format draws.
 *
 * A view (or the reader of folded text) adds weighted stacks, root first; the tree is their prefix
 * tree *by frame*: two stacks share a node as long as their frames are equal, so one function under
 * one parent is one node, whatever sorts between its callees. A node's total is its self value plus
 * its children's totals.
 *
 *	struct call_tree tree;
 *
 *	call_tree_init(&tree, names);
 *	call_tree_add(&tree, frames, nr_frames, value);		any number of times, in any order
 *	call_tree_finish(&tree);				then it is read
 *	...
 *	call_tree_release(&tree);
 *
 * Values are whole numbers of the metric's base unit (samples, nanoseconds, bytes): sums are exact,
 * and the unit is converted once, when it is written. A sum that would pass UINT64_MAX stays there.
 */
#ifndef WICK_TREE_H
#define WICK_TREE_H

#include "base/strings.h"
#include "base/vec.h"

enum frame_kind {
	FRAME_USER,
	FRAME_KERNEL,
	FRAME_INLINED, /* a user function that the compiler copied into its caller */
	FRAME_JIT,     /* made at run time; named by its process */
	FRAME_WAKER,   /* a frame of the thread that woke the one below it */
	FRAME_GROUP,   /* the root frame that --group chose: a thread's name, a cgroup */
	FRAME_NOTE, /* in brackets, says what is not known: [unknown], [truncated], [lost stack] */
	NR_FRAME_KINDS,
};

/* How folded text marks a kind after the name: "_[k]"; "" where it does not. */
extern const char *const frame_suffixes[NR_FRAME_KINDS];

/*
 * What a box shows. Two boxes under one parent are the same when name and kind are; the module (the
 * base name of the file that has the function, "" where that is unknown) is shown, never compared.
 * Names and modules are references into the tree's pool of strings, bytes as they were found.
 */
struct tree_frame {
	u32 name;
	u32 module;
	enum frame_kind kind;
};

/* Nodes are numbered; node 0 is the root that has all stacks below it and no frame. */
struct tree_node {
	struct tree_frame frame;
	u32 parent;
	u32 first_child;  /* 0: a leaf; the oldest one until the tree is finished */
	u32 next_sibling; /* 0: the last; in bytewise order of their names, then kinds */
	u32 depth;	  /* the root is 0 */
	u64 self;
	u64 total;
};

struct call_tree {
	VEC_FIELDS(struct tree_node);
	const struct strings *names; /* not owned */
	struct table table;
	u64 sum; /* of all values that were added; UINT64_MAX: it is larger */
	u32 max_depth;
	bool finished;
};

void call_tree_init(struct call_tree *tree, const struct strings *names);
void call_tree_release(struct call_tree *tree);
/* A stack of no frames at all adds to the root itself. */
void call_tree_add(struct call_tree *tree, const struct tree_frame *frames, size_t nr, u64 value);
/*
 * The same in two steps, for who adds stacks that have callers in common: the node of a frame below
 * `parent`, made where there is none yet, and the value of a stack that ends at a node.
 */
u32 call_tree_child(struct call_tree *tree, u32 parent, const struct tree_frame *frame);
void call_tree_add_self(struct call_tree *tree, u32 node, u64 value);
/* Sums the totals, orders the siblings. Nothing may be added afterwards. */
void call_tree_finish(struct call_tree *tree);

/*
 * Adds every stack of a finished tree to an unfinished one over the same names, its frames leaf
 * first: callers are at the leaves.
 */
void call_tree_add_reversed(struct call_tree *tree, const struct call_tree *from);

/*
 * The nodes of a finished tree in preorder, that is sorted by frame; 0 after the last one:
 *
 *	for (u32 node = 0; ...; node = call_tree_next(tree, node))
 *
 * call_tree_skip() goes on after the node's descendants.
 */
u32 call_tree_next(const struct call_tree *tree, u32 node);
u32 call_tree_skip(const struct call_tree *tree, u32 node);

/* A name of the tree, as its bytes. */
static inline struct string tree_name(const struct call_tree *tree, u32 ref)
{
	return strings_get(tree->names, ref);
}

/*
 * Reads folded text, of wick or any other tool, into an unfinished tree: `frame;frame;... VALUE` a
 * line, LF or CRLF, the value a whole number after the last space; empty lines mean nothing.
 * Frames in brackets, `-` and `--` become notes; the suffixes _[k] _[i] _[j] _[w] become kinds and
 * leave the name; any other first frame of a line is a group frame when `first_is_group`. Several
 * files can be read into one tree, their values are summed.
 *
 * Errors name the file and the line: an empty file, a line without a count, a count that is not a
 * whole number, a sum that overflows, a last line that is not ended (a file cut in the middle), a
 * line of more than FOLDED_MAX_LINE bytes or FOLDED_MAX_FRAMES frames. -EINVAL for those, else the
 * errno of the read.
 */
enum { FOLDED_MAX_LINE = 16 << 20, FOLDED_MAX_FRAMES = 1 << 16 };

int call_tree_read_folded(struct call_tree *tree, struct strings *names, FILE *in,
			  const char *file_name, bool first_is_group, struct error *error);

#endif
