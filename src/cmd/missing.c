/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "missing.h"

#include "base/strbuf.h"

/* Of an instrument. */
struct lack {
	struct strbuf why, views;
};

static bool needs(const struct view *view, enum wick_kind kind)
{
	const bool needed[WICK_NR_KINDS] = {
		[WICK_CPU] = view->needs.cpu,	  [WICK_SCHED] = view->needs.sched,
		[WICK_FAULT] = view->needs.fault, [WICK_BRK] = view->needs.brk,
		[WICK_MMAP] = view->needs.mmap,
	};

	return needed[kind];
}

static bool any_needs(const struct drawing *drawing, enum wick_kind kind)
{
	for (size_t i = 0; i < drawing->nr_views; i++)
		if (needs(&drawing->views[i], kind))
			return true;
	return false;
}

/* The first one with this reason: two instruments may lack the same. */
static struct lack *first_like(struct lack *lacks, struct lack *lack)
{
	while (strcmp(lacks->why.s ? lacks->why.s : "", lack->why.s))
		lacks++;
	return lacks;
}

/* What this one lacks; NULL: nothing. */
static struct lack *lack_of(const struct view *view, struct lack *lacks)
{
	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++)
		if (lacks[kind].why.size && needs(view, kind))
			return first_like(lacks, &lacks[kind]);
	return NULL;
}

static void keep_others(struct drawing *drawing, struct lack *lacks)
{
	struct view *left = xcalloc(drawing->nr_views, sizeof(*left));
	size_t nr = 0;

	for (size_t i = 0; i < drawing->nr_views; i++) {
		const struct view *view = &drawing->views[i];
		struct lack *lack = lack_of(view, lacks);

		if (lack)
			strbuf_addf(&lack->views, " %s", view->name);
		else
			left[nr++] = *view;
	}
	drawing->views = drawing->own_views = left;
	drawing->nr_views = nr;
}

static int tell(const struct drawing *drawing, struct lack *lacks, struct error *error)
{
	const struct lack *last = NULL;

	for (size_t i = 0; i < WICK_NR_KINDS; i++) {
		if (!lacks[i].views.size)
			continue;
		last = &lacks[i];
		if (drawing->nr_views)
			fprintf(stderr, "wick: without%s: %s\n", last->views.s, last->why.s);
	}
	if (drawing->nr_views || !last)
		return 0;
	return fail(error, -ENOTSUP,
		    "cannot draw%s: %s.\n`wick doctor` says what this host allows.", last->views.s,
		    last->why.s);
}

int leave_out_missing(struct drawing *drawing, struct error *error)
{
	struct lack lacks[WICK_NR_KINDS] = {};
	int err;

	/*
	 * Whoever asks for one view gets the whole story of an event that cannot be opened: from
	 * the attempt.
	 */
	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++)
		if (any_needs(drawing, kind) &&
		    (drawing->nr_views > 1 || (kind != WICK_CPU && kind != WICK_FAULT)))
			instrument_is_missing(kind, &lacks[kind].why);
	keep_others(drawing, lacks);
	err = tell(drawing, lacks, error);
	for (size_t i = 0; i < WICK_NR_KINDS; i++) {
		strbuf_release(&lacks[i].why);
		strbuf_release(&lacks[i].views);
	}
	return err;
}
