/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.c: all delays of a run, merged: those of one class, of threads of one name at one
 * place. Each block is explained by itself, and the pieces of all of them are added up in one tree.
 */
#include "index.h"

/* A node of a delay. */
struct known_node {
	u32 delay, node;
};

struct summing {
	struct why *why;
	struct why_summary *to;
	bool by_length;		   /* not by what blocks stand for: of one of them */
	struct table delays, idle; /* of to->delays, to->idle_places */
	struct table nodes;	   /* of all delays, by their number in `known_nodes` */
	VEC(struct known_node) known_nodes;
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

/* ---- what blocks stand for */

static u64 blocked_ns(const struct summing *s, u32 ref)
{
	return s->by_length ? block_ns(block_at(s, ref)) : why_stands_for(s->why, ref);
}

static u64 waited_ns(const struct summing *s, u32 ref)
{
	const struct block *block = block_at(s, ref);

	return s->by_length ? block->end - block->woken : why_wait_stands_for(block);
}

/* ---- objects */

/* Not each wait finds the lock's holder in its word. */
static void note_holder(struct why_object *object, u32 holder)
{
	if (!object->holder)
		object->holder = holder;
	else if (holder && holder != object->holder)
		object->has_several = true;
}

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
	note_holder(&objects->at[i], why_holder(s->why, block));
	objects->at[i].ns += ns;
}

/* ---- the tree of a delay */

static u32 node_below(struct summing *s, struct why_delay *delay, u32 parent,
		      const struct why_label *label)
{
	u32 of = (u32)(delay - s->to->delays.at);
	u64 hash = hash_u64(hash_bytes(label, sizeof(*label)) ^ (u64)of << 32 ^ parent);
	struct table_probe probe = table_probe(&s->nodes, hash);

	while (table_next(&probe)) {
		struct known_node known = s->known_nodes.at[probe.ref];
		const struct why_node *node;

		if (known.delay != of)
			continue;
		node = &delay->nodes.at[known.node];
		if (node->parent == parent && same_label(&node->label, label))
			return known.node;
	}
	table_insert(&s->nodes, hash, (u32)s->known_nodes.nr);
	*vec_add(&s->known_nodes) = (struct known_node){of, (u32)delay->nodes.nr};
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
	parent = node_below(s, delay, parent, &label);
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
		node = node_below(s, delay, parent, &label);
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

/* Those of a series are taken to be of one length. `ns`: what they stand for. */
static void add_cases(struct summing *s, struct why_delay *delay, u32 ref, u64 length, u64 ns)
{
	u64 nr = block_nr(block_at(s, ref)), one = length / nr;

	delay->ns += ns;
	delay->estimated += ns - min(ns, length);
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
	struct why_delay *delay;

	waiter.held = WHY_NOT_HELD; /* its tree tells that */
	delay = delay_of(s, &waiter);
	if (s->by_length)
		why_explain_block(s->why, ref, &s->pieces);
	else
		why_explain_all_like(s->why, ref, &s->pieces);
	add_cases(s, delay, ref, block_ns(block), blocked_ns(s, ref));
	add_object(s, &delay->objects, ref, blocked_ns(s, ref));
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
	u32 node = node_below(s, delay, WHY_NO_STEP, &had);

	delay->nodes.at[node].ns += waited_ns(s, ref);
	add_cases(s, delay, ref, block->end - block->woken, waited_ns(s, ref));
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
	add_object(s, &idle->objects, ref, blocked_ns(s, ref));
	idle->ns += blocked_ns(s, ref);
	idle->nr += block_nr(block);
}

static void add_block(struct summing *s, u32 ref)
{
	const struct block *block = block_at(s, ref);
	enum why_class class = why_class(s->why, ref);
	u64 blocked = blocked_ns(s, ref), waited = waited_ns(s, ref);

	s->to->class_ns[class] += blocked;
	s->to->class_ns[why_wait_class(block)] += waited;
	s->to->ns += blocked + waited;
	s->to->estimated += blocked - min(blocked, block_ns(block));
	s->to->estimated += waited - min(waited, block->end - block->woken);
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

/*
 * Parents that wait for children come last: those have what takes so long, and delays of their own.
 * Else a shell that waits for a shell that waits for a compiler has the first places.
 */
static int compare_delays(const void *a, const void *b)
{
	const struct why_delay *x = a, *y = b;
	bool parent = x->waiter.class == WHY_CHILD, other = y->waiter.class == WHY_CHILD;

	if (parent != other)
		return parent ? 1 : -1;
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

static void summing_release(struct summing *s)
{
	table_release(&s->delays);
	table_release(&s->idle);
	table_release(&s->nodes);
	vec_release(&s->known_nodes);
	why_pieces_release(&s->pieces);
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
	summing_release(&s);
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
	struct summing s = {.why = why, .to = &alone, .by_length = true};

	add(&s, ref);
	*delay = alone.delays.at[0];
	vec_release(&alone.delays);
	summing_release(&s);
}

void why_delay_of_block(struct why *why, u32 ref, struct why_delay *delay)
{
	delay_of_one(why, ref, delay, add_delay);
}

void why_delay_of_cpu_wait(struct why *why, u32 ref, struct why_delay *delay)
{
	delay_of_one(why, ref, delay, add_cpu_wait);
}
