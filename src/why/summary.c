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

static u32 place_function(struct summing *s, u32 user)
{
	return places_place(&s->why->places, s->why->p, user).function;
}

/* ---- what is said of a piece */

/* A thread in a block: where it waits, and for what. */
static struct why_label blocked_label(struct summing *s, u32 leg, u32 ref, enum why_what what)
{
	const struct block *block = block_at(s, ref);

	return (struct why_label){
		.comm = s->why->p->legs.at[leg].comm,
		.function = place_function(s, block->user),
		.kernel = block->user ? 0 : block->kernel,
		.what = what,
		.class = why_class(s->why, ref),
	};
}

static u32 leg_of(const struct summing *s, const struct why_piece *piece, u32 waiter)
{
	return piece->step == WHY_NO_STEP ? waiter : s->pieces.steps.at[piece->step].leg;
}

/* Where a thread ran: known where it did the wakeup that led to it. */
static u32 ran_in(struct summing *s, const struct why_piece *piece)
{
	u32 ref = piece->step == WHY_NO_STEP ? WHY_NO_BLOCK : s->pieces.steps.at[piece->step].block;
	const struct hop *hop = ref == WHY_NO_BLOCK ? NULL : why_hop(s->why->p, block_at(s, ref));

	return hop ? place_function(s, hop->user) : 0;
}

static struct why_label last_label(struct summing *s, const struct why_piece *piece, u32 waiter)
{
	u32 leg = leg_of(s, piece, waiter);
	struct why_label label = {
		.comm = s->why->p->legs.at[leg].comm,
		.what = piece->what,
		.class = WHY_UNCLEAR,
	};

	if (piece->what == WHY_RAN) {
		label.function = ran_in(s, piece);
		label.class = WHY_CPU;
	} else if (piece->what == WHY_NO_CPU) {
		label.class = WHY_CPU;
		label.other = s->why->p->legs.at[block_at(s, piece->block)->before].comm;
	} else if (piece->block != WHY_NO_BLOCK) {
		return blocked_label(s, leg, piece->block, piece->what);
	}
	return label;
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
static u32 node_of_step(struct summing *s, struct why_delay *delay, u32 step, u32 block)
{
	const struct why_step *at;
	struct why_label label;
	u32 parent;

	if (step == WHY_NO_STEP)
		return WHY_NO_STEP;
	at = &s->pieces.steps.at[step];
	parent = node_of_step(s, delay, at->from, at->block);
	if (block == WHY_NO_BLOCK) /* it was forked */
		return parent;
	label = blocked_label(s, at->leg, block, WHY_NR);
	parent = node_below(delay, parent, &label);
	return parent;
}

static void add_pieces(struct summing *s, struct why_delay *delay, u32 waiter)
{
	for (size_t i = 0; i < s->pieces.pieces.nr; i++) {
		const struct why_piece *piece = &s->pieces.pieces.at[i];
		struct why_label label = last_label(s, piece, waiter);
		u32 parent = WHY_NO_STEP, node;

		if (piece->step != WHY_NO_STEP) {
			const struct why_step *step = &s->pieces.steps.at[piece->step];

			parent = node_of_step(s, delay, step->from, step->block);
		}
		node = node_below(delay, parent, &label);
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

static void add_case(struct why_delay *delay, u32 ref, u64 ns)
{
	delay->ns += ns;
	*vec_add(&delay->lengths) = ns;
	if (ns <= delay->longest)
		return;
	delay->longest = ns;
	delay->worst = ref;
}

static void add_delay(struct summing *s, u32 ref)
{
	const struct block *block = block_at(s, ref);
	struct why_label waiter = blocked_label(s, block->leg, ref, WHY_NR);
	struct why_delay *delay = delay_of(s, &waiter);

	why_explain_block(s->why, ref, &s->pieces);
	add_case(delay, ref, block_ns(block));
	add_pieces(s, delay, block->leg);
}

/* A wait for a CPU is explained by the one that had it. */
static void add_cpu_wait(struct summing *s, u32 ref)
{
	const struct block *block = block_at(s, ref);
	struct why_label waiter = {
		.comm = s->why->p->legs.at[block->leg].comm,
		.what = WHY_NR,
		.class = WHY_CPU,
	};
	struct why_label had = {
		.other = s->why->p->legs.at[block->before].comm,
		.what = WHY_NO_CPU,
		.class = WHY_CPU,
	};
	struct why_delay *delay = delay_of(s, &waiter);
	u32 node = node_below(delay, WHY_NO_STEP, &had);

	delay->nodes.at[node].ns += block->end - block->woken;
	add_case(delay, ref, block->end - block->woken);
}

static void add_idle(struct summing *s, u32 ref)
{
	const struct block *block = block_at(s, ref);
	struct why_label at = blocked_label(s, block->leg, ref, WHY_NR);
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
	idle->ns += block_ns(block);
	idle->nr++;
}

static void add_block(struct summing *s, u32 ref)
{
	const struct block *block = block_at(s, ref);
	enum why_class class = why_class(s->why, ref);
	u64 blocked = block_ns(block), waited = block->end - block->woken;

	s->to->class_ns[class] += blocked;
	s->to->class_ns[WHY_CPU] += waited;
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

static int compare_lengths(const void *a, const void *b)
{
	return -compare_ns(*(const u64 *)a, *(const u64 *)b);
}

void why_summarize(struct why *why, struct why_summary *summary)
{
	struct summing s = {.why = why, .to = summary};

	*summary = (struct why_summary){};
	for (u32 ref = 0; ref < why->p->blocks.nr; ref++)
		add_block(&s, ref);
	vec_for_each (&summary->delays, delay)
		vec_sort(&delay->lengths, compare_lengths);
	vec_sort(&summary->delays, compare_delays);
	vec_sort(&summary->idle_places, compare_idle);
	table_release(&s.delays);
	table_release(&s.idle);
	why_pieces_release(&s.pieces);
}

void why_summary_release(struct why_summary *summary)
{
	vec_for_each (&summary->delays, delay) {
		vec_release(&delay->nodes);
		vec_release(&delay->lengths);
	}
	vec_release(&summary->delays);
	vec_release(&summary->idle_places);
}
