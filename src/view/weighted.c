/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * weighted.c: a view's stacks as they come, equal ones summed. Stacks are a trie, in which a node
 * is found by (parent, frame) in one hash table, as in tree.c; but here frames differ by their
 * place too, and what is summed also differs by leg, waker and state.
 */
#include "weighted.h"

static void add_to_tree(void *ctx, const struct weighted_stack *stack)
{
	u32 node = call_tree_add(ctx, stack->frames, stack->nr, stack->value);

	if (stack->class)
		call_tree_add_class(ctx, node, stack->class - 1, stack->value);
}

struct stack_sink call_tree_sink(struct call_tree *tree)
{
	return (struct stack_sink){.add = add_to_tree, .ctx = tree};
}

void weighted_stacks_init(struct weighted_stacks *w, const struct strings *names)
{
	*w = (struct weighted_stacks){.names = names};
	vec_add(&w->frames);
	vec_add(&w->nodes);
}

void weighted_stacks_release(struct weighted_stacks *w)
{
	vec_release(&w->frames);
	vec_release(&w->nodes);
	vec_release(&w->rows);
	vec_release(&w->blocks);
	table_release(&w->frame_table);
	table_release(&w->node_table);
	table_release(&w->row_table);
	*w = (struct weighted_stacks){};
}

void weighted_stacks_begin(struct weighted_stacks *w, struct unit unit)
{
	assert(w->nr_units < MAX_WEIGHTS);
	w->unit_added = w->nr_units;
	w->units[w->nr_units++] = unit;
}

static u64 hash_two(u32 a, u32 b)
{
	return hash_u64((u64)a << 32 | b);
}

static bool same_frame(const struct tree_frame *a, const struct tree_frame *b)
{
	return a->name == b->name && a->module == b->module && a->kind == b->kind &&
	       a->place == b->place && a->path == b->path && a->line == b->line;
}

static u32 frame_of(struct weighted_stacks *w, const struct tree_frame *frame)
{
	u64 hash = hash_two(frame->name, frame->module) ^ hash_two(frame->place, frame->kind);
	struct table_probe p = table_probe(&w->frame_table, hash);

	while (table_next(&p))
		if (same_frame(&w->frames.at[p.ref], frame))
			return p.ref;
	table_insert(&w->frame_table, hash, (u32)w->frames.nr);
	*vec_add(&w->frames) = *frame;
	return (u32)w->frames.nr - 1;
}

static u32 node_of(struct weighted_stacks *w, u32 parent, u32 frame)
{
	u64 hash = hash_two(parent, frame);
	struct table_probe p = table_probe(&w->node_table, hash);

	while (table_next(&p))
		if (w->nodes.at[p.ref].parent == parent && w->nodes.at[p.ref].frame == frame)
			return p.ref;
	assert(w->nodes.nr < UINT32_MAX);
	table_insert(&w->node_table, hash, (u32)w->nodes.nr);
	*vec_add(&w->nodes) = (struct stack_node){.parent = parent, .frame = frame};
	return (u32)w->nodes.nr - 1;
}

static bool same_row(const struct weighted_row *a, const struct weighted_row *b)
{
	return a->node == b->node && a->leg == b->leg && a->waker == b->waker &&
	       a->state == b->state && a->on_cpu == b->on_cpu;
}

static struct weighted_row *row_of(struct weighted_stacks *w, const struct weighted_row *key)
{
	u64 hash = hash_two(key->node, key->leg) ^ hash_two(key->waker, (u32)key->state);
	struct table_probe p = table_probe(&w->row_table, hash);

	while (table_next(&p))
		if (same_row(&w->rows.at[p.ref], key))
			return &w->rows.at[p.ref];
	table_insert(&w->row_table, hash, (u32)w->rows.nr);
	*vec_add(&w->rows) = *key;
	return &w->rows.at[w->rows.nr - 1];
}

u32 weighted_stacks_node(struct weighted_stacks *w, const struct tree_frame *frames, size_t nr)
{
	u32 node = 0;

	for (size_t i = 0; i < nr; i++)
		node = node_of(w, node, frame_of(w, &frames[i]));
	w->max_depth = max(w->max_depth, (u32)nr);
	return node;
}

static void add_up(u64 *sum, u64 value)
{
	if (__builtin_add_overflow(*sum, value, sum))
		*sum = UINT64_MAX;
}

static void add_stack(void *ctx, const struct weighted_stack *stack)
{
	struct weighted_stacks *w = ctx;
	struct weighted_row key = {
		.node = weighted_stacks_node(w, stack->frames, stack->nr),
		.leg = stack->leg,
		.waker = stack->waker,
		.state = stack->state,
		.on_cpu = stack->on_cpu,
	};

	assert(w->nr_units);
	add_up(&row_of(w, &key)->value[w->unit_added], stack->value);
	add_up(&w->sum[w->unit_added], stack->value);
}

struct stack_sink weighted_stacks_sink(struct weighted_stacks *w)
{
	return (struct stack_sink){.add = add_stack, .ctx = w, .wakers = true};
}

static void move_row(struct weighted_stacks *w, struct weighted_row from, u32 to)
{
	struct weighted_row key = from, *row = NULL;

	key.node = to;
	memset(key.value, 0, sizeof(key.value));
	if (to || !from.node)
		row = row_of(w, &key);
	for (size_t i = 0; i < w->nr_units; i++) {
		if (row)
			add_up(&row->value[i], from.value[i]);
		else
			w->sum[i] -= min(w->sum[i], from.value[i]);
	}
}

/* Rows never become more, so those that are read are ahead of those that are written. */
void weighted_stacks_move(struct weighted_stacks *w, const u32 *to)
{
	size_t nr = w->rows.nr, kept = 0;

	table_release(&w->row_table);
	w->rows.nr = 0;
	for (size_t i = 0; i < nr; i++)
		move_row(w, w->rows.at[i], to[w->rows.at[i].node]);
	vec_for_each (&w->blocks, block) {
		u32 node = to[block->node];

		if (!node && block->node)
			continue;
		w->blocks.at[kept] = *block;
		w->blocks.at[kept++].node = node;
	}
	w->blocks.nr = kept;
}

/* The preorder visits each node once; `path` has the frames down to it. */
void weighted_stacks_add_tree(struct weighted_stacks *w, const struct call_tree *tree)
{
	_cleanup_free_ struct tree_frame *path =
		xcalloc((size_t)tree->max_depth + 1, sizeof(*path));
	u32 node = 0;

	assert(tree->finished && tree->names == w->names);
	do {
		const struct tree_node *n = &tree->at[node];

		if (n->depth)
			path[n->depth - 1] = n->frame;
		if (n->self)
			add_stack(w, &(struct weighted_stack){
					     .frames = path, .nr = n->depth, .value = n->self});
		node = call_tree_next(tree, node);
	} while (node);
}
