/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folded_nodes.c: frames that a stack has in common with the one before are not looked up: their
 * nodes are on the path that the one before left. In sorted text those are most. What comes in
 * another order is sorted first (unsorted.c).
 */
#include "folded_nodes.h"

enum frame_kind folded_kind_at(const struct folded_nodes *n, size_t at)
{
	return !at && n->groups ? FRAME_GROUP : FRAME_USER;
}

enum { WINDOW = 256 << 10 /* bytes: with what else is touched, a cache near the CPU has room */ };

void folded_nodes_begin(struct folded_nodes *n, struct input *in, bool groups, size_t size)
{
	*n = (struct folded_nodes){.in = in, .groups = groups, .window.most = WINDOW};
	n->unsorted = (struct unsorted){.in = in, .first = folded_kind_at(n, 0)};
	batch_expect(&n->unsorted.batch, size);
}

void folded_nodes_release(struct folded_nodes *n)
{
	strbuf_release(&n->last);
	strbuf_release(&n->reversed);
	batch_release(&n->window);
	unsorted_release(&n->unsorted);
	vec_release(&n->path);
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

static struct string reverse(struct strbuf *reversed, struct string stack)
{
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

static void fetch_ahead(const struct folded_nodes *n, size_t i)
{
	enum { AHEAD = 6 };
	const struct batch *b = &n->window;

	if (i + AHEAD < b->stacks.nr)
		fetch_leaf(n, batch_text(b, &b->stacks.at[i + AHEAD]));
}

/* The window is about to go. */
static void keep_last(struct folded_nodes *n)
{
	if (!n->before.size || n->before.s == n->last.s)
		return;
	strbuf_clear(&n->last);
	strbuf_add(&n->last, n->before.s, n->before.size);
	n->before = (struct string){n->last.s, n->last.size};
}

static void take_sorted(struct folded_nodes *n)
{
	for (size_t i = 0; i < n->window.stacks.nr; i++) {
		const struct batch_stack *stack = &n->window.stacks.at[i];
		struct batch_counts counts = batch_counts(&n->window, stack);
		u32 node;

		fetch_ahead(n, i);
		node = node_of(n, batch_text(&n->window, stack));
		input_add_counts(n->in, node, counts.value, counts.before);
	}
	keep_last(n);
}

static void take_unsorted(struct folded_nodes *n)
{
	vec_for_each (&n->window.stacks, stack)
		unsorted_add(&n->unsorted, batch_text(&n->window, stack),
			     batch_counts(&n->window, stack));
}

static void take_window(struct folded_nodes *n)
{
	if (n->window.unsorted && unsorted_takes(&n->unsorted))
		take_unsorted(n);
	else
		take_sorted(n);
	batch_clear(&n->window);
	n->sum = 0;
}

void folded_nodes_finish(struct folded_nodes *n)
{
	take_window(n);
	unsorted_finish(&n->unsorted);
}

void folded_nodes_add(struct folded_nodes *n, struct string stack, u64 value, u64 before)
{
	if (n->in->options->reverse)
		stack = reverse(&n->reversed, stack);
	batch_add(&n->window, stack, (struct batch_counts){.value = value, .before = before});
	n->sum += value;
	if (n->in->options->chart || batch_is_full(&n->window))
		take_window(n);
}
