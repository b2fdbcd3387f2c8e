/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ends.c: how the walks of user stacks ended, by cause, and in which files the broken ones stopped.
 */
#include "base/numbers.h"
#include "facts.h"

/* By file: 1 + its row in end_facts.files; 0: it has none. */
struct rows {
	VEC_FIELDS(u32);
};

/* Where the walk stopped: the outermost frame that was found; NULL: none was. */
static const struct frame *last_frame(const struct profile *p, const struct stack *stack)
{
	return stack->nr ? &p->frames.at[p->stack_frames.at[stack->first + stack->nr - 1]] : NULL;
}

static struct broken_file *broken_in(struct end_facts *ends, struct rows *rows,
				     const struct profile *p, u32 file)
{
	struct broken_file *row;

	while (rows->nr <= file)
		vec_add(rows);
	if (rows->at[file])
		return &ends->files.at[rows->at[file] - 1];
	row = vec_add(&ends->files);
	row->file = file;
	row->name = strings_get(&p->names, p->files.at[file].name);
	rows->at[file] = (u32)ends->files.nr;
	return row;
}

static void add_sample(struct end_facts *ends, struct rows *rows, const struct profile *p,
		       const struct sample *sample)
{
	const struct stack *stack = &p->stacks.at[sample->user];
	const struct frame *last = last_frame(p, stack);
	enum wick_end end = sample->user ? stack->end : WICK_NO_STACK;
	struct broken_file *row;

	add_to_sum(&ends->nr[end], sample->column[0]);
	if (end == WICK_NO_STACK)
		return;
	add_to_sum(&ends->all, sample->column[0]);
	if (end == WICK_COMPLETE)
		return;
	row = broken_in(ends, rows, p, last && last->space == SPACE_FILE ? last->origin : 0);
	if (last && last->space == SPACE_IMAGE && last->origin)
		row->process = strings_get(&p->names, p->images.at[last->origin].comm);
	add_to_sum(&row->nr[end], sample->column[0]);
	add_to_sum(&row->sum, sample->column[0]);
}

static int compare_broken(const void *a, const void *b)
{
	const struct broken_file *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	return x->file < y->file ? -1 : x->file > y->file;
}

void ends_finish(struct facts *f, const struct profile *p)
{
	struct rows rows = {};

	vec_for_each (&p->samples, sample)
		if (p->legs.at[sample->leg].kind == WICK_USER_THREAD)
			add_sample(&f->ends, &rows, p, sample);
	vec_sort(&f->ends.files, compare_broken);
	vec_release(&rows);
}
