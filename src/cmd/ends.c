/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ends.c: how the walks of user stacks ended, by cause, and in which files the broken ones stopped.
 */
#include "base/strbuf.h"
#include "summary.h"

enum { FILES_SHOWN = 10 };

static const char *const causes[WICK_NR_ENDS] = {
	[WICK_COMPLETE] = "complete",
	[WICK_TRUNCATED] = "truncated at the depth limit",
	[WICK_NO_UNWIND_INFO] = "no unwind information",
	[WICK_BAD_FRAME] = "bad frame",
	[WICK_UNREADABLE] = "unreadable stack memory",
	[WICK_LOST] = "lost",
	[WICK_NO_STACK] = "no user stack (not broken)",
};

struct broken {
	u32 file; /* 0: code without a file */
	u64 nr[WICK_NR_ENDS], sum;
};

struct ends {
	u64 nr[WICK_NR_ENDS];
	VEC(struct broken) files;
};

/* Where the walk stopped: the file of the outermost frame that was found. */
static u32 last_file(const struct profile *p, const struct stack *stack)
{
	const struct frame *frame;

	if (!stack->nr)
		return 0;
	frame = &p->frames.at[p->stack_frames.at[stack->first + stack->nr - 1]];
	return frame->space == SPACE_FILE ? frame->origin : 0;
}

static struct broken *broken_in(struct ends *ends, u32 file)
{
	struct broken *row;

	vec_for_each (&ends->files, known)
		if (known->file == file)
			return known;
	row = vec_add(&ends->files);
	row->file = file;
	return row;
}

static void add_sample(struct ends *ends, const struct profile *p, const struct sample *sample)
{
	const struct stack *stack = &p->stacks.at[sample->user];
	enum wick_end end = sample->user ? stack->end : WICK_NO_STACK;
	struct broken *row;

	ends->nr[end] += sample->column[0];
	if (end == WICK_COMPLETE || end == WICK_NO_STACK)
		return;
	row = broken_in(ends, last_file(p, stack));
	row->nr[end] += sample->column[0];
	row->sum += sample->column[0];
}

static int compare_broken(const void *a, const void *b)
{
	const struct broken *x = a, *y = b;

	if (x->sum != y->sum)
		return x->sum > y->sum ? -1 : 1;
	return x->file < y->file ? -1 : x->file > y->file;
}

static void print_broken(FILE *to, const struct profile *p, const struct broken *row)
{
	struct string name = strings_get(&p->names, p->files.at[row->file].name);
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, "    ");
	if (row->file)
		strbuf_add_safe_utf8(&line, name.s, name.size);
	else
		strbuf_adds(&line, "(no file)");
	for (int end = 0; end < WICK_NR_ENDS; end++)
		if (row->nr[end])
			strbuf_addf(&line, ", %s %llu", causes[end],
				    (unsigned long long)row->nr[end]);
	fprintf(to, "%s\n", line.s);
}

void print_ends(FILE *to, const struct profile *p)
{
	struct ends ends = {};
	u64 all = 0;

	vec_for_each (&p->samples, sample)
		if (p->legs.at[sample->leg].kind == WICK_USER_THREAD)
			add_sample(&ends, p, sample);
	for (int end = 0; end < WICK_NO_STACK; end++)
		all += ends.nr[end];
	fprintf(to, "stacks    of %llu samples with a user stack:\n", (unsigned long long)all);
	for (int end = 0; end < WICK_NR_ENDS; end++)
		if (ends.nr[end])
			fprintf(to, "  %7.2f %%  %s (%llu)\n",
				all ? 100.0 * (double)ends.nr[end] / (double)all : 0.0, causes[end],
				(unsigned long long)ends.nr[end]);
	vec_sort(&ends.files, compare_broken);
	if (ends.files.nr)
		fprintf(to, "  where the broken ones stopped:\n");
	for (size_t i = 0; i < min(ends.files.nr, (size_t)FILES_SHOWN); i++)
		print_broken(to, p, &ends.files.at[i]);
	vec_release(&ends.files);
}
