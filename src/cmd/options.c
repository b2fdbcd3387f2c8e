/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"
#include "common_options.h"
#include "debuginfod.h"
#include "operation_options.h"
#include "option_rows.h"
#include "recording.h"
#include "wick.h"

enum { MOST_WALK_ABOVE_US = WICK_MOST_WALK_ABOVE / NSEC_PER_USEC };

static void set_unwind(struct run_options *o, const char *name, struct argp_state *state)
{
	if (strcmp(name, "auto") && strcmp(name, "fp"))
		argp_error(state, "bad --unwind: '%s'; it takes auto or fp", name);
	o->collect.walk_fp = !strcmp(name, "fp");
}

static void set_resident(struct run_options *o, const char *name, struct argp_state *state)
{
	if (strcmp(name, "rss") && strcmp(name, "faults"))
		argp_error(state, "bad --resident: '%s'; it takes rss or faults", name);
	o->collect.by_faults = !strcmp(name, "faults");
}

static int parse_filter(struct run_options *o, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case 'p':
		add_ids(&o->pids, arg, "process id", state);
		o->collect.pids = o->pids.ids.at;
		o->collect.nr_pids = o->pids.ids.nr;
		break;
	case 't':
		add_ids(&o->tids, arg, "thread id", state);
		o->collect.tids = o->tids.ids.at;
		o->collect.nr_tids = o->tids.ids.nr;
		break;
	case 'c':
		o->collect.comm = checked_glob(arg, state);
		break;
	case OPT_PROCESS:
		o->collect.process = checked_glob(arg, state);
		strbuf_addf(&o->filters, "%s--process %s", o->filters.size ? " " : "", arg);
		return 0;
	case OPT_HOST:
		o->host = arg;
		strbuf_addf(&o->filters, "%s--host %s", o->filters.size ? " " : "", arg);
		return 0;
	case 'G':
		o->collect.cgroup = arg;
		break;
	case 'C':
		o->collect.cpus = checked_cpus(arg, state);
		break;
	case 'u':
		o->collect.user_threads = true;
		break;
	case 'k':
		o->collect.kernel_threads = true;
		break;
	case 'U':
		o->collect.user_frames = true;
		break;
	case 'K':
		o->collect.kernel_frames = true;
		break;
	case 'I':
		o->collect.idle = true;
		break;
	case 'm':
		o->collect.min_block_ns = microseconds(arg, 1, "shortest block", state);
		break;
	case 'M':
		o->collect.max_block_ns = microseconds(arg, 1, "longest block", state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	strbuf_addf(&o->filters, "%s-%c%s%s", o->filters.size ? " " : "", key, arg ? " " : "",
		    arg ? arg : "");
	return 0;
}

/* How the instruments observe. */
static int parse_instrument(int key, char *arg, struct argp_state *state)
{
	struct run_options *o = state->input;

	switch (key) {
	case 'F':
		o->collect.frequency = (u32)whole_number(arg, 1, 100000, "frequency", state);
		return 0;
	case OPT_UNWIND:
		set_unwind(o, arg, state);
		return 0;
	case OPT_NO_PYTHON:
		o->collect.no_python = true;
		return 0;
	case OPT_RESIDENT:
		set_resident(o, arg, state);
		return 0;
	case OPT_UNWIND_MEMORY:
		o->collect.unwind_bytes =
			whole_number(arg, 2, 2048, "memory for unwind tables", state) << 20;
		return 0;
	case OPT_MAX_MEMORY:
		o->max_memory = byte_size(arg, "--max-memory", state);
		return 0;
	case OPT_PART:
		o->part_ns = duration(arg, state);
		return 0;
	case OPT_MAX_KEYS:
		o->collect.max_keys = (u32)whole_number(arg, 1, 1 << 24, "number of keys", state);
		return 0;
	case OPT_WALK_ABOVE:
		o->collect.walk_above_ns =
			whole_number(arg, 0, MOST_WALK_ABOVE_US, "--walk-above", state) *
			NSEC_PER_USEC;
		return 0;
	case OPT_DEPTH:
		o->collect.depth = (u32)whole_number(arg, 1, 32, "--depth", state);
		o->view.depth = o->collect.depth;
		return 0;
	case OPT_BUDGET:
		o->collect.budget = number(arg, 0.01, 100, "--budget", state);
		return 0;
	case OPT_DROP_SWITCHES:
		o->collect.drop_switches = (u32)whole_number(arg, 2, 1 << 30, "number", state);
		return 0;
	case OPT_SWITCH_HOOK:
		o->collect.switch_hook = named_hook(arg, switch_hooks, nr_switch_hooks, state);
		return 0;
	case OPT_CALL_HOOK:
		o->collect.call_hook = named_hook(arg, call_hooks, nr_call_hooks, state);
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static int parse_view(struct run_options *o, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case OPT_GROUP:
		if (grouping_by_name(arg, &o->view.group))
			argp_error(
				state,
				"bad --group: '%s'; it takes process, comm, pid, tid, cgroup or none",
				arg);
		return 0;
	case OPT_METRIC:
		o->metric = arg;
		return 0;
	case OPT_STATE:
		o->view.states = named_states(arg, state);
		return 0;
	case OPT_NO_INLINES:
		o->no_inlines = true;
		return 0;
	case OPT_DEBUGINFOD:
		o->debuginfod = debuginfod_asked(state);
		return 0;
	case OPT_ATTACH_JAVA:
		o->attach_java = true;
		return 0;
	case OPT_IDLE:
		o->view.idle = true;
		return 0;
	case OPT_NO_IDLE:
		o->view.no_idle = true;
		return 0;
	case OPT_NO_NEVER_RAN:
		o->view.no_never_ran = true;
		return 0;
	case OPT_NO_STILL_BLOCKED:
		o->view.no_still_blocked = true;
		return 0;
	case OPT_OUTSTANDING:
		o->view.outstanding = true;
		return 0;
	case OPT_RESERVED:
		o->view.reserved = true;
		return 0;
	case OPT_AT:
		o->at = arg;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

int run_options_choose(struct run_options *o, int key, char *arg, struct argp_state *state)
{
	return parse_filter(o, key, arg, state) ? parse_view(o, key, arg, state) : 0;
}

/* A recording is no picture: it has a place of its own. */
static int parse_recording(int key, char *arg, struct argp_state *state)
{
	struct run_options *o = state->input;
	size_t size = arg ? strlen(arg) : 0, suffix = strlen(RECORDING_SUFFIX);

	if (key == 'i' || key == OPT_FROM || key == OPT_TO) {
		*(key == 'i' ? &o->input : key == OPT_FROM ? &o->from : &o->to) = arg;
		return 0;
	}
	if (key == OPT_MAX_SIZE) {
		o->max_size = byte_size(arg, "--max-size", state);
		return 0;
	}
	if (key != 'o' || size < suffix || strcmp(arg + size - suffix, RECORDING_SUFFIX))
		return ARGP_ERR_UNKNOWN;
	if (o->recording)
		argp_error(state, "one recording is enough: %s or %s", o->recording, arg);
	o->recording = arg;
	return 0;
}

static int parse_run(int key, char *arg, struct argp_state *state)
{
	struct run_options *o = state->input;

	switch (key) {
	case 'd':
		o->collect.duration_ns = duration(arg, state);
		return 0;
	case 'a':
		o->collect.all = true;
		return 0;
	case OPT_SELF:
		o->collect.self = true;
		return 0;
	case OPT_STATS:
		o->stats = true;
		return 0;
	case OPT_JSON_SUMMARY:
		o->json = true;
		return 0;
	case 'v':
		o->collect.verbose = true;
		return 0;
	case 'g':
		return 0;
	}
	return common_parse(key, &o->quiet, state);
}

/* The program's name only: arguments may hold secrets, and pictures are shared. */
static void note_program(struct run_options *o)
{
	const char *path = o->collect.program[0], *slash = strrchr(path, '/');

	if (!o->collect.all)
		strbuf_addf(&o->filters, "%s-- %s", o->filters.size ? " " : "",
			    slash ? slash + 1 : path);
}

static int parse(int key, char *arg, struct argp_state *state)
{
	struct run_options *o = state->input;

	if (key == ARGP_KEY_ARGS) {
		check_program(o, state);
		/*
		 * Options end at the program's name: `wick cpu sleep 1` and `wick cpu -- sleep 1`.
		 */
		o->collect.program = state->argv + state->next;
		note_program(o);
		return 0;
	}
	if (key == ARGP_KEY_END) {
		o->view.reverse = o->look.caption.reverse;
		o->view.operations = o->operations.nr ? &o->operations : NULL;
		run_options_check(o, state);
		return 0;
	}
	check_use(o, key, state);
	if (option_of_collecting(key))
		o->collecting = option_of_collecting(key);
	if (!run_options_choose(o, key, arg, state) || !parse_instrument(key, arg, state) ||
	    !operation_parse(&o->operations, key, arg, state) ||
	    !parse_recording(key, arg, state) || !look_parse(&o->look, key, arg, state))
		return 0;
	return parse_run(key, arg, state);
}

void run_options_set_needs(struct run_options *o)
{
	o->needs = 0;
	for (size_t i = 0; i < o->drawing.nr_views; i++)
		o->needs |= o->drawing.views[i]->needs;
	o->collect.needs = o->needs;
}

/* All options, those that mean nothing in this command hidden. */
static void fill_rows(struct run_options *o, struct argp_option *rows)
{
	append_rows(rows, MAX_OPTION_ROWS, run_rows);
	append_rows(rows, MAX_OPTION_ROWS, look_rows);
	append_rows(rows, MAX_OPTION_ROWS, operation_rows);
	for (size_t i = 0; i < MAX_OPTION_ROWS; i++)
		fit_row(o, &rows[i]);
}

void run_options_rows(const struct drawing *drawing, struct argp_option *rows)
{
	struct run_options o = {.drawing = *drawing};

	run_options_set_needs(&o);
	fill_rows(&o, rows);
}

void run_options_rows_release(struct argp_option *rows)
{
	for (; rows->name || rows->key || rows->doc; rows++)
		if (rows->key == OPT_METRIC)
			free((char *)rows->doc);
}

void run_options_parse(struct run_options *o, const struct drawing *drawing, int argc, char **argv,
		       const char *doc)
{
	struct argp_option options[MAX_OPTION_ROWS] = {};
	struct argp argp = {.options = options, .parser = parse, .doc = doc};

	*o = (struct run_options){
		.drawing = *drawing,
		.collect = {.frequency = 99, .depth = 8, .walk_above_ns = NSEC_PER_MSEC},
		.look.caption = {.min_width = 0.1, .max_boxes = FIRST_SCREEN},
	};
	run_options_set_needs(o);
	argp.args_doc = program_usage(o);
	fill_rows(o, options);
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER | ARGP_NO_HELP, NULL, o);
}

void run_options_release(struct run_options *o)
{
	vec_release(&o->pids.ids);
	vec_release(&o->tids.ids);
	look_release(&o->look);
	operations_release(&o->operations);
	strbuf_release(&o->filters);
	free(o->metric_help);
	vec_for_each (&o->drawing.missing, view)
		free(view->why);
	vec_release(&o->drawing.missing);
}
