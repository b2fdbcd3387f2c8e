/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * operation_options.c: --show-stacks and its like, and what is said of what they left out.
 */
#include "operation_options.h"

#include "base/numbers.h"
#include "look.h"

#define OPERATION(long_name, kind, argument, text)                                                 \
	OPTION(long_name, OPERATION_KEYS + (kind), argument, text)

const struct argp_option operation_rows[] = {
	{.doc = "What to leave out of stacks (RE: a regular expression):", .group = 3},
	OPERATION("show-stacks", OPERATION_SHOW_STACKS, "RE",
		  "only stacks with a frame that matches"),
	OPERATION("hide-stacks", OPERATION_HIDE_STACKS, "RE",
		  "no stacks with a frame that matches"),
	OPERATION("show-frames", OPERATION_SHOW_FRAMES, "RE", "only frames that match"),
	OPERATION("hide-frames", OPERATION_HIDE_FRAMES, "RE",
		  "no frames that match; their callees join their caller"),
	OPERATION("show-from", OPERATION_SHOW_FROM, "RE",
		  "stacks begin at the match nearest to the root; those without one are left out"),
	OPERATION("focus", OPERATION_FOCUS, "FUNCTION",
		  "only this function, all its callers merged, and what it calls"),
	OPERATION("hide-plumbing", OPERATION_HIDE_PLUMBING, NULL,
		  "no frames of kernel entry, scheduler, wakeups and libc's start"),
	OPERATION("collapse-recursion", OPERATION_COLLAPSE_RECURSION, NULL,
		  "a function that calls itself is one frame"),
	OPERATION(
		"min-percent", OPERATION_MIN_PERCENT, "N",
		"no boxes of less than N percent of what is left; their value is their callers' own"),
	{},
};

static const char *name_of(enum operation_kind kind)
{
	const struct argp_option *row = operation_rows;

	while (row->key != OPERATION_KEYS + (int)kind)
		row++;
	return row->name;
}

error_t operation_parse(struct operations *operations, int key, const char *arg,
			struct argp_state *state)
{
	enum operation_kind kind = (enum operation_kind)(key - OPERATION_KEYS);
	struct error error;

	if (key < OPERATION_KEYS || key >= OPERATION_KEYS + NR_OPERATION_KINDS)
		return ARGP_ERR_UNKNOWN;
	if (operations_add(operations, kind, arg, &error))
		argp_error(state, "bad --%s: %s", name_of(kind), error.text);
	return 0;
}

/* "1,234 samples (12.34 %)" */
static void add_share(struct strbuf *b, u64 amount, u64 part, u64 all, const struct unit *unit)
{
	strbuf_add_quantity(b, amount, unit);
	strbuf_adds(b, " (");
	strbuf_add_percent(b, part, all, 2);
	strbuf_adds(b, " %)");
}

static void add_part(struct strbuf *b, u64 part, u64 all, const struct unit *unit)
{
	add_share(b, part, part, all, unit);
}

static bool takes_boxes(const struct operation_sum *op)
{
	const struct argp_option *row = operation_rows;

	while (row->name != op->option)
		row++;
	return row->key >= OPERATION_KEYS + OPERATION_COLLAPSE_RECURSION;
}

static void add_frames(struct strbuf *b, const struct operation_sum *op)
{
	strbuf_add_number(b, op->frames);
	strbuf_addf(b, " %s%s", takes_boxes(op) ? "frame" : "function", op->frames == 1 ? "" : "s");
}

static void add_operation(struct strbuf *b, const struct operation_sum *op,
			  const struct operation_sums *of)
{
	bool removes = op->stacks || op->removed;

	strbuf_addf(b, "--%s", op->option);
	if (op->text)
		strbuf_addf(b, " '%s'", op->text);
	strbuf_adds(b, " left out ");
	if (op->frames)
		add_frames(b, op);
	if (op->frames && removes)
		strbuf_adds(b, " and ");
	if (removes)
		add_part(b, op->removed, of->total, &of->unit);
	if (!op->frames && !removes)
		strbuf_adds(b, "nothing");
	if (!op->joined)
		return;
	strbuf_adds(b, ", and ");
	add_part(b, op->joined, of->total, &of->unit);
	strbuf_adds(b, " now count as callers' own");
}

void operation_sums_describe(struct strbuf *b, const struct operation_sums *sums)
{
	if (!sums->nr)
		return;
	strbuf_adds(b, "kept ");
	strbuf_add_amount(b, sums->kept, &sums->unit);
	strbuf_adds(b, " of ");
	add_share(b, sums->total, sums->kept, sums->total, &sums->unit);
	vec_for_each (sums, op) {
		strbuf_adds(b, op == sums->at ? ": " : "; ");
		add_operation(b, op, sums);
	}
}

struct operation_sums operation_sums_of(const struct operations *operations,
					const struct unit *unit)
{
	struct operation_sums sums = {
		.unit = *unit,
		.total = operations->total,
		.kept = operations_kept(operations),
		.stacks = operations->nr_total,
		.kept_stacks = operations->nr_total,
	};

	vec_for_each (operations, op) {
		sums.kept_stacks -= op->nr_stacks;
		*vec_add(&sums) = (struct operation_sum){
			.option = name_of(op->kind),
			.text = op->text,
			.removed = op->removed,
			.stacks = op->nr_stacks,
			.frames = op->nr_frames,
			.joined = op->joined,
		};
	}
	return sums;
}

void operations_describe(struct strbuf *b, const struct operations *operations,
			 const struct unit *unit)
{
	struct operation_sums sums = operation_sums_of(operations, unit);

	operation_sums_describe(b, &sums);
	vec_release(&sums);
}
