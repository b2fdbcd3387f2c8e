/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.c: all delays of a run, merged: those of one class, of threads of one name at one
 * place. Each block is explained by itself, and the pieces of all of them are added up in one tree.
 */
#include "index.h"

struct summing {
	struct why *why;
	struct why_summary *to;
	struct table delays, idle; /* of to->delays, to->idle_places */
	struct why_pieces pieces;
};

static bool same_label(const struct why_label *a, const struct why_label *b)
{
	return !memcmp(a, b, sizeof(*a));
}

static const struct block *block_at(const struct summing *s, u32 ref)
{
	return &s->why->p->blocks.at[ref];
}

/* ---- objects */

static void add_object(const struct summing *s, why_objects *objects, u32 ref, u64 ns)
{
	const struct block *block = block_at(s, ref);
	size_t i = 0;

	if (!block->object)
		return;
	while (i < objects->nr && objects->at[i].object != block->object)
		i++;
	if (i == objects->nr && i == WHY_MOST_OBJECTS)
		return;
	if (i == objects->nr)
		*vec_add(objects) = (struct why_object){
			.object = block->object,
			.kind = why_object_kind(s->why, block),
			.other = why_other_end(s->why, block),
			.holder = why_holder(s->why, block),
		};
	if (objects->at[i].holder != why_holder(s->why, block))
		objects->at[i].holder = 0;
	objects->at[i].ns += ns;
}

/* ---- the tree of a delay */

static u32 node_below(struct why_delay *delay, u32 parent, const struct why_label *label)
{
	for (u32 i = 0; i < delay->nodes.nr; i++)
		if (delay->nodes.at[i].parent == parent &&
		    same_label(&delay->nodes.at[i].label, label))
			return i;
	*vec_add(&delay->nodes) = (struct why_node){.label = *label, .parent = parent};
	return (u32)delay->nodes.nr - 1;
}

/* The node of a step's second thread: what that waited for next, in `block`. */
static u32 node_of_step(struct summing *s, struct why_delay *delay, u32 step, u32 block, u64 ns)
{
	const struct why_step *at;
	struct why_label label;
	u32 parent;

	if (step == WHY_NO_STEP)
		return WHY_NO_STEP;
	at = &s->pieces.steps.at[step];
	parent = node_of_step(s, delay, at->from, at->block, ns);
	if (block == WHY_NO_BLOCK) /* it was forked */
		return parent;
	label = why_label_of_block(s->why, at->leg, block, WHY_NR);
	parent = node_below(delay, parent, &label);
	add_object(s, &delay->nodes.at[parent].objects, block, ns);
	return parent;
}

static void add_pieces(struct summing *s, struct why_delay *delay, u32 waiter)
{
	for (size_t i = 0; i < s->pieces.pieces.nr; i++) {
		const struct why_piece *piece = &s->pieces.pieces.at[i];
		struct why_label label = why_label_of_piece(s->why, &s->pieces, piece, waiter);
		u32 parent = WHY_NO_STEP, node;

		if (piece->step != WHY_NO_STEP) {
			const struct why_step *step = &s->pieces.steps.at[piece->step];

			parent = node_of_step(s, delay, step->from, step->block, piece->ns);
		}
		node = node_below(delay, parent, &label);
		if (piece->block != WHY_NO_BLOCK && piece->what != WHY_NO_CPU)
			add_object(s, &delay->nodes.at[node].objects, piece->block, piece->ns);
		for (; node != WHY_NO_STEP; node = delay->nodes.at[node].parent)
			delay->nodes.at[node].ns += piece->ns;
	}
}

/* ---- delays */

static struct why_delay *delay_of(struct summing *s, const struct why_label *waiter)
{
	u64 hash = hash_bytes(waiter, sizeof(*waiter));
	struct table_probe probe = table_probe(&s->delays, hash);
	struct why_delay *delay;

	while (table_next(&probe)) {
		delay = &s->to->delays.at[probe.ref];
		if (same_label(&delay->waiter, waiter))
			return delay;
	}
	table_insert(&s->delays, hash, (u32)s->to->delays.nr);
	delay = vec_add(&s->to->delays);
	delay->waiter = *waiter;
	return delay;
}

/* Those of a series are taken to be of one length. */
static void add_cases(struct summing *s, struct why_delay *delay, u32 ref, u64 ns)
{
	u64 nr = block_nr(block_at(s, ref)), one = ns / nr;

	delay->ns += ns;
	for (u64 i = 0; i < nr; i++)
		*vec_add(&delay->lengths) = one;
	if (one <= delay->longest)
		return;
	delay->longest = one;
	delay->worst = ref;
}

static void add_delay(struct summing *s, u32 ref)
{
	const struct block *block = block_at(s, ref);
	struct why_label waiter = why_label_of_block(s->why, block->leg, ref, WHY_NR);
	struct why_delay *delay = delay_of(s, &waiter);

	why_explain_block(s->why, ref, &s->pieces);
	add_cases(s, delay, ref, block_ns(block));
	add_object(s, &delay->objects, ref, block_ns(block));
	add_pieces(s, delay, block->leg);
}

/* A wait for a CPU is explained by the one that had it. */
static void add_cpu_wait(struct summing *s, u32 ref)
{
	const struct block *block = block_at(s, ref);
	struct why_label waiter = {
		.comm = s->why->p->legs.at[block->leg].comm,
		.what = WHY_NR,
		.class = why_wait_class(block),
	};
	struct why_label had = no_cpu_label(s->why->p, block);
	struct why_delay *delay = delay_of(s, &waiter);
	u32 node = node_below(delay, WHY_NO_STEP, &had);

	delay->nodes.at[node].ns += block->end - block->woken;
	add_cases(s, delay, ref, block->end - block->woken);
}

static void add_idle(struct summing *s, u32 ref)
{
	const struct block *block = block_at(s, ref);
	struct why_label at = why_label_of_block(s->why, block->leg, ref, WHY_NR);
	struct table_probe probe;
	struct why_idle *idle = NULL;
	u64 hash;

	at.kernel = 0;
	hash = hash_bytes(&at, sizeof(at));
	for (probe = table_probe(&s->idle, hash); !idle && table_next(&probe);)
		if (same_label(&s->to->idle_places.at[probe.ref].at, &at))
			idle = &s->to->idle_places.at[probe.ref];
	if (!idle) {
		table_insert(&s->idle, hash, (u32)s->to->idle_places.nr);
		idle = vec_add(&s->to->idle_places);
		idle->at = at;
	}
	add_object(s, &idle->objects, ref, block_ns(block));
	idle->ns += block_ns(block);
	idle->nr += block_nr(block);
}

static void add_block(struct summing *s, u32 ref)
{
	const struct block *block = block_at(s, ref);
	enum why_class class = why_class(s->why, ref);
	u64 blocked = block_ns(block), waited = block->end - block->woken;

	s->to->class_ns[class] += blocked;
	s->to->class_ns[why_wait_class(block)] += waited;
	s->to->ns += blocked + waited;
	if (waited)
		add_cpu_wait(s, ref);
	if (!blocked)
		return;
	if (class == WHY_IDLE)
		add_idle(s, ref);
	else
		add_delay(s, ref);
}

/* ---- order */

static int compare_ns(u64 x, u64 y)
{
	return x > y ? -1 : x < y;
}

static int compare_delays(const void *a, const void *b)
{
	const struct why_delay *x = a, *y = b;

	return x->ns != y->ns ? compare_ns(x->ns, y->ns)
			      : memcmp(&x->waiter, &y->waiter, sizeof(x->waiter));
}

static int compare_idle(const void *a, const void *b)
{
	const struct why_idle *x = a, *y = b;

	return x->ns != y->ns ? compare_ns(x->ns, y->ns) : memcmp(&x->at, &y->at, sizeof(x->at));
}

static int compare_objects(const void *a, const void *b)
{
	const struct why_object *x = a, *y = b;

	return x->ns != y->ns ? compare_ns(x->ns, y->ns)
			      : (x->object > y->object) - (x->object < y->object);
}

static int compare_lengths(const void *a, const void *b)
{
	return -compare_ns(*(const u64 *)a, *(const u64 *)b);
}

static void sort_delay(struct why_delay *delay)
{
	vec_sort(&delay->lengths, compare_lengths);
	vec_sort(&delay->objects, compare_objects);
	vec_for_each (&delay->nodes, node)
		vec_sort(&node->objects, compare_objects);
}

void why_summarize(struct why *why, struct why_summary *summary)
{
	struct summing s = {.why = why, .to = summary};

	*summary = (struct why_summary){};
	for (u32 ref = 0; ref < profile_nr_chosen(why->p); ref++)
		add_block(&s, ref);
	vec_for_each (&summary->delays, delay)
		sort_delay(delay);
	vec_for_each (&summary->idle_places, idle)
		vec_sort(&idle->objects, compare_objects);
	vec_sort(&summary->delays, compare_delays);
	vec_sort(&summary->idle_places, compare_idle);
	table_release(&s.delays);
	table_release(&s.idle);
	why_pieces_release(&s.pieces);
}

void why_delay_release(struct why_delay *delay)
{
	vec_for_each (&delay->nodes, node)
		vec_release(&node->objects);
	vec_release(&delay->nodes);
	vec_release(&delay->objects);
	vec_release(&delay->lengths);
}

void why_summary_release(struct why_summary *summary)
{
	vec_for_each (&summary->delays, delay)
		why_delay_release(delay);
	vec_for_each (&summary->idle_places, idle)
		vec_release(&idle->objects);
	vec_release(&summary->delays);
	vec_release(&summary->idle_places);
}

/* ---- one of them */

/* As if there were no other. */
static void delay_of_one(struct why *why, u32 ref, struct why_delay *delay,
			 void (*add)(struct summing *s, u32 ref))
{
	struct why_summary alone = {};
	struct summing s = {.why = why, .to = &alone};

	add(&s, ref);
	*delay = alone.delays.at[0];
	vec_release(&alone.delays);
	table_release(&s.delays);
	why_pieces_release(&s.pieces);
}

void why_delay_of_block(struct why *why, u32 ref, struct why_delay *delay)
{
	delay_of_one(why, ref, delay, add_delay);
}

void why_delay_of_cpu_wait(struct why *why, u32 ref, struct why_delay *delay)
{
	delay_of_one(why, ref, delay, add_cpu_wait);
}
