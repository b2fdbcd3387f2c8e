/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame.c: `wick flame`, stacks of any tool into the same pictures that wick's own runs get.
 *
 * It takes the place of flamegraph.pl and inferno-flamegraph in people's scripts: the same input,
 * and the options of the same names mean the same.
 */
#include "cmd.h"
#include "commands.h"
#include "common_options.h"
#include "look.h"
#include "operation_options.h"
#include "output.h"
#include "stack_input.h"
#include "values.h"
#include "view.h"
#include "base/strbuf.h"

#include <argp.h>

enum flame_key {
	OPT_COLUMNS = LONG_KEYS,
	OPT_LABEL_FILES,
	OPT_FLAMECHART,
	OPT_NEGATE,
	OPT_TOTAL,
	OPT_FACTOR,
	OPT_COUNTNAME,
	OPT_NAMEATTR,
	OPT_CP,
	OPT_FLAME_METRIC,
	OPT_EVENT,
	OPT_FLAME_GROUP,
};

static const struct argp_option own_rows[] = {
	{.doc = "What to read:", .group = 1},
	OPTION("columns", OPT_COLUMNS, "1|2",
	       "counts on a line; two are before and now, and make a differential (two, if every line has "
	       "two)"),
	OPTION("label-files", OPT_LABEL_FILES, NULL, "each file's stacks below its name"),
	OPTION("flamechart", OPT_FLAMECHART, NULL,
	       "in the order of the lines, from left to right; only a stack and the next one are merged"),
	OPTION("metric", OPT_FLAME_METRIC, "NAME",
	       "of pprof: which of its sample types (its default); of perf script: period, or samples "
	       "(periods, if there are)"),
	OPTION("event", OPT_EVENT, "NAME",
	       "of perf script: which events (those of the first one's kind)"),
	OPTION("group", OPT_FLAME_GROUP, "LABEL",
	       "root frame; of pprof: the value of that label (none); of perf script: comm, pid, tid or "
	       "none (comm)"),
	OPTION("total", OPT_TOTAL, "COUNT",
	       "what the full width stands for (the sum of the counts)"),
	OPTION("factor", OPT_FACTOR, "NUMBER",
	       "what counts are multiplied with where they are shown (1)"),
	OPTION("countname", OPT_COUNTNAME, "TEXT", "what the counts are (samples)"),
	OPTION("cp", OPT_CP, NULL,
	       "functions keep the colors that they have in the file palette.map, and new ones are added"),
	OPTION("nameattr", OPT_NAMEATTR, "FILE",
	       "attributes of functions' boxes: a name and, each behind a tab, key=value; id, class, title, "
	       "href, target, g_extra, a_extra"),
	OPTION("negate", OPT_NEGATE, NULL, "differential: less is red, more is blue"),
	{.doc = "What to say:", .group = 4},
	OPTION("quiet", 'q', NULL, "do not say which files were written"),
	HELP_ROW,
	{},
};

struct flame {
	VEC(const char *) inputs;
	struct look look;
	struct stack_file_options options;
	struct operations operations;
	double total; /* 0: none */
	double factor;
	const char *count_name;
	const char *attributes_path;
	bool keep_colors;
	bool quiet;
};

static void flame_release(struct flame *flame)
{
	vec_release(&flame->inputs);
	look_release(&flame->look);
	operations_release(&flame->operations);
}

/* What can be judged only when all options are known. */
static void check(struct flame *flame, struct argp_state *state)
{
	look_choose_formats(&flame->look, state);
	if (!flame->inputs.nr && isatty(STDIN_FILENO))
		argp_error(state, "nothing to read: name a file, or - for standard input");
	if (!flame->inputs.nr)
		*vec_add(&flame->inputs) = "-";
	if (!flame->look.format)
		flame->look.format = format_by_name("svg");
	if (!flame->look.outputs.nr && isatty(STDOUT_FILENO) && is_standard(flame->inputs.at[0]))
		argp_error(state, "standard input has no name to make one of: say -o FILE.svg");
	flame->options.reverse = flame->look.caption.reverse;
	flame->options.operations = flame->operations.nr ? &flame->operations : NULL;
}

static error_t parse_own(struct flame *flame, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case OPT_COLUMNS:
		flame->options.columns = (unsigned int)whole_number(arg, 1, 2, "--columns", state);
		return 0;
	case OPT_LABEL_FILES:
		flame->options.label = true;
		return 0;
	case OPT_FLAMECHART:
		flame->options.chart = true;
		return 0;
	case OPT_NEGATE:
		flame->look.caption.negate = true;
		return 0;
	case OPT_TOTAL:
		flame->total = number(arg, 1e-6, 1e18, "--total", state);
		return 0;
	case OPT_FACTOR:
		flame->factor = number(arg, 1e-12, 1e12, "--factor", state);
		return 0;
	case OPT_FLAME_METRIC:
		flame->options.metric = arg;
		return 0;
	case OPT_EVENT:
		flame->options.event = arg;
		return 0;
	case OPT_FLAME_GROUP:
		flame->options.group = arg;
		return 0;
	case OPT_CP:
		flame->keep_colors = true;
		return 0;
	case OPT_NAMEATTR:
		flame->attributes_path = arg;
		return 0;
	case OPT_COUNTNAME:
		flame->count_name = arg;
		return 0;
	}
	if (!operation_parse(&flame->operations, key, arg, state) ||
	    !common_parse(key, &flame->quiet, state))
		return 0;
	return look_parse(&flame->look, key, arg, state);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct flame *flame = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		*vec_add(&flame->inputs) = arg;
		return 0;
	case ARGP_KEY_END:
		check(flame, state);
		return 0;
	}
	return parse_own(flame, key, arg, state);
}

void flame_options(const char *name, struct argp_option *rows)
{
	(void)name;
	append_rows(rows, MAX_OPTION_ROWS, look_rows);
	append_rows(rows, MAX_OPTION_ROWS, operation_rows);
	append_rows(rows, MAX_OPTION_ROWS, own_rows);
}

static void parse_arguments(struct flame *flame, int argc, char **argv)
{
	struct argp_option options[MAX_OPTION_ROWS] = {};
	const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[FILE...|-]",
		.doc = "Draws folded text, `frame;frame;frame COUNT` a line, of any tool, what perf script "
		       "prints, and profiles of pprof, also compressed by gzip. Files are summed. Without -o, the picture goes to standard output; if that is a "
		       "terminal, FILE.folded becomes FILE.svg.",
	};

	flame_options(NULL, options);
	parse_options(&argp, argc, argv, flame);
}

/* ---- reading */

static int fail_empty(const struct flame *flame, const struct stack_files *files,
		      struct error *error)
{
	const char *first = flame->inputs.at[0];

	if (files->nr_bad)
		return fail(
			error, -EINVAL,
			"no stacks; wick reads folded text, perf script's text and profiles of pprof; bad %ss: %llu, the first is %s",
			files->bad_noun, (unsigned long long)files->nr_bad, files->first_bad.text);
	return fail(error, -EINVAL, "%s: no stacks: %s", input_name(first),
		    flame->inputs.nr == 1 ? "the file is empty, or has comments only"
					  : "all files are empty");
}

/* The rest of --total is the root's own. */
static void add_total(const struct flame *flame, const struct stack_files *files,
		      struct call_tree *tree)
{
	double total = flame->total * (double)files->unit.divisor;

	if (total >= (double)tree->sum && total < 0x1p64)
		call_tree_add(tree, NULL, 0, (u64)total - tree->sum);
	else
		fprintf(stderr, "wick: --total %.15g is not used: the counts add up to %.15g\n",
			flame->total, (double)tree->sum / (double)files->unit.divisor);
}

static int read_inputs(struct flame *flame, struct stack_files *files, struct call_tree *tree,
		       struct strings *names, struct error *error)
{
	int err = 0;

	call_tree_init(tree, names);
	vec_for_each (&flame->inputs, path) {
		err = stack_input_read(files, tree, names, *path, &flame->options, error);
		if (err)
			return err;
	}
	if (!files->nr_stacks)
		return fail_empty(flame, files, error);
	stack_input_say_left_out(files);
	if (flame->total)
		add_total(flame, files, tree);
	call_tree_finish(tree);
	call_tree_prune(tree, &flame->operations);
	return 0;
}

/* ---- writing */

static int write_one(const struct flame *flame, const struct call_tree *tree,
		     const struct output_option *output, enum output_mode mode, struct error *error)
{
	_cleanup_(weighted_stacks_release) struct weighted_stacks stacks = {};
	int err;

	weighted_stacks_init(&stacks, tree->names);
	weighted_stacks_begin(&stacks, flame->look.caption.unit);
	if (output->format->write_stacks)
		weighted_stacks_add_tree(&stacks, tree);
	err = output_write(output->path, mode, output->format, &(struct drawn){tree, &stacks},
			   &flame->look.caption, error);

	if (err == -EEXIST && mode == OUTPUT_NEW)
		return fail(error, err,
			    "%s is already there: say -o %s to replace it, or -o and another name",
			    output->path, output->path);
	if (!err && !flame->quiet && !is_standard(output->path))
		fprintf(stderr, "wrote %s\n", output->path);
	return err;
}

static int write_default(const struct flame *flame, const struct call_tree *tree,
			 struct error *error)
{
	const char *first = flame->inputs.at[0];
	_cleanup_free_ char *path = NULL;
	struct output_option output = {.path = "-", .format = flame->look.format};

	if (!isatty(STDOUT_FILENO))
		return write_one(flame, tree, &output, OUTPUT_REPLACE, error);
	output.path = path = stack_input_output(first, flame->look.format);
	return write_one(flame, tree, &output, OUTPUT_NEW, error);
}

static int write_outputs(const struct flame *flame, const struct call_tree *tree,
			 struct error *error)
{
	vec_for_each (&flame->look.outputs, output) {
		int err = write_one(flame, tree, output, OUTPUT_REPLACE, error);

		if (err)
			return err;
	}
	return flame->look.outputs.nr ? 0 : write_default(flame, tree, error);
}

/* "a.folded + b.folded; 2 lines are left out": what the picture was made of. */
static char *describe(const struct flame *flame, const struct stack_files *files,
		      const struct strbuf *left_out)
{
	_cleanup_strbuf_ struct strbuf b = {};

	vec_for_each (&flame->inputs, path)
		strbuf_addf(&b, "%s%s", b.size ? " + " : "", input_name(*path));
	if (files->nr_bad)
		strbuf_addf(&b, "; %llu %s%s left out", (unsigned long long)files->nr_bad,
			    files->bad_noun, files->nr_bad == 1 ? " is" : "s are");
	if (files->nr_others)
		strbuf_addf(&b, "; events of other kinds, not drawn: %llu",
			    (unsigned long long)files->nr_others);
	if (files->nr_gone)
		strbuf_addf(&b, "; %llu %s gone, and not drawn: before, %.6g %s",
			    (unsigned long long)files->nr_gone,
			    files->nr_gone == 1 ? "stack is" : "stacks are",
			    (double)files->gone / (double)files->unit.divisor, files->unit.name);
	if (left_out->size)
		strbuf_addf(&b, "; %s", left_out->s);
	return strbuf_detach(&b);
}

/* What neither an option nor the file says. */
static const char *default_title(const struct flame *flame, const struct stack_files *files)
{
	if (files->view)
		return files->view->title;
	if (flame->options.chart)
		return "Flame Chart";
	return flame->look.caption.inverted ? "Icicle Graph" : "Flame Graph";
}

static void fill_caption(struct flame *flame, const struct stack_files *files, const char *subtitle)
{
	struct caption *caption = &flame->look.caption;

	caption->view = files->view ? files->view->name : NULL;
	caption->unit = files->unit;
	caption->unit.factor = flame->factor;
	if (flame->count_name)
		caption->unit = (struct unit){.name = flame->count_name,
					      .divisor = files->unit.divisor,
					      .factor = flame->factor};
	if (!caption->title)
		caption->title = default_title(flame, files);
	if (!caption->subtitle)
		caption->subtitle = subtitle;
	if (!caption->colors && files->view)
		caption->colors = files->view->colors;
}

/* ---- files beside the input */

static const char palette_map[] = "palette.map";

static int read_colors(struct color_map *map, struct error *error)
{
	_cleanup_fclose_ FILE *in = fopen(palette_map, "re");

	if (!in && errno == ENOENT)
		return 0;
	if (!in)
		return fail(error, -errno, "cannot read %s: %s", palette_map, strerror(errno));
	return color_map_read(map, in, palette_map, error);
}

static int write_colors(const struct color_map *map, struct error *error)
{
	_cleanup_(output_release) struct output out = OUTPUT_CLOSED;
	int err = output_open(&out, palette_map, OUTPUT_REPLACE, error);

	if (err)
		return err;
	color_map_write(map, out.stream);
	return output_commit(&out, error);
}

static int read_attributes(const struct flame *flame, struct attributes *attributes,
			   struct error *error)
{
	_cleanup_fclose_ FILE *in = fopen(flame->attributes_path, "re");

	if (!in)
		return fail(error, -errno, "cannot read %s: %s", flame->attributes_path,
			    strerror(errno));
	return attributes_read(attributes, in, flame->attributes_path, error);
}

static void free_color_map(struct color_map **map)
{
	color_map_free(*map);
}

static void free_attributes(struct attributes **attributes)
{
	attributes_free(*attributes);
}

/* With what --cp and --nameattr bring. */
static int write_pictures(struct flame *flame, const struct call_tree *tree, struct error *error)
{
	_cleanup_(free_color_map) struct color_map *map =
		flame->keep_colors ? color_map_new() : NULL;
	_cleanup_(free_attributes) struct attributes *attributes =
		flame->attributes_path ? attributes_new() : NULL;
	int err = 0;

	if (map)
		err = read_colors(map, error);
	if (!err && attributes)
		err = read_attributes(flame, attributes, error);
	if (err)
		return err;
	flame->look.caption.color_map = map;
	flame->look.caption.attributes = attributes;
	err = write_outputs(flame, tree, error);
	return err || !map ? err : write_colors(map, error);
}

static int draw(struct flame *flame, struct error *error)
{
	_cleanup_(strings_release) struct strings names = {};
	_cleanup_(call_tree_release) struct call_tree tree = {};
	_cleanup_free_ char *subtitle = NULL;
	_cleanup_strbuf_ struct strbuf left_out = {};
	struct stack_files files = STACK_FILES_NONE;
	int err;

	strings_init(&names);
	err = read_inputs(flame, &files, &tree, &names, error);
	if (err)
		return err;
	operations_describe(&left_out, &flame->operations, &files.unit);
	if (left_out.size && !flame->quiet)
		print_note(left_out.s);
	subtitle = describe(flame, &files, &left_out);
	fill_caption(flame, &files, subtitle);
	return write_pictures(flame, &tree, error);
}

int cmd_flame(int argc, char **argv)
{
	_cleanup_(flame_release) struct flame flame = {
		.look.caption = {.min_width = 0.1, .max_boxes = FIRST_SCREEN},
		.factor = 1,
	};
	struct error error;

	parse_arguments(&flame, argc, argv);
	if (draw(&flame, &error)) {
		print_error(&error);
		return 1;
	}
	return 0;
}
