/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * svg_sides.c: a differential has the stacks of two profiles; here is each for itself, in the same
 * order. What is gone keeps its place, and is hatched there.
 */
#include "svg_parts.h"

void svg_sides_release(struct svg_sides *sides)
{
	call_tree_release(&sides->before);
	call_tree_release(&sides->now);
	vec_release(&sides->gone);
}

/* `path` has, by depth, the nodes above. */
static void add_node(struct call_tree *to, u32 *path, const struct tree_node *node, u64 value)
{
	u32 depth = node->depth;

	path[depth] = depth ? call_tree_child(to, path[depth - 1], &node->frame) : 0;
	call_tree_add_self(to, path[depth], value);
}

void svg_sides_init(struct svg_sides *sides, const struct call_tree *tree)
{
	_cleanup_free_ u32 *before = xcalloc((size_t)tree->max_depth + 1, sizeof(*before));
	_cleanup_free_ u32 *now = xcalloc((size_t)tree->max_depth + 1, sizeof(*now));
	u32 node = 0;

	call_tree_init(&sides->before, tree->names);
	call_tree_init(&sides->now, tree->names);
	*vec_add(&sides->gone) = false;
	do {
		const struct tree_node *n = &tree->at[node];

		if (!node || tree_before(tree, node))
			add_node(&sides->before, before, n, call_tree_self_before(tree, node));
		if (sides->gone.nr < sides->before.nr)
			*vec_add(&sides->gone) = !n->total;
		if (!node || n->total)
			add_node(&sides->now, now, n, n->self);
		node = call_tree_next(tree, node);
	} while (node);
	call_tree_finish(&sides->before);
	call_tree_finish(&sides->now);
}
