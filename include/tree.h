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
	FRAME_GONE, /* of a differential: of a stack that is no longer, drawn as wide as it was */
	NR_FRAME_KINDS,
};

/* How folded text marks a kind after the name: "_[k]"; "" where it does not. */
extern const char *const frame_suffixes[NR_FRAME_KINDS];

/*
 * What a box shows. Two boxes under one parent are the same when name and kind are; the module (the
 * base name of the file that has the function, "" where that is unknown) is shown, never compared.
 * In a tree, of several places that show the same it is one, and lines are the least and the
 * greatest of those in the one's file.
 * Names and modules are references into the tree's pool of strings, bytes as they were found.
 */
struct tree_frame {
	u32 name;
	u32 module;
	enum frame_kind kind;
	u32 place; /* 1 + the row of profile.frames that it comes from; 0: none */
	/* Of source, where the frame was: a name; 0, and a line 0: not known. */
	u32 path, line, last_line;
};

/* Adds the lines of another frame that shows the same. */
void tree_frame_widen(struct tree_frame *all, const struct tree_frame *frame);

/* Nodes are numbered; node 0 is the root that has all stacks below it and no frame. */
struct tree_node {
	struct tree_frame frame;
	u32 parent;
	u32 first_child;  /* 0: a leaf */
	u32 next_sibling; /* 0: the last; in bytewise order of their names, then kinds. Until the
			     tree is finished: the oldest child */
	u32 depth;	  /* the root is 0 */
	u64 self;
	u64 total;
};

/* Of waits: how much of a node's self value is of one class (why.h). */
struct tree_part {
	u32 class;
	u32 next; /* 1 + the node's part of a later class; 0: it is the last */
	u64 value;
};

struct call_tree {
	VEC_FIELDS(struct tree_node);
	const struct strings *names; /* not owned */
	struct table table;
	VEC(u32) only; /* by name: its node, if it has one; see tree.c */
	u64 sum;       /* of all values that were added; UINT64_MAX: it is larger */
	u32 max_depth;
	bool finished;
	bool chart; /* siblings stay in the order in which they were made */
	/* Of a differential: by node, as far as there are any; totals once the tree is finished. */
	struct tree_before {
		VEC_FIELDS(u64);
	} before;
	/* Of a differential of sums: by node, of how many events in both profiles, if known. */
	struct tree_events {
		VEC_FIELDS(u64);
	} events;
	/* Of a view of waits. */
	struct tree_classes {
		VEC(struct tree_part) parts;
		VEC(u32) first; /* by node, as far as there are any: 1 + its first part; 0: none */
	} classes;
	/* Of a chart: by node, its parent's self value that is to the left of it. */
	struct tree_lead {
		VEC_FIELDS(u64);
	} lead;
};

void call_tree_init(struct call_tree *tree, const struct strings *names);
void call_tree_release(struct call_tree *tree);
/* Room for about that many nodes; only what is used of it takes memory. */
void call_tree_reserve(struct call_tree *tree, size_t nr);
/* A stack of no frames at all adds to the root itself. Returns the node of the leaf. */
u32 call_tree_add(struct call_tree *tree, const struct tree_frame *frames, size_t nr, u64 value);
/*
 * The same in two steps, for who adds stacks that have callers in common: the node of a frame below
 * `parent`, made where there is none yet, and the value of a stack that ends at a node.
 */
u32 call_tree_child(struct call_tree *tree, u32 parent, const struct tree_frame *frame);
/* The same, but 0 where there is none; of a tree that is not finished. */
u32 call_tree_find(const struct call_tree *tree, u32 parent, const struct tree_frame *frame);
void call_tree_add_self(struct call_tree *tree, u32 node, u64 value);
/* The value of the same stack in the profile that this one is compared with. */
void call_tree_add_before(struct call_tree *tree, u32 node, u64 value);
/* Of how many events the node's own values, before and now, are sums. */
void call_tree_add_events(struct call_tree *tree, u32 node, u64 nr);
/* Says of which class of wait a part of a node's self value is; the value has been added. */
void call_tree_add_class(struct call_tree *tree, u32 node, u32 class, u64 value);
/*
 * A new node, also where there is one of that frame, for flame charts: what was called twice is
 * drawn twice, in the order in which it was added. All nodes of a tree are made by this one, or
 * none is.
 */
u32 call_tree_append(struct call_tree *tree, u32 parent, const struct tree_frame *frame);
/* Multiplies all values; -EOVERFLOW where one would be 2^64 or more, and nothing is changed. */
int call_tree_scale(struct call_tree *tree, u64 factor);
/* Sums the totals, orders the siblings. Nothing may be added afterwards. */
void call_tree_finish(struct call_tree *tree);

/*
 * The nodes of a finished tree in preorder, that is sorted by frame; 0 after the last one:
 *
 *	for (u32 node = 0; ...; node = call_tree_next(tree, node))
 *
 * call_tree_skip() goes on after the node's descendants.
 */
u32 call_tree_next(const struct call_tree *tree, u32 node);
u32 call_tree_skip(const struct call_tree *tree, u32 node);

/* What a node, with its descendants, was in the profile that the tree is compared with. */
static inline u64 tree_before(const struct call_tree *tree, u32 node)
{
	return node < tree->before.nr ? tree->before.at[node] : 0;
}

/* The part of it that is not of its children. */
u64 call_tree_self_before(const struct call_tree *tree, u32 node);

/* Of a node, with its descendants; 0 where it is not known. */
static inline u64 tree_events(const struct call_tree *tree, u32 node)
{
	return node < tree->events.nr ? tree->events.at[node] : 0;
}

/* Without its children. */
u64 call_tree_self_events(const struct call_tree *tree, u32 node);

/* The parts of a node's self value whose class is known, by class; NULL: there is no other. */
static inline const struct tree_part *tree_part_at(const struct call_tree *tree, u32 ref)
{
	return ref ? &tree->classes.parts.at[ref - 1] : NULL;
}

static inline const struct tree_part *tree_first_part(const struct call_tree *tree, u32 node)
{
	return node < tree->classes.first.nr ? tree_part_at(tree, tree->classes.first.at[node])
					     : NULL;
}

static inline const struct tree_part *tree_next_part(const struct call_tree *tree,
						     const struct tree_part *part)
{
	return tree_part_at(tree, part->next);
}

/* 0, but for charts. */
static inline u64 tree_lead(const struct call_tree *tree, u32 node)
{
	return node < tree->lead.nr ? tree->lead.at[node] : 0;
}

/* A name of the tree, as its bytes. */
static inline struct string tree_name(const struct call_tree *tree, u32 ref)
{
	return strings_get(tree->names, ref);
}

#endif
