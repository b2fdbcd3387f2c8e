/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tree.c: stacks become a prefix tree.
 *
 * A node is found from its parent: the parent's oldest child is looked at first, all others are in
 * one hash table for the whole tree, by (parent, name, kind). So a frame costs one lookup at most
 * however many callees a function has. Two sorts of nodes, most of a large tree, are never in the
 * table and cost no lookup: the run of frames that only one stack has, and a node that is the only
 * one of its name, which an array by name has. A node is always made after its parent: a walk
 * from the last node to the first meets children before their parents, and sums and links without
 * recursion, so that a stack of any depth is fine.
 */
#include "tree.h"

#include "base/numbers.h"

const char *const frame_suffixes[NR_FRAME_KINDS] = {
	[FRAME_USER] = "",    [FRAME_KERNEL] = "_[k]", [FRAME_INLINED] = "_[i]",
	[FRAME_JIT] = "_[j]", [FRAME_WAKER] = "_[w]",  [FRAME_GROUP] = "",
	[FRAME_GONE] = "",    [FRAME_NOTE] = "",
};

enum { SEVERAL = UINT32_MAX /* in place of the only node of a name */ };

void call_tree_init(struct call_tree *tree, const struct strings *names)
{
	*tree = (struct call_tree){.names = names};
	vec_add(tree);
}

void call_tree_reserve(struct call_tree *tree, size_t nr)
{
	enum { MANY = 1 << 20 /* of fewer, the last huge page would be a large part */ };

	vec_reserve(tree, min(nr, (size_t)UINT32_MAX));
	if (nr >= MANY)
		prefer_huge_pages(tree->at, tree->room * sizeof(*tree->at));
}

void call_tree_release(struct call_tree *tree)
{
	table_release(&tree->table);
	vec_release(&tree->only);
	vec_release(&tree->before);
	vec_release(&tree->events);
	vec_release(&tree->lead);
	vec_release(&tree->classes.parts);
	vec_release(&tree->classes.first);
	vec_release(tree);
	*tree = (struct call_tree){};
}

/* The value of a node, or a name, in a vec of those that have one. */
#define value_of(values, ref)                                                                      \
	({                                                                                         \
		while ((values)->nr <= (ref))                                                      \
			vec_add(values);                                                           \
		&(values)->at[ref];                                                                \
	})

static u64 child_hash(u32 parent, const struct tree_frame *frame)
{
	return hash_u64((u64)parent << 32 | frame->name) + hash_u64(frame->kind);
}

static u32 new_child(struct call_tree *tree, u32 parent, const struct tree_frame *frame)
{
	struct tree_node *node;

	node = vec_add(tree);
	node->frame = *frame;
	node->parent = parent;
	node->depth = tree->at[parent].depth + 1;
	tree->max_depth = max(tree->max_depth, node->depth);
	return (u32)(tree->nr - 1);
}

static bool is_frame(const struct tree_node *node, const struct tree_frame *frame)
{
	return node->frame.name == frame->name && node->frame.kind == frame->kind;
}

static bool is_child(const struct call_tree *tree, u32 node, u32 parent,
		     const struct tree_frame *frame)
{
	return tree->at[node].parent == parent && is_frame(&tree->at[node], frame);
}

void tree_frame_widen(struct tree_frame *all, const struct tree_frame *frame)
{
	if (!all->line) {
		all->path = frame->path;
		all->line = frame->line;
		all->last_line = frame->last_line;
	} else if (frame->line && frame->path == all->path) {
		all->line = min(all->line, frame->line);
		all->last_line = max(all->last_line, frame->last_line);
	}
}

static u32 widen(struct call_tree *tree, u32 node, const struct tree_frame *frame)
{
	tree_frame_widen(&tree->at[node].frame, frame);
	return node;
}

static bool is_oldest(const struct call_tree *tree, u32 node)
{
	return tree->at[tree->at[node].parent].next_sibling == node;
}

static void insert(struct call_tree *tree, u32 node)
{
	const struct tree_node *n = &tree->at[node];

	if (!is_oldest(tree, node))
		table_insert(&tree->table, child_hash(n->parent, &n->frame), node);
}

/* Of the nodes of a name, the first one is put into the table when there is a second one. */
static void index_node(struct call_tree *tree, u32 node)
{
	u32 *only = value_of(&tree->only, tree->at[node].frame.name);

	if (!*only) {
		*only = node;
		return;
	}
	if (*only != SEVERAL)
		insert(tree, *only);
	*only = SEVERAL;
	insert(tree, node);
}

/* A child that has an older sibling; 0: there is none of that frame. */
static u32 find_younger(const struct call_tree *tree, u32 parent, const struct tree_frame *frame)
{
	u32 only = frame->name < tree->only.nr ? tree->only.at[frame->name] : 0;
	struct table_probe p;

	if (!only)
		return 0;
	if (only != SEVERAL)
		return is_child(tree, only, parent, frame) ? only : 0;
	p = table_probe(&tree->table, child_hash(parent, frame));
	while (table_next(&p))
		if (is_child(tree, p.ref, parent, frame))
			return p.ref;
	return 0;
}

u32 call_tree_find(const struct call_tree *tree, u32 parent, const struct tree_frame *frame)
{
	u32 oldest = tree->at[parent].next_sibling;

	if (!oldest || is_frame(&tree->at[oldest], frame))
		return oldest;
	return find_younger(tree, parent, frame);
}

u32 call_tree_child(struct call_tree *tree, u32 parent, const struct tree_frame *frame)
{
	u32 child = call_tree_find(tree, parent, frame);

	if (child)
		return widen(tree, child, frame);
	/* References have 32 bits: deeper frames are drawn as their caller's own. */
	if (tree->nr >= UINT32_MAX)
		return parent;
	child = new_child(tree, parent, frame);
	if (!tree->at[parent].next_sibling)
		tree->at[parent].next_sibling = child;
	index_node(tree, child);
	return child;
}

void call_tree_add_self(struct call_tree *tree, u32 node, u64 value)
{
	add_to_sum(&tree->sum, value);
	add_to_sum(&tree->at[node].self, value);
}

void call_tree_add_before(struct call_tree *tree, u32 node, u64 value)
{
	add_to_sum(value_of(&tree->before, node), value);
}

void call_tree_add_events(struct call_tree *tree, u32 node, u64 nr)
{
	add_to_sum(value_of(&tree->events, node), nr);
}

u32 call_tree_append(struct call_tree *tree, u32 parent, const struct tree_frame *frame)
{
	u32 node = tree->nr < UINT32_MAX ? new_child(tree, parent, frame) : parent;

	tree->chart = true;
	if (tree->at[parent].self)
		*value_of(&tree->lead, node) = tree->at[parent].self;
	return node;
}

int call_tree_scale(struct call_tree *tree, u64 factor)
{
	u64 sum;

	if (__builtin_mul_overflow(tree->sum, factor, &sum))
		return -EOVERFLOW;
	tree->sum = sum;
	vec_for_each (tree, node)
		node->self *= factor;
	vec_for_each (&tree->before, value)
		*value = saturated((unsigned __int128)*value * factor);
	vec_for_each (&tree->lead, value)
		*value *= factor;
	return 0;
}

u32 call_tree_add(struct call_tree *tree, const struct tree_frame *frames, size_t nr, u64 value)
{
	u32 node = 0;

	if (bug(tree->finished))
		return 0;
	for (size_t i = 0; i < nr; i++)
		node = call_tree_child(tree, node, &frames[i]);
	call_tree_add_self(tree, node, value);
	return node;
}

/* The last part of a node of a class before this one; 0: there is none. */
static u32 part_before(const struct call_tree *tree, u32 node, u32 class)
{
	u32 before = 0;

	for (u32 ref = tree->classes.first.at[node]; ref && tree_part_at(tree, ref)->class < class;
	     ref = tree_part_at(tree, ref)->next)
		before = ref;
	return before;
}

void call_tree_add_class(struct call_tree *tree, u32 node, u32 class, u64 value)
{
	struct tree_classes *classes = &tree->classes;
	u32 before, *link, next;

	/* References have 32 bits: of what is more, no class is said. */
	if (!value || classes->parts.nr >= UINT32_MAX - 1)
		return;
	while (classes->first.nr <= node)
		vec_add(&classes->first);
	before = part_before(tree, node, class);
	link = before ? &classes->parts.at[before - 1].next : &classes->first.at[node];
	if (!*link || classes->parts.at[*link - 1].class != class) {
		next = *link;
		*link = (u32)classes->parts.nr + 1; /* it may be in the vec, which moves */
		*vec_add(&classes->parts) =
			(struct tree_part){.class = class, .next = next, .value = value};
	} else {
		add_to_sum(&classes->parts.at[*link - 1].value, value);
	}
}

static int compare_siblings(const void *a, const void *b, void *ctx)
{
	const struct call_tree *tree = ctx;
	const struct tree_node *x = &tree->at[*(const u32 *)a], *y = &tree->at[*(const u32 *)b];
	int by = string_compare(tree_name(tree, x->frame.name), tree_name(tree, y->frame.name));

	return by ? by : (int)x->frame.kind - (int)y->frame.kind;
}

struct refs {
	VEC_FIELDS(u32);
};

/* As of folded text that is sorted. */
static bool are_in_order(struct call_tree *tree, const struct refs *children)
{
	for (size_t i = 1; i < children->nr; i++)
		if (compare_siblings(&children->at[i - 1], &children->at[i], tree) > 0)
			return false;
	return true;
}

static void sort_children(struct call_tree *tree, u32 parent, struct refs *children)
{
	u32 next = 0, first = tree->at[parent].first_child;

	if (!first || !tree->at[first].next_sibling)
		return;
	children->nr = 0;
	for (u32 child = first; child; child = tree->at[child].next_sibling)
		*vec_add(children) = child;
	if (are_in_order(tree, children))
		return;
	qsort_r(children->at, children->nr, sizeof(u32), compare_siblings, tree);
	for (size_t i = children->nr; i-- > 0;) {
		tree->at[children->at[i]].next_sibling = next;
		next = children->at[i];
	}
	tree->at[parent].first_child = next;
}

/* Children come before their parent: what is below a node is complete when its turn comes. */
static void sum_and_link(struct call_tree *tree)
{
	struct refs children = {};

	for (size_t i = tree->nr; i-- > 0;) {
		struct tree_node *node = &tree->at[i], *parent = &tree->at[node->parent];

		if (!tree->chart)
			sort_children(tree, (u32)i, &children);
		add_to_sum(&node->total, node->self);
		node->next_sibling = i ? parent->first_child : 0;
		if (!i)
			break;
		add_to_sum(&parent->total, node->total);
		parent->first_child = (u32)i;
	}
	vec_release(&children);
}

void call_tree_finish(struct call_tree *tree)
{
	if (bug(tree->finished))
		return;
	sum_and_link(tree);
	for (size_t i = tree->before.nr; i-- > 1;)
		add_to_sum(&tree->before.at[tree->at[i].parent], tree->before.at[i]);
	for (size_t i = tree->events.nr; i-- > 1;)
		add_to_sum(&tree->events.at[tree->at[i].parent], tree->events.at[i]);
	table_release(&tree->table);
	vec_release(&tree->only);
	tree->finished = true;
}

/* The part of a node's sum that is not of its children. */
#define self_of(tree, node, sum_of)                                                                \
	({                                                                                         \
		u64 value = sum_of((tree), (node));                                                \
                                                                                                   \
		for (u32 c = (tree)->at[node].first_child; c && value;                             \
		     c = (tree)->at[c].next_sibling)                                               \
			value -= sum_of((tree), c);                                                \
		value;                                                                             \
	})

u64 call_tree_self_before(const struct call_tree *tree, u32 node)
{
	return self_of(tree, node, tree_before);
}

u64 call_tree_self_events(const struct call_tree *tree, u32 node)
{
	return self_of(tree, node, tree_events);
}

u32 call_tree_skip(const struct call_tree *tree, u32 node)
{
	while (node && !tree->at[node].next_sibling)
		node = tree->at[node].parent;
	return tree->at[node].next_sibling;
}

u32 call_tree_next(const struct call_tree *tree, u32 node)
{
	return tree->at[node].first_child ? tree->at[node].first_child : call_tree_skip(tree, node);
}
