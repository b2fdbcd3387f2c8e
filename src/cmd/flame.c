/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame.c: `wick flame`, folded text of any tool into the same pictures that wick's own runs get.
 */
#include "cmd.h"
#include "options.h"
#include "output.h"
#include "base/strbuf.h"
#include "tree.h"

#include <argp.h>

enum long_option {
	OPT_FORMAT = 256,
	OPT_TITLE,
	OPT_SUBTITLE,
	OPT_COLORS,
	OPT_WIDTH,
	OPT_MINWIDTH,
	OPT_REVERSE,
	OPT_INVERTED,
	OPT_ANNOTATE,
};

#define OPTION(long_name, short_name, argument, text)                                              \
	{                                                                                          \
		.name = long_name, .key = short_name, .arg = argument, .doc = text                 \
	}

static const struct argp_option table[] = {
	OPTION("output", 'o', "FILE",
	       "may be repeated; the suffix says the format; - is standard output"),
	OPTION("format", OPT_FORMAT, "NAME", "where no suffix says it: see `wick list`"),
	OPTION("folded", 'f', NULL, "short for -o - --format folded"),
	OPTION("annotate", OPT_ANNOTATE, NULL,
	       "frame suffixes: _[k] kernel, _[i] inlined, _[j] JIT, _[w] waker"),
	OPTION("title", OPT_TITLE, "TEXT", "title of the picture"),
	OPTION("subtitle", OPT_SUBTITLE, "TEXT", "instead of the files' names"),
	OPTION("colors", OPT_COLORS, "NAME",
	       "palette, as in flamegraph.pl: hot, mem, io, java, ..."),
	OPTION("width", OPT_WIDTH, "PIXELS", "of the picture (1200)"),
	OPTION("minwidth", OPT_MINWIDTH, "PIXELS", "narrower boxes are not drawn (0.1)"),
	OPTION("reverse", OPT_REVERSE, NULL, "stacks from leaf to root"),
	OPTION("inverted", OPT_INVERTED, NULL, "roots at the top (icicle)"),
	OPTION("quiet", 'q', NULL, "do not say which files were written"),
	OPTION("help", 'h', NULL, "this text"),
	{},
};

struct flame {
	VEC(const char *) inputs;
	VEC(struct output_option) outputs;
	const struct format *format; /* --format */
	bool quiet;
	struct caption caption;
};

static void flame_release(struct flame *flame)
{
	vec_release(&flame->inputs);
	vec_release(&flame->outputs);
}

static unsigned int parse_width(const char *text, struct argp_state *state)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (*end || end == text || value < 200 || value > 20000)
		argp_error(state, "bad width: '%s'; it takes a whole number from 200 to 20000",
			   text);
	return (unsigned int)value;
}

static double parse_min_width(const char *text, struct argp_state *state)
{
	char *end;
	double value = strtod(text, &end);

	if (*end || end == text || !(value >= 0 && value <= 1000))
		argp_error(state, "bad minimum width: '%s'; it takes a number from 0 to 1000",
			   text);
	return value;
}

static error_t parse_look(int key, char *arg, struct argp_state *state)
{
	struct flame *flame = state->input;
	struct caption *caption = &flame->caption;

	switch (key) {
	case OPT_TITLE:
		caption->title = arg;
		return 0;
	case OPT_SUBTITLE:
		caption->subtitle = arg;
		return 0;
	case OPT_COLORS:
		if (!palette_exists(arg))
			argp_error(state, "no such palette: '%s'; `wick list` shows them", arg);
		caption->colors = arg;
		return 0;
	case OPT_WIDTH:
		caption->width = parse_width(arg, state);
		return 0;
	case OPT_MINWIDTH:
		caption->min_width = parse_min_width(arg, state);
		return 0;
	case OPT_REVERSE:
		caption->reverse = true;
		return 0;
	case OPT_INVERTED:
		caption->inverted = true;
		return 0;
	case OPT_ANNOTATE:
		caption->annotate = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

static void add_output(struct flame *flame, const char *path, const struct format *format)
{
	*vec_add(&flame->outputs) = (struct output_option){.path = path, .format = format};
}

static bool is_standard(const char *path)
{
	return !strcmp(path, "-");
}

/* --format may stand behind the -o that it is for. */
static void choose_formats(struct flame *flame, struct argp_state *state)
{
	vec_for_each (&flame->outputs, output) {
		if (!output->format)
			output->format = flame->format;
		if (!output->format && !is_standard(output->path))
			argp_error(
				state,
				"no format has the suffix of '%s'; name one with --format, or use "
				".svg, .folded or .txt",
				output->path);
		if (!output->format)
			output->format = format_by_name("text");
	}
	if (!flame->inputs.nr && isatty(STDIN_FILENO))
		argp_error(state, "nothing to read: name a file, or - for standard input");
	if (!flame->inputs.nr)
		*vec_add(&flame->inputs) = "-";
	if (!flame->format)
		flame->format = format_by_name("svg");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct flame *flame = state->input;

	switch (key) {
	case 'o':
		add_output(flame, arg, is_standard(arg) ? NULL : format_by_path(arg));
		return 0;
	case 'f':
		add_output(flame, "-", format_by_name("folded"));
		return 0;
	case OPT_FORMAT:
		flame->format = format_by_name(arg);
		if (!flame->format)
			argp_error(state, "no such format: '%s'; `wick list` shows them", arg);
		return 0;
	case 'q':
		flame->quiet = true;
		return 0;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case ARGP_KEY_ARG:
		*vec_add(&flame->inputs) = arg;
		return 0;
	case ARGP_KEY_END:
		choose_formats(flame, state);
		return 0;
	}
	return parse_look(key, arg, state);
}

static const struct argp argp = {
	.options = table,
	.parser = parse,
	.args_doc = "[FILE.folded...|-]",
	.doc = "Draws folded text, `frame;frame;frame COUNT` a line, of any tool. Files are summed. "
	       "Without -o, FILE.folded becomes FILE.svg, and standard input standard output.",
};

/* `x.folded` -> `x.svg`: the suffix, if there is one, is exchanged. */
static char *default_path(const char *input, const struct format *format_row)
{
	const char *slash = strrchr(input, '/'), *dot = strrchr(input, '.');
	size_t size = strlen(input);

	if (dot && dot > (slash ? slash + 1 : input))
		size = (size_t)(dot - input);
	return format("%.*s%s", (int)size, input, format_row->suffix);
}

static int read_input(struct call_tree *tree, struct strings *names, const char *path,
		      struct error *error)
{
	_cleanup_fclose_ FILE *file = NULL;

	if (is_standard(path))
		return call_tree_read_folded(tree, names, stdin, "standard input", false, error);
	file = fopen(path, "re");
	if (!file)
		return fail(error, -errno, "cannot read %s: %s", path, strerror(errno));
	return call_tree_read_folded(tree, names, file, path, false, error);
}

static int read_inputs(const struct flame *flame, struct call_tree *tree, struct strings *names,
		       struct error *error)
{
	int err = 0;

	call_tree_init(tree, names);
	vec_for_each (&flame->inputs, path) {
		err = read_input(tree, names, *path, error);
		if (err)
			return err;
	}
	call_tree_finish(tree);
	return 0;
}

/* The tree of the same stacks from their leaves takes the place of `tree`. */
static void reverse(struct call_tree *tree)
{
	struct call_tree reversed;

	call_tree_init(&reversed, tree->names);
	call_tree_add_reversed(&reversed, tree);
	call_tree_finish(&reversed);
	call_tree_release(tree);
	*tree = reversed;
}

static int write_one(const struct flame *flame, const struct call_tree *tree,
		     const struct output_option *output, enum output_mode mode, struct error *error)
{
	int err = output_write(output->path, mode, output->format, tree, &flame->caption, error);

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
	_cleanup_free_ char *path = default_path(first, flame->format);
	struct output_option output = {.path = path, .format = flame->format};

	if (!is_standard(first))
		return write_one(flame, tree, &output, OUTPUT_NEW, error);
	output.path = "-";
	return write_one(flame, tree, &output, OUTPUT_REPLACE, error);
}

static int write_outputs(const struct flame *flame, const struct call_tree *tree,
			 struct error *error)
{
	vec_for_each (&flame->outputs, output) {
		int err = write_one(flame, tree, output, OUTPUT_REPLACE, error);

		if (err)
			return err;
	}
	return flame->outputs.nr ? 0 : write_default(flame, tree, error);
}

/* "a.folded + b.folded: 1,234 samples" without the number: which files, for who finds the picture
 * later. */
static char *input_names(const struct flame *flame)
{
	_cleanup_strbuf_ struct strbuf b = {};

	vec_for_each (&flame->inputs, path)
		strbuf_addf(&b, "%s%s", b.size ? " + " : "",
			    is_standard(*path) ? "standard input" : *path);
	return strbuf_detach(&b);
}

static int draw(struct flame *flame, struct error *error)
{
	_cleanup_(strings_release) struct strings names = {};
	_cleanup_(call_tree_release) struct call_tree tree = {};
	_cleanup_free_ char *subtitle = input_names(flame);
	int err;

	strings_init(&names);
	err = read_inputs(flame, &tree, &names, error);
	if (err)
		return err;
	if (flame->caption.reverse)
		reverse(&tree);
	if (!flame->caption.subtitle)
		flame->caption.subtitle = subtitle;
	return write_outputs(flame, &tree, error);
}

int cmd_flame(int argc, char **argv)
{
	_cleanup_(flame_release) struct flame flame = {
		.caption =
			{
				.title = "Flame Graph",
				.unit = {.name = "samples", .divisor = 1},
				.min_width = 0.1,
			},
	};
	struct error error;

	argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &flame);
	if (draw(&flame, &error)) {
		print_error(&error);
		return 1;
	}
	return 0;
}
