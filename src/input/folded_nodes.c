/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folded_nodes.c: frames that a stack has in common with the one before are not looked up: their
 * nodes are on the path that the one before left. In sorted text those are most, so stacks are
 * sorted (batch.h).
 */
#include "folded_nodes.h"

void folded_nodes_release(struct folded_nodes *n)
{
	strbuf_release(&n->last);
	strbuf_release(&n->reversed[0]);
	strbuf_release(&n->reversed[1]);
	batch_release(&n->batch);
	vec_release(&n->path);
}

enum frame_kind folded_kind_at(const struct folded_nodes *n, size_t at)
{
	return !at && n->groups ? FRAME_GROUP : FRAME_USER;
}

/* Cuts the path to the frames that `stack` begins with, too. */
static void keep_common(struct folded_nodes *n, struct string stack)
{
	size_t both = min(stack.size, n->before.size);
	size_t common = both ? common_bytes(stack.s, n->before.s, both) : 0;

	while (n->path.nr) {
		size_t end = n->path.at[n->path.nr - 1].end;

		if (end < common || (end == common && (end == stack.size || stack.s[end] == ';')))
			return;
		n->path.nr--;
	}
}

/*
 * The oldest child of a node, if the frame is a plain one of its name, and no first one, which may
 * be a group; else 0. That spares most frames of a hot path the look-up of their names.
 */
static u32 oldest_child_named(const struct folded_nodes *n, u32 parent, const char *s, size_t size)
{
	u32 child = n->in->tree->at[parent].next_sibling;
	const struct tree_node *node = &n->in->tree->at[child];
	struct string name = strings_get(n->in->names, node->frame.name);

	return child && parent != n->in->root && name.size == size &&
			       node->frame.kind == FRAME_USER && !n->in->options->chart &&
			       !memcmp(name.s, s, size)
		       ? child
		       : 0;
}

/* Makes or finds the nodes behind those of the path; the node of the leaf. */
static u32 walk(struct folded_nodes *n, struct string stack)
{
	struct folded_step *last = n->path.nr ? &n->path.at[n->path.nr - 1] : NULL;
	u32 node = last ? last->node : n->in->root;
	size_t at = last ? last->end + 1 : 0, end;

	if (!stack.size)
		return n->in->root;
	while (at <= stack.size) {
		const char *next = memchr(stack.s + at, ';', stack.size - at);
		struct tree_frame frame;
		u32 child;

		end = next ? (size_t)(next - stack.s) : stack.size;
		child = oldest_child_named(n, node, stack.s + at, end - at);
		if (!child) {
			frame = input_frame(n->in, stack.s + at, end - at, folded_kind_at(n, at));
			child = input_child(n->in, node, &frame);
		}
		node = child;
		*vec_add(&n->path) = (struct folded_step){.end = end, .node = node};
		at = end + 1;
	}
	return node;
}

static struct string reverse(struct folded_nodes *n, struct string stack)
{
	struct strbuf *reversed = &n->reversed[n->before.s == n->reversed[0].s];
	size_t end = stack.size;

	strbuf_clear(reversed);
	while (stack.size) {
		const char *semicolon = memrchr(stack.s, ';', end);
		size_t begin = semicolon ? (size_t)(semicolon - stack.s) + 1 : 0;

		strbuf_add(reversed, stack.s + begin, end - begin);
		if (!semicolon)
			break;
		strbuf_addc(reversed, ';');
		end = begin - 1;
	}
	return (struct string){reversed->s ? reversed->s : "", reversed->size};
}

static u32 node_of(struct folded_nodes *n, struct string stack)
{
	u32 node;

	if (n->in->options->reverse)
		stack = reverse(n, stack);
	keep_common(n, stack);
	node = walk(n, stack);
	n->before = stack;
	return node;
}

/* Leaves are what most stacks have of their own. */
static void fetch_leaf(const struct folded_nodes *n, struct string stack)
{
	const char *semicolon = memrchr(stack.s, ';', stack.size);
	const char *leaf = semicolon ? semicolon + 1 : stack.s;

	strings_prefetch(n->in->names, leaf, (size_t)(stack.s + stack.size - leaf));
}

/* Stacks lie anywhere in the batch: their bytes are on their way before they are needed. */
static void fetch_ahead(const struct folded_nodes *n, size_t i)
{
	enum { AHEAD = 12, LEAVES_AHEAD = 6, LINE = 64, MOST = 12 * LINE };
	const struct batch *b = &n->batch;
	const struct batch_stack *stack = &b->stacks.at[i + AHEAD];

	if (i + AHEAD < b->stacks.nr)
		for (size_t at = 0; at < stack->size && at < MOST; at += LINE)
			__builtin_prefetch(b->text.at + stack->at - sizeof(struct batch_counts) + at);
	if (i + LEAVES_AHEAD < b->stacks.nr && !n->in->options->reverse)
		fetch_leaf(n, batch_text(b, &b->stacks.at[i + LEAVES_AHEAD]));
}

/* The batch is about to go. */
static void keep_last(struct folded_nodes *n)
{
	if (!n->before.size || n->before.s == n->last.s)
		return;
	strbuf_clear(&n->last);
	strbuf_add(&n->last, n->before.s, n->before.size);
	n->before = (struct string){n->last.s, n->last.size};
}

void folded_nodes_finish(struct folded_nodes *n)
{
	batch_sort(&n->batch);
	for (size_t i = 0; i < n->batch.stacks.nr; i++) {
		const struct batch_stack *stack = &n->batch.stacks.at[i];
		struct batch_counts counts = batch_counts(&n->batch, stack);
		u32 node;

		fetch_ahead(n, i);
		node = node_of(n, batch_text(&n->batch, stack));
		call_tree_add_self(n->in->tree, node, counts.value);
		if (n->in->files->differential)
			call_tree_add_before(n->in->tree, node, counts.before);
	}
	keep_last(n);
	batch_clear(&n->batch);
	n->pending = 0;
}

void folded_nodes_add(struct folded_nodes *n, struct string stack, u64 value, u64 before)
{
	batch_add(&n->batch, stack, (struct batch_counts){value, before});
	n->pending += value;
	if (n->in->options->chart || batch_is_full(&n->batch))
		folded_nodes_finish(n);
}
