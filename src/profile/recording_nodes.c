/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording_nodes.h"

#include "recording_tables.h"

/* A row of the section, not behind the one at hand. */
static const struct recorded_node *node_at(const struct column_place *at, u64 number)
{
	return (const struct recorded_node *)at->row - (at->number - number);
}

u64 code_parent(const struct column_place *at, u64 parent)
{
	u64 node = at->number - 1, steps = 0;

	while (node != parent && node >= at->first && steps < MOST_STEPS) {
		node = node_at(at, node)->parent;
		steps++;
	}
	return node == parent ? steps : MOST_STEPS + at->number - parent;
}

u64 decode_parent(const struct column_place *at, u64 coded)
{
	u64 node = at->number - 1;

	if (coded > MOST_STEPS)
		return at->number - (coded - MOST_STEPS);
	for (; coded; coded--) {
		if (node < at->first)
			return UINT64_MAX;
		node = node_at(at, node)->parent;
	}
	return node;
}

static u64 find_sibling(const struct column_place *at, u64 parent)
{
	u64 node = at->number - 1;

	if (node == parent)
		return node;
	for (u64 steps = 0; node >= at->first && steps < MOST_STEPS; steps++) {
		u64 above = node_at(at, node)->parent;

		if (above == parent)
			return node;
		node = above;
	}
	return at->number - 1;
}

const struct recorded_node *elder_sibling(const struct column_place *at)
{
	const struct recorded_node *node = at->row;

	if (at->number == at->first)
		return NULL;
	return node_at(at, find_sibling(at, node->parent));
}
