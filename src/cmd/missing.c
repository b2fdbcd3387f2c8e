/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "missing.h"

#include "parts.h"

/* Of a part, or of one that has the same reason and comes first. */
struct lack {
	struct strbuf why, views;
};

static void release_lacks(struct lack (*all)[NR_PARTS])
{
	for (size_t i = 0; i < NR_PARTS; i++) {
		strbuf_release(&(*all)[i].why);
		strbuf_release(&(*all)[i].views);
	}
}

static bool any_needs(const struct drawing *drawing, size_t part)
{
	for (size_t i = 0; i < drawing->nr_views; i++)
		if (view_needs_part(drawing->views[i], part))
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
	for (size_t i = 0; i < NR_PARTS; i++)
		if (lacks[i].why.size && view_needs_part(view, i))
			return first_like(lacks, &lacks[i]);
	return NULL;
}

static void keep_others(struct drawing *drawing, struct lack *lacks)
{
	size_t nr = 0;

	for (size_t i = 0; i < drawing->nr_views; i++) {
		const struct view *view = drawing->views[i];
		struct lack *lack = lack_of(view, lacks);

		if (lack) {
			strbuf_addf(&lack->views, " %s", view->name);
			*vec_add(&drawing->missing) =
				(struct missing_view){view->name, xstrdup(lack->why.s)};
		} else {
			drawing->views[nr++] = view;
		}
	}
	drawing->nr_views = nr;
}

/* The last of the reasons that costs a view; NULL: there is none. */
static const struct lack *print_lacks(const struct drawing *drawing, const struct lack *lacks)
{
	const struct lack *last = NULL;

	for (size_t i = 0; i < NR_PARTS; i++) {
		if (!lacks[i].views.size)
			continue;
		last = &lacks[i];
		if (drawing->nr_views)
			fprintf(stderr, "wick: without%s: %s\n", last->views.s, last->why.s);
	}
	return last;
}

/* ---- what the host lacks */

int leave_out_missing(struct drawing *drawing, struct error *error)
{
	_cleanup_(release_lacks) struct lack lacks[NR_PARTS] = {};
	const struct lack *last;

	/*
	 * A run of one view gets the whole story of an event that cannot be opened: from the
	 * attempt.
	 */
	for (size_t i = 0; i < NR_PARTS; i++)
		if (any_needs(drawing, i) &&
		    (drawing->nr_views > 1 || !needs_perf_event(part_at(i).needs)))
			part_is_missing(i, &lacks[i].why);
	keep_others(drawing, lacks);
	last = print_lacks(drawing, lacks);
	if (drawing->nr_views || !last)
		return 0;
	return fail(error, -ENOTSUP,
		    "cannot draw%s: %s.\n`wick doctor` says what this host allows.", last->views.s,
		    last->why.s);
}

/* ---- what the kernel refuses */

/* Does what has all of this work? */
static bool is_settled(const bool works[NR_PARTS], size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (works[k] && part_includes(k, i))
			return true;
	return false;
}

static bool loads(const struct collect_options *o, struct trial *trial)
{
	try_programs(o, false, trial);
	if (trial->err && o->verbose)
		fputs(collector_log(), stderr);
	return !trial->err;
}

/* Without what follows the program, no view can tell it from the rest of the host. */
static int try_family(const struct run_options *o, struct error *error)
{
	const struct collect_options family = family_options(&o->collect);
	struct trial trial;
	int err = 0;

	if (!family.program || family.all)
		return 0;
	if (!loads(&family, &trial))
		err = fail(
			error, -ENOEXEC,
			"cannot follow the program and its children: %s\n"
			"With -a wick watches the whole host meanwhile; please report this with the "
			"output of `wick doctor`.",
			trial.reason.s);
	trial_release(&trial);
	return err;
}

static void try_part(const struct run_options *o, size_t i, bool *works, struct lack *lack)
{
	const struct collect_options options = part_options(&o->collect, i);
	struct trial trial;

	*works = loads(&options, &trial);
	if (!*works)
		strbuf_add(&lack->why, trial.reason.s, trial.reason.size);
	trial_release(&trial);
}

int leave_out_refused(struct run_options *o, struct error *error)
{
	_cleanup_(release_lacks) struct lack lacks[NR_PARTS] = {};
	struct drawing *drawing = &o->drawing;
	bool works[NR_PARTS] = {};
	size_t nr_wanted = drawing->nr_views;
	int err = try_family(o, error);

	if (err || nr_wanted < 2)
		return err ? err : -ENOEXEC;
	for (size_t i = 0; i < NR_PARTS; i++)
		if (any_needs(drawing, i) && !is_settled(works, i))
			try_part(o, i, &works[i], &lacks[i]);
	keep_others(drawing, lacks);
	if (!drawing->nr_views || drawing->nr_views == nr_wanted)
		return -ENOEXEC;
	print_lacks(drawing, lacks);
	fprintf(stderr, "wick: please report this with the output of `wick doctor`\n");
	return 0;
}
