/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * side.c: what `wick diff` compares. What a file is, its content says. A recording becomes a call
 * tree as if it were drawn; the tree is then copied, since both sides need one pool of names.
 */
#include "side.h"

#include "commands.h"
#include "leg_filter.h"
#include "operation_options.h"
#include "option_rows.h"
#include "replay.h"
#include "stack_input.h"
#include "why.h"
#include "base/numbers.h"

enum side_key { OPT_VIEW = SIDE_KEYS, OPT_OF_VIEW, OPT_BEFORE, OPT_NOW };

static const struct argp_option own_rows[] = {
	{.doc = "Of recordings:", .group = 5},
	OPTION("view", OPT_VIEW, "NAME",
	       "the graph to compare (cpu; offcpu where that was not recorded)"),
	OPTION("before", OPT_BEFORE, "FROM..TO",
	       "only this part of what was before: seconds after the recording's begin, or times of day"),
	OPTION("now", OPT_NOW, "FROM..TO", "only this part of what there is now"),
	OPTION("metric", OPT_OF_VIEW, "NAME", "what is counted: as in the graph's own command"),
	{},
};

/* Those of a run that choose from what was recorded. */
static const int chosen_keys[] = {'p', 't', 'c', OPT_PROCESS, OPT_HOST, 'G',	    'u',
				  'k', 'U', 'K', OPT_GROUP,   OPT_IDLE, OPT_NO_IDLE};

/* ---- options */

void sides_append_rows(struct argp_option *rows)
{
	append_rows(rows, MAX_OPTION_ROWS, own_rows);
	for (size_t i = 0; i < ARRAY_SIZE(chosen_keys); i++) {
		const struct argp_option *row = run_rows;
		struct argp_option chosen[2] = {};

		while (row->key != chosen_keys[i])
			row++;
		chosen[0] = *row;
		chosen[0].group = 0; /* of the row before */
		append_rows(rows, MAX_OPTION_ROWS, chosen);
	}
}

static const struct view *named_view(const char *name, struct argp_state *state)
{
	_cleanup_strbuf_ struct strbuf names = {};

	for (size_t i = 0; i < NR_VIEWS; i++)
		strbuf_add_listed(&names, views[i]->name, i, NR_VIEWS, "or");
	if (!view_by_name(name))
		argp_error(state, "bad --view: '%s'; it takes %s", name, names.s);
	return view_by_name(name);
}

static const char *checked_part(const char *text, const char *option, struct argp_state *state)
{
	if (!strstr(text, "..") || !strcmp(text, ".."))
		argp_error(state,
			   "bad %s: '%s'; it takes FROM..TO, such as 0..10, 60.. or "
			   "14:05..14:06:30",
			   option, text);
	return text;
}

static int parse_own(struct sides_options *o, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case OPT_VIEW:
		o->view = named_view(arg, state);
		o->for_recordings = "--view";
		return 0;
	case OPT_OF_VIEW:
		o->recorded.metric = arg;
		o->for_recordings = "--metric";
		return 0;
	case OPT_BEFORE:
		o->parts[0] = checked_part(arg, "--before", state);
		return 0;
	case OPT_NOW:
		o->parts[1] = checked_part(arg, "--now", state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static const char *name_of_key(int key)
{
	static const char letters[] = "-p\0-t\0-c\0-G\0-u\0-k\0-U\0-K";

	for (const char *name = letters; name < letters + sizeof(letters); name += 3)
		if (name[1] == key)
			return name;
	switch (key) {
	case OPT_HOST:
		return "--host";
	case OPT_PROCESS:
		return "--process";
	case OPT_IDLE:
		return "--idle";
	case OPT_NO_IDLE:
		return "--no-idle";
	default:
		return "--group";
	}
}

int sides_parse(struct sides_options *o, int key, char *arg, struct argp_state *state)
{
	if (!parse_own(o, key, arg, state))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(chosen_keys); i++) {
		if (chosen_keys[i] != key)
			continue;
		o->for_recordings = name_of_key(key);
		return run_options_choose(&o->recorded, key, arg, state);
	}
	return ARGP_ERR_UNKNOWN;
}

void sides_check(struct sides_options *o, struct argp_state *state)
{
	const struct collect_options *c = &o->recorded.collect;

	if (o->nr_inputs == 1 && o->parts[0] && o->parts[1])
		o->inputs[o->nr_inputs++] = o->inputs[0];
	if (o->nr_inputs != 2)
		argp_error(state, "name two files: what was before, and what there is now; or one "
				  "recording, and its parts with --before and --now");
	if (is_standard(o->inputs[0]) && is_standard(o->inputs[1]))
		argp_error(state, "standard input is one file: name the other one");
	if (c->user_threads && c->kernel_threads)
		argp_error(state, "-u and -k leave no threads: give one of them");
	if (c->user_frames && c->kernel_frames)
		argp_error(state, "-U and -K leave no frames: give one of them");
}

void sides_options_release(struct sides_options *o)
{
	run_options_release(&o->recorded);
	operations_release(&o->operations);
}

/* ---- files of stacks */

static int read_stacks(struct side *side, struct sides_options *o, const char *path,
		       struct strings *names, struct error *error)
{
	const struct stack_file_options options = {
		.columns = 1,
		.reverse = o->reverse,
		.operations = o->operations.nr ? &o->operations : NULL,
	};
	int err = stack_input_read(&side->files, &side->tree, names, path, &options, error);

	if (err)
		return err;
	if (!side->files.nr_stacks && side->files.nr_bad)
		return fail(error, -EINVAL, "%s: no stacks; the first bad %s is %s",
			    input_name(path), side->files.bad_noun, side->files.first_bad.text);
	stack_input_say_left_out(&side->files);
	return 0;
}

/* ---- recordings */

static int choose_metric(const struct sides_options *o, const struct view *view,
			 const struct metric **metric, struct error *error)
{
	_cleanup_strbuf_ struct strbuf names = {};

	*metric = metric_by_name(view, o->recorded.metric);
	if (*metric)
		return 0;
	for (size_t i = 0; i < MAX_METRICS && view->metrics[i].unit.name; i++)
		strbuf_addf(&names, "%s%s", i ? ", " : "", view->metrics[i].unit.name);
	return fail(error, -EINVAL, "bad --metric: '%s'; the %s view has %s", o->recorded.metric,
		    view->name, names.s);
}

/* The copy is finished, too. */
static void copy_tree(struct call_tree *to, struct strings *names, const struct call_tree *from)
{
	_cleanup_free_ u32 *path = xcalloc((size_t)from->max_depth + 1, sizeof(*path));
	u32 node = 0;

	do {
		const struct tree_node *n = &from->at[node];
		struct string name = strings_get(from->names, n->frame.name);
		struct string module = strings_get(from->names, n->frame.module);
		struct string source = strings_get(from->names, n->frame.path);
		const struct tree_frame frame = {
			.name = strings_add(names, name.s, name.size),
			.module = strings_add(names, module.s, module.size),
			.kind = n->frame.kind,
			.path = strings_add(names, source.s, source.size),
			.line = n->frame.line,
			.last_line = n->frame.last_line,
		};

		if (node)
			path[n->depth] = call_tree_child(to, path[n->depth - 1], &frame);
		call_tree_add_self(to, path[n->depth], n->self);
		node = call_tree_next(from, node);
	} while (node);
	call_tree_finish(to);
}

static void draw_view(const struct view *view, struct profile *p,
		      const struct view_options *options, struct call_tree *tree,
		      struct strings *names)
{
	_cleanup_(call_tree_release) struct call_tree drawn;
	struct stack_sink sink = call_tree_sink(&drawn);

	call_tree_init(&drawn, &p->names);
	view->project(p, options, &sink);
	call_tree_finish(&drawn);
	copy_tree(tree, names, &drawn);
}

/* Of a view's times or bytes. */
static void draw_events(struct side *side, const struct view *view, struct profile *p,
			struct view_options options, struct strings *names)
{
	const struct metric *count = metric_by_name(view, "count");

	if (!count || (!options.metric->unit.time && !options.metric->unit.bytes))
		return;
	options.metric = count;
	call_tree_init(&side->events, names);
	draw_view(view, p, &options, &side->events, names);
}

static int project(struct side *side, struct sides_options *o, struct profile *p,
		   const struct view *view, struct strings *names, struct error *error)
{
	struct view_options options = o->recorded.view;
	struct why *why;
	int err = choose_metric(o, view, &options.metric, error);

	if (!err)
		err = filter_legs(&o->recorded, p, error);
	if (err)
		return err;
	options.reverse = o->reverse;
	options.operations = o->operations.nr ? &o->operations : NULL;
	why = why_new(p);
	options.why = why;
	draw_events(side, view, p, options, names);
	operations_begin(&o->operations);
	draw_view(view, p, &options, &side->tree, names);
	why_free(why);
	side->files.view = view;
	side->files.unit = options.metric->unit;
	side->files.nr_stacks = side->tree.sum;
	return 0;
}

/* `like`: the view that the other side is of; NULL: not known. */
static int compare_view(struct side *side, struct sides_options *o, struct profile *p,
			const struct view *like, struct strings *names, struct error *error)
{
	const struct view *view = o->view ? o->view : like;
	const char *lacks;

	if (!view)
		view = replay_lacks(p, &cpu_view) ? &offcpu_view : &cpu_view;
	lacks = replay_lacks(p, view);
	if (lacks)
		return fail(error, -ENODATA,
			    "cannot compare %s: %s has no %s. Choose another graph with --view, or "
			    "record both with `wick record`.",
			    view->name, side->name, lacks);
	return project(side, o, p, view, names, error);
}

static int read_recording(struct side *side, struct sides_options *o, const char *path,
			  const char *part, const struct view *like, struct strings *names,
			  struct error *error)
{
	const char *dots = part ? strstr(part, "..") : NULL;
	_cleanup_free_ char *from = dots > part ? format("%.*s", (int)(dots - part), part) : NULL;
	struct recording r = {};
	struct profile p;
	int err;

	profile_init(&p);
	err = replay_read_part(path, from, dots && dots[2] ? dots + 2 : NULL, &p, &r, error);
	recording_release(&r);
	if (!err)
		err = compare_view(side, o, &p, like, names, error);
	profile_release(&p);
	return err;
}

/* ---- both */

static int read_side(struct side *side, struct sides_options *o, size_t i, const struct view *like,
		     struct strings *names, struct error *error)
{
	const char *path = o->inputs[i], *part = o->parts[i];
	int err;

	side->recorded = replay_is_recording(path);
	side->name = format("%s%s%s", input_name(path), part ? " " : "", part ? part : "");
	call_tree_init(&side->tree, names);
	operations_begin(&o->operations);
	if (part && !side->recorded)
		return fail(
			error, -EINVAL,
			"%s is no recording: %s chooses a part of one, as `wick record` makes it",
			input_name(path), i ? "--now" : "--before");
	err = side->recorded ? read_recording(side, o, path, part, like, names, error)
			     : read_stacks(side, o, path, names, error);
	if (err)
		return err;
	side->left_out = operation_sums_of(&o->operations, &side->files.unit);
	if (!side->recorded)
		call_tree_finish(&side->tree);
	return 0;
}

/* As call_tree_scale(): none of them is more than the tree's sum, or it was not kept. */
static void scale_left_out(struct operation_sums *sums, const struct unit *unit)
{
	u64 factor = unit->divisor / sums->unit.divisor;

	sums->unit = *unit;
	sums->total = saturated((unsigned __int128)sums->total * factor);
	sums->kept = saturated((unsigned __int128)sums->kept * factor);
	vec_for_each (sums, op)
		op->removed = saturated((unsigned __int128)op->removed * factor);
}

/* An empty file is in the other's unit. Decimals become as many. */
static int unify(struct side *a, struct side *b, struct error *error)
{
	struct side *coarse = a->files.unit.divisor < b->files.unit.divisor ? a : b;
	struct side *fine = coarse == a ? b : a;

	if (!coarse->files.nr_stacks || !fine->files.nr_stacks) {
		if (coarse->files.nr_stacks)
			fine->files.unit = coarse->files.unit;
		else
			coarse->files.unit = fine->files.unit;
		return 0;
	}
	if (strcmp(a->files.unit.name, b->files.unit.name))
		return fail(error, -EINVAL, "%s is in %s, %s in %s: these cannot be compared",
			    a->name, a->files.unit.name, b->name, b->files.unit.name);
	if (call_tree_scale(&coarse->tree, fine->files.unit.divisor / coarse->files.unit.divisor))
		return fail(error, -EOVERFLOW,
			    "the counts, with fractions, add up to 2^64 or more");
	coarse->files.unit = fine->files.unit;
	scale_left_out(&coarse->left_out, &fine->files.unit);
	return 0;
}

void sides_take_pruned(struct side sides[2], const struct operations *operations)
{
	const struct operation *last = operations->nr ? &operations->at[operations->nr - 1] : NULL;

	if (!last || last->kind != OPERATION_MIN_PERCENT)
		return;
	for (size_t i = 0; i < 2; i++) {
		struct operation_sums *sums = &sides[i].left_out;
		struct operation_sum *op = &sums->at[sums->nr - 1];

		op->frames = last->nr_frames;
		op->removed = i ? last->removed : last->removed_before;
		op->joined = i ? last->joined : last->joined_before;
		sums->kept -= min(sums->kept, op->removed);
	}
}

int sides_read(struct side sides[2], struct sides_options *o, struct strings *names,
	       struct error *error)
{
	int err = read_side(&sides[0], o, 0, NULL, names, error);

	if (!err)
		err = read_side(&sides[1], o, 1, sides[0].files.view, names, error);
	if (err)
		return err;
	if (o->for_recordings && !sides[0].recorded && !sides[1].recorded)
		return fail(error, -EINVAL,
			    "%s means nothing here: neither %s nor %s is a recording",
			    o->for_recordings, sides[0].name, sides[1].name);
	return unify(&sides[0], &sides[1], error);
}

void side_release(struct side *side)
{
	free(side->name);
	call_tree_release(&side->tree);
	call_tree_release(&side->events);
	vec_release(&side->left_out);
}
