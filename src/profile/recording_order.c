/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording_order.h"

/* What a comparison needs to know. */
struct sorting {
	const struct recording_order *order;
	const struct profile *p;
};

typedef int compare_rows(const void *a, const void *b, void *sorting);

void recording_order_release(struct recording_order *order)
{
	for (size_t i = 0; i < NR_TABLES; i++) {
		vec_release(&order->tables[i].rows);
		vec_release(&order->tables[i].numbers);
	}
}

/* Numbers the rows up to `nr` that have none. The first `fixed` ones are what they are. */
static void order_table(struct recording_order *order, enum table_number table,
			const struct profile *p, size_t nr, compare_rows *compare)
{
	struct row_order *o = &order->tables[table];
	struct sorting sorting = {.order = order, .p = p};
	size_t first = max(o->rows.nr, (size_t)recorded_tables[table].fixed);

	for (size_t i = o->rows.nr; i < nr; i++) {
		*vec_add(&o->rows) = (u32)i;
		*vec_add(&o->numbers) = (u32)i;
	}
	if (first >= nr)
		return;
	qsort_r(o->rows.at + first, nr - first, sizeof(*o->rows.at), compare, &sorting);
	for (size_t i = first; i < nr; i++)
		o->numbers.at[o->rows.at[i]] = (u32)i;
}

static int compare(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare_frames(const void *a, const void *b, void *ctx)
{
	const struct sorting *s = ctx;
	const struct frame *x = &s->p->frames.at[*(const u32 *)a];
	const struct frame *y = &s->p->frames.at[*(const u32 *)b];

	if (x->space != y->space)
		return compare(x->space, y->space);
	if (x->origin != y->origin)
		return compare(x->origin, y->origin);
	return compare(x->address, y->address);
}

/* From the root on, so that the nodes of a trie come one after the other. */
static int compare_stacks(const void *a, const void *b, void *ctx)
{
	const struct sorting *s = ctx;
	u32 row = *(const u32 *)a, other = *(const u32 *)b;
	const struct stack *x = &s->p->stacks.at[row], *y = &s->p->stacks.at[other];
	const u32 *frames = s->p->stack_frames.at;
	u32 nr = min(x->nr, y->nr);

	for (u32 i = 1; i <= nr; i++) {
		u32 of_x = frames[x->first + x->nr - i], of_y = frames[y->first + y->nr - i];

		if (of_x != of_y)
			return compare(number_of_row(s->order, TABLE_FRAMES, of_x),
				       number_of_row(s->order, TABLE_FRAMES, of_y));
	}
	return x->nr != y->nr ? compare(x->nr, y->nr) : compare(row, other);
}

static int compare_stack_numbers(const struct sorting *s, u32 x, u32 y)
{
	return compare(number_of_row(s->order, TABLE_STACKS, x),
		       number_of_row(s->order, TABLE_STACKS, y));
}

static int compare_hops(const void *a, const void *b, void *ctx)
{
	const struct sorting *s = ctx;
	const struct hop *x = &s->p->hops.at[*(const u32 *)a];
	const struct hop *y = &s->p->hops.at[*(const u32 *)b];

	if (x->cause != y->cause)
		return compare(x->cause, y->cause);
	if (x->kernel != y->kernel)
		return compare_stack_numbers(s, x->kernel, y->kernel);
	if (x->user != y->user)
		return compare_stack_numbers(s, x->user, y->user);
	return compare(x->leg, y->leg);
}

/* The sleeper's own waker first. */
static int compare_chains(const void *a, const void *b, void *ctx)
{
	const struct sorting *s = ctx;
	u32 row = *(const u32 *)a, other = *(const u32 *)b;
	const struct chain *x = &s->p->chains.at[row], *y = &s->p->chains.at[other];
	const u32 *hops = s->p->chain_hops.at;
	u32 nr = min(x->nr, y->nr);

	for (u32 i = 0; i < nr; i++)
		if (hops[x->first + i] != hops[y->first + i])
			return compare(number_of_row(s->order, TABLE_HOPS, hops[x->first + i]),
				       number_of_row(s->order, TABLE_HOPS, hops[y->first + i]));
	return x->nr != y->nr ? compare(x->nr, y->nr) : compare(row, other);
}

static int compare_samples(const void *a, const void *b, void *ctx)
{
	const struct sorting *s = ctx;
	const struct sample *x = &s->p->samples.at[*(const u32 *)a];
	const struct sample *y = &s->p->samples.at[*(const u32 *)b];

	if (x->kind != y->kind)
		return compare(x->kind, y->kind);
	if (x->state != y->state)
		return compare(x->state, y->state);
	if (x->user != y->user)
		return compare_stack_numbers(s, x->user, y->user);
	if (x->kernel != y->kernel)
		return compare_stack_numbers(s, x->kernel, y->kernel);
	if (x->leg != y->leg)
		return compare(x->leg, y->leg);
	return compare(number_of_row(s->order, TABLE_CHAINS, x->chain),
		       number_of_row(s->order, TABLE_CHAINS, y->chain));
}

static int compare_counts(const void *a, const void *b, void *ctx)
{
	const struct slice_sample *x = a, *y = b;

	return compare(number_of_row(ctx, TABLE_SAMPLES, x->sample),
		       number_of_row(ctx, TABLE_SAMPLES, y->sample));
}

void order_frames(struct recording_order *order, const struct profile *p)
{
	order_table(order, TABLE_FRAMES, p, p->frames.nr, compare_frames);
}

void order_stacks(struct recording_order *order, const struct profile *p)
{
	order_table(order, TABLE_STACKS, p, p->stacks.nr, compare_stacks);
}

void order_hops(struct recording_order *order, const struct profile *p)
{
	order_table(order, TABLE_HOPS, p, p->hops.nr, compare_hops);
}

void order_chains(struct recording_order *order, const struct profile *p)
{
	order_table(order, TABLE_CHAINS, p, p->chains.nr, compare_chains);
}

void order_samples(struct recording_order *order, const struct profile *p)
{
	order_table(order, TABLE_SAMPLES, p, p->samples.nr, compare_samples);
}

void order_counts(const struct recording_order *order, struct slice_sample *counts, size_t nr)
{
	if (nr)
		qsort_r(counts, nr, sizeof(*counts), compare_counts, (void *)order);
}
