/* SPDX-License-Identifier: GPL-2.0-or-later */
/* option_checks.c: what can be judged, and chosen, only when all options are known. */
#include <argp.h>
#include <time.h>

#include "options.h"
#include "pages.h"
#include "window_time.h"

/* --metric has to be known to all views: half a record with another width would mislead. */
static void check_metric(const struct run_options *o, struct argp_state *state)
{
	for (size_t i = 0; i < o->drawing.nr_views; i++) {
		const struct view *view = o->drawing.views[i];
		_cleanup_strbuf_ struct strbuf names = {};

		if (metric_by_name(view, o->metric))
			continue;
		for (size_t k = 0; k < MAX_METRICS && view->metrics[k].unit.name; k++)
			strbuf_addf(&names, "%s%s", k ? ", " : "", view->metrics[k].unit.name);
		argp_error(state, "bad --metric: '%s'; the %s view has %s", o->metric, view->name,
			   names.s);
	}
}

/* Names that are of no picture's format. */
static void find_json_pages(struct look *look)
{
	vec_for_each (&look->outputs, output) {
		if (output->format || look->format || !output->path ||
		    !page_takes_path(output->path))
			continue;
		output->as = AS_JSON;
		output->format = format_by_name("text");
	}
}

static void find_text_pages(struct look *look)
{
	vec_for_each (&look->outputs, output)
		if (output->as != AS_JSON && output->format == format_by_name("text"))
			output->as = AS_PAGE;
}

static void choose_outputs(struct run_options *o, struct argp_state *state)
{
	struct look *look = &o->look;

	if (!look->outputs.nr && (o->recording || (o->drawing.text && o->json)))
		return;
	if (!look->outputs.nr && o->drawing.page && !look->format)
		return;
	if (!look->outputs.nr && o->drawing.text && !look->format)
		look_add_output(look, "-", format_by_name("text"));
	if (!look->outputs.nr)
		look_add_output(look, NULL, look->format ? look->format : format_by_name("svg"));
	if (o->drawing.page)
		find_json_pages(look);
	look_choose_formats(look, state);
	if (o->drawing.page)
		find_text_pages(look);
	vec_for_each (&look->outputs, output)
		if (o->json && output->path && !strcmp(output->path, "-"))
			argp_error(state, "standard output is for one: --json, or -o - and -f");
}

/* One directory, in which each view is a file of each format. */
static void check_directory(struct run_options *o, struct argp_state *state)
{
	if (o->look.outputs.nr > 1)
		argp_error(state, "one -o is enough: it names the directory for all files");
	if (!o->look.outputs.nr && o->recording)
		return;
	if (!o->look.outputs.nr)
		look_add_output(&o->look, NULL, NULL);
	else if (!strcmp(o->look.outputs.at[0].path, "-"))
		argp_error(state, "there is more than one file to write: -o names a directory, and "
				  "standard output is none");
}

static void check_max_size(const struct run_options *o, struct argp_state *state)
{
	if (o->max_size && !o->recording && !o->drawing.directory)
		argp_error(state, "--max-size is of a recording: write one with -o FILE.wick");
}

static void check_input(const struct run_options *o, struct argp_state *state)
{
	if (!o->input && (o->from || o->to))
		argp_error(state, "--from and --to are of a recording: name one with -i");
	if (!o->input && o->host)
		argp_error(state, "--host is of a merged recording: name one with -i");
	if (!o->input)
		return;
	if (o->view.outstanding && (o->from || o->to))
		argp_error(state, "--outstanding is of a whole run: what was held at its end");
	if (o->collecting || o->collect.program)
		argp_error(state, "%s means nothing with -i: %s is of a run that is over",
			   o->collecting ? o->collecting : "a program", o->input);
	if (o->recording)
		argp_error(state, "-i reads a recording, and does not write one: copy %s",
			   o->input);
}

/* Of all threads it takes one, and all others are observed: they may be why it waits. */
static void check_at(struct run_options *o, struct argp_state *state)
{
	struct collect_options *c = &o->collect;
	struct error error;
	u64 at = 0;

	if (!o->at)
		return;
	if (c->nr_tids != 1 || o->filters.size != strlen("-t ") + strcspn(o->filters.s + 3, " "))
		argp_error(state,
			   "--at tells of one thread: name it by -t TID, and give no other filter");
	if (time_in_window("--at", o->at, (u64)time(NULL) * NSEC_PER_SEC, &at, &error))
		argp_error(state, "%s", error.text);
	if (!o->input && !strchr(o->at, ':') && c->duration_ns && at >= c->duration_ns)
		argp_error(state, "--at %s is after the run's end: -d says how long that is",
			   o->at);
	vec_for_each (&o->look.outputs, output)
		if (output->as == AS_PICTURE)
			argp_error(state, "--at tells in words: -o FILE.txt or FILE.json");
	c->nr_tids = 0;
	strbuf_clear(&o->filters);
}

/* Two options of which each takes what the other one leaves. */
static void check_pairs(const struct run_options *o, struct argp_state *state)
{
	const struct collect_options *c = &o->collect;

	if (c->user_threads && c->kernel_threads)
		argp_error(state, "-u and -k leave no threads: give one of them");
	if (c->user_frames && c->kernel_frames)
		argp_error(state, "-U and -K leave no frames: give one of them");
	if (c->max_block_ns && c->min_block_ns > c->max_block_ns)
		argp_error(state, "-m is more than -M: that leaves no blocks");
	if (o->view.idle && o->view.no_idle)
		argp_error(state, "--idle draws what --no-idle leaves out: give one of them");
}

void run_options_check(struct run_options *o, struct argp_state *state)
{
	struct collect_options *c = &o->collect;

	check_input(o, state);
	check_max_size(o, state);
	check_pairs(o, state);
	if (o->drawing.nr_views == 1 && o->drawing.views[0]->only_woken && o->view.states &&
	    !(o->view.states & ~(u32)STATES_RUNNABLE))
		argp_error(state,
			   "--state leaves nothing: threads that are preempted or wait for a CPU "
			   "have no waker; S, D, I and T have one");
	check_metric(o, state);
	if (o->view.outstanding && !o->drawing.directory &&
	    metric_by_name(o->drawing.views[0], o->metric) != o->drawing.views[0]->metrics)
		argp_error(state, "--outstanding is in bytes: it has no other --metric");
	if (o->drawing.directory)
		check_directory(o, state);
	else
		choose_outputs(o, state);
	if (!c->duration_ns && !c->program)
		c->duration_ns = 30 * NSEC_PER_SEC;
	check_at(o, state);
	/* Of stacks whose files BPF does not know yet. */
	c->copies = 800;
	if (!c->unwind_bytes)
		c->unwind_bytes = 256 << 20;
}
