/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prune.c: --min-percent: small boxes go, their values stay with their callers.
 *
 * A box is never larger than its caller, so what is below a small one is small: the walk from the
 * first node to the last, which meets callers first, cuts children and forgets what is below them.
 */
#include "operations.h"

#include "base/numbers.h"
#include "weighted.h"

static struct operation *min_percent_of(const struct operations *operations)
{
	struct operation *last = operations->nr ? &operations->at[operations->nr - 1] : NULL;

	return last && last->kind == OPERATION_MIN_PERCENT ? last : NULL;
}

/* What a box needs not to be small; of a differential, either is enough. */
struct least {
	double now, before;
};

static struct least least_of(const struct call_tree *tree, double percent)
{
	return (struct least){
		.now = percent / 100 * (double)tree->at[0].total,
		.before = percent / 100 * (double)tree_before(tree, 0),
	};
}

static bool is_small(const struct call_tree *tree, u32 node, const struct least *least)
{
	u64 before = tree_before(tree, node);

	return (double)tree->at[node].total < least->now &&
	       (!before || (double)before < least->before);
}

/* The classes of all that is below a child, which still has its place. */
static void join_classes(struct call_tree *tree, u32 parent, u32 child)
{
	u32 end = call_tree_skip(tree, child), node = child;

	if (!tree->classes.parts.nr)
		return;
	do {
		u32 next;

		for (u32 ref = node < tree->classes.first.nr ? tree->classes.first.at[node] : 0;
		     ref; ref = next) {
			const struct tree_part part = *tree_part_at(tree, ref);

			next = part.next;
			call_tree_add_class(tree, parent, part.class, part.value);
		}
		node = call_tree_next(tree, node);
	} while (node != end);
}

/* The child's place in the caller's own time is where it was, in a chart too. */
static void join(struct call_tree *tree, u32 parent, u32 child)
{
	u64 value = tree->at[child].total;

	add_to_sum(&tree->at[parent].self, value);
	join_classes(tree, parent, child);
	for (u32 next = tree->at[child].next_sibling; next && tree->chart;
	     next = tree->at[next].next_sibling) {
		while (tree->lead.nr <= next)
			vec_add(&tree->lead);
		add_to_sum(&tree->lead.at[next], value);
	}
}

/* Of all. */
static void leave_out(struct call_tree *tree, u32 child)
{
	if (tree->before.nr)
		tree->before.at[0] -= tree_before(tree, child);
	if (tree->events.nr)
		tree->events.at[0] -= tree_events(tree, child);
}

static void cut_children(struct call_tree *tree, u32 parent, const struct least *least,
			 struct operation *op)
{
	u32 *link = &tree->at[parent].first_child;

	while (*link) {
		u32 child = *link;

		if (!is_small(tree, child, least)) {
			link = &tree->at[child].next_sibling;
			continue;
		}
		if (parent) {
			join(tree, parent, child);
			add_to_sum(&op->joined, tree->at[child].total);
			add_to_sum(&op->joined_before, tree_before(tree, child));
		} else {
			add_to_sum(&op->removed, tree->at[child].total);
			add_to_sum(&op->removed_before, tree_before(tree, child));
			leave_out(tree, child);
		}
		*link = tree->at[child].next_sibling;
	}
}

static void forget(struct call_tree *tree, u32 node)
{
	tree->at[node].self = tree->at[node].total = 0;
	tree->at[node].first_child = tree->at[node].next_sibling = 0;
	if (node < tree->before.nr)
		tree->before.at[node] = 0;
	if (node < tree->events.nr)
		tree->events.at[node] = 0;
	if (node < tree->classes.first.nr)
		tree->classes.first.at[node] = 0;
}

void call_tree_prune(struct call_tree *tree, struct operations *operations)
{
	struct operation *op = min_percent_of(operations);
	struct least least;

	if (!op)
		return;
	least = least_of(tree, op->percent);
	for (u32 node = 0; node < tree->nr; node++) {
		if (node && is_small(tree, node, &least)) {
			forget(tree, node);
			op->nr_frames++;
		} else {
			cut_children(tree, node, &least, op);
		}
	}
	tree->sum -= min(tree->sum, op->removed);
	tree->at[0].total -= min(tree->at[0].total, op->removed);
}

/* For each node of the stacks: itself, or the nearest caller that is not small. */
static u32 *find_kept(const struct weighted_stacks *w, double percent)
{
	_cleanup_(call_tree_release) struct call_tree tree = {};
	_cleanup_free_ u32 *boxes = xcalloc(w->nodes.nr, sizeof(*boxes));
	u32 *kept = xcalloc(w->nodes.nr, sizeof(*kept));
	struct least least;

	call_tree_init(&tree, w->names);
	for (size_t i = 1; i < w->nodes.nr; i++)
		boxes[i] = call_tree_child(&tree, boxes[w->nodes.at[i].parent],
					   &w->frames.at[w->nodes.at[i].frame]);
	vec_for_each (&w->rows, row)
		call_tree_add_self(&tree, boxes[row->node], row->value[0]);
	call_tree_finish(&tree);
	least = least_of(&tree, percent);
	for (size_t i = 1; i < w->nodes.nr; i++)
		kept[i] = is_small(&tree, boxes[i], &least) ? kept[w->nodes.at[i].parent] : (u32)i;
	return kept;
}

void weighted_stacks_prune(struct weighted_stacks *w, const struct operations *operations)
{
	const struct operation *op = min_percent_of(operations);
	_cleanup_free_ u32 *kept = op ? find_kept(w, op->percent) : NULL;

	if (kept)
		weighted_stacks_move(w, kept);
}
