/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame.c: `wick flame`, folded text of any tool into the same pictures that wick's own runs get.
 */
#include "cmd.h"
#include "commands.h"
#include "look.h"
#include "output.h"
#include "base/strbuf.h"
#include "tree.h"

#include <argp.h>

static const struct argp_option own_rows[] = {
	{.doc = "What to say:", .group = 3},
	OPTION("quiet", 'q', NULL, "do not say which files were written"),
	OPTION("help", 'h', NULL, "this text"),
	{},
};

struct flame {
	VEC(const char *) inputs;
	struct look look;
	bool quiet;
};

static void flame_release(struct flame *flame)
{
	vec_release(&flame->inputs);
	look_release(&flame->look);
}

static bool is_standard(const char *path)
{
	return !strcmp(path, "-");
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
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct flame *flame = state->input;

	switch (key) {
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
		check(flame, state);
		return 0;
	}
	return look_parse(&flame->look, key, arg, state);
}

void flame_options(const char *name, struct argp_option *rows)
{
	(void)name;
	append_rows(rows, MAX_OPTION_ROWS, look_rows);
	append_rows(rows, MAX_OPTION_ROWS, own_rows);
}

static void parse_arguments(struct flame *flame, int argc, char **argv)
{
	struct argp_option options[MAX_OPTION_ROWS] = {};
	const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[FILE.folded...|-]",
		.doc = "Draws folded text, `frame;frame;frame COUNT` a line, of any tool. Files are summed. "
		       "Without -o, FILE.folded becomes FILE.svg, and standard input standard output.",
	};

	flame_options(NULL, options);
	argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, flame);
}

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
	int err =
		output_write(output->path, mode, output->format, tree, &flame->look.caption, error);

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
	_cleanup_free_ char *path = default_path(first, flame->look.format);
	struct output_option output = {.path = path, .format = flame->look.format};

	if (!is_standard(first))
		return write_one(flame, tree, &output, OUTPUT_NEW, error);
	output.path = "-";
	return write_one(flame, tree, &output, OUTPUT_REPLACE, error);
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

/* "a.folded + b.folded: 1,234 samples" without the number: the files that the picture was made
 * of. */
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
	if (flame->look.caption.reverse)
		reverse(&tree);
	if (!flame->look.caption.subtitle)
		flame->look.caption.subtitle = subtitle;
	return write_outputs(flame, &tree, error);
}

int cmd_flame(int argc, char **argv)
{
	_cleanup_(flame_release) struct flame flame = {
		.look.caption =
			{
				.title = "Flame Graph",
				.unit = {.name = "samples", .divisor = 1},
				.min_width = 0.1,
			},
	};
	struct error error;

	parse_arguments(&flame, argc, argv);
	if (draw(&flame, &error)) {
		print_error(&error);
		return 1;
	}
	return 0;
}
