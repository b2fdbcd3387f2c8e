/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diff.c: `wick diff`: a table of what has changed, pictures of it, and an exit status for scripts.
 */
#include "cmd.h"
#include "commands.h"
#include "common_options.h"
#include "look.h"
#include "operation_options.h"
#include "output.h"
#include "report_difference.h"
#include "side.h"
#include "stack_input.h"
#include "values.h"
#include "view.h"

#include <argp.h>

enum diff_key {
	OPT_RAW = DIFF_KEYS,
	OPT_ELIDED,
	OPT_NEGATE,
	OPT_COLOR_BLIND,
	OPT_THREE,
	OPT_TOP,
	OPT_JSON,
	OPT_FAIL_ABOVE,
};

enum { DEFAULT_TOP = 20 };

static const struct argp_option own_rows[] = {
	{.doc = "What to compare:", .group = 1},
	OPTION("raw", OPT_RAW, NULL,
	       "values as they are; else what was before is multiplied, so that both have the same total"),
	OPTION("elided", OPT_ELIDED, NULL, "draw only the stacks that are gone"),
	OPTION("negate", OPT_NEGATE, NULL, "less is red, more is blue"),
	OPTION("color-blind", OPT_COLOR_BLIND, NULL, "orange is more, and purple is less"),
	OPTION("three", OPT_THREE, NULL,
	       "three pictures in one, of one scale: what was before, what there is now, and the difference; "
	       "a zoom, a search, what is pointed at are in all of them"),
	{.doc = "What to say:", .group = 4},
	OPTION("top", OPT_TOP, "N", "functions in the table (20)"),
	OPTION("json", OPT_JSON, NULL, "the table as JSON"),
	OPTION("fail-above", OPT_FAIL_ABOVE, "PERCENT",
	       "exit with status 1 if a function, with what it calls, has grown by more than so many percent "
	       "of all, and not by noise alone"),
	OPTION("quiet", 'q', NULL, "no table; do not say which files were written"),
	HELP_ROW,
	{},
};

struct diff {
	struct sides_options sides;
	struct look look;
	bool raw, elided, json, quiet;
	size_t top;
	double fail_above; /* negative: nothing fails */
};

static void diff_release(struct diff *diff)
{
	look_release(&diff->look);
	sides_options_release(&diff->sides);
}

/* ---- options */

static void check(struct diff *diff, struct argp_state *state)
{
	sides_check(&diff->sides, state);
	diff->sides.reverse = diff->look.caption.reverse;
	look_choose_formats(&diff->look, state);
	if (diff->look.caption.three && diff->elided)
		argp_error(state,
			   "--three draws what is gone where it was: say it without --elided");
	if (diff->look.caption.three && !diff->look.outputs.nr)
		argp_error(state, "--three is a picture: say where it goes, with -o FILE.svg");
	vec_for_each (&diff->look.outputs, output)
		if (!output->format->by_width && diff->look.caption.three)
			argp_error(state, "the format %s has no --three: use svg",
				   output->format->name);
		else if (!output->format->differentials && !diff->elided)
			argp_error(state,
				   "the format %s does not show what was before: use svg or folded",
				   output->format->name);
}

static error_t parse_own(struct diff *diff, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case OPT_RAW:
		diff->raw = true;
		return 0;
	case OPT_ELIDED:
		diff->elided = true;
		return 0;
	case OPT_NEGATE:
		diff->look.caption.negate = true;
		return 0;
	case OPT_COLOR_BLIND:
		diff->look.caption.color_blind = true;
		return 0;
	case OPT_THREE:
		diff->look.caption.three = true;
		return 0;
	case OPT_TOP:
		diff->top = whole_number(arg, 0, 1000000, "--top", state);
		return 0;
	case OPT_JSON:
		diff->json = true;
		return 0;
	case OPT_FAIL_ABOVE:
		diff->fail_above = number(arg, 0, 1e9, "--fail-above", state);
		return 0;
	}
	if (!operation_parse(&diff->sides.operations, key, arg, state) ||
	    !sides_parse(&diff->sides, key, arg, state) || !common_parse(key, &diff->quiet, state))
		return 0;
	return look_parse(&diff->look, key, arg, state);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct diff *diff = state->input;

	switch (key) {
	case ARGP_KEY_ARG:
		if (diff->sides.nr_inputs == 2)
			argp_error(state, "two files are enough: '%s' is a third one", arg);
		diff->sides.inputs[diff->sides.nr_inputs++] = arg;
		return 0;
	case ARGP_KEY_END:
		check(diff, state);
		return 0;
	}
	return parse_own(diff, key, arg, state);
}

void diff_options(const char *name, struct argp_option *rows)
{
	(void)name;
	append_rows(rows, MAX_OPTION_ROWS, look_rows);
	append_rows(rows, MAX_OPTION_ROWS, operation_rows);
	append_rows(rows, MAX_OPTION_ROWS, own_rows);
	sides_append_rows(rows);
}

static void parse_arguments(struct diff *diff, int argc, char **argv)
{
	struct argp_option options[MAX_OPTION_ROWS] = {};
	const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "BEFORE [NOW]",
		.doc = "Says which functions have changed most, from one profile to another. The files are "
		       "what `wick flame` reads, or recordings. With -o, also draws what has changed.",
	};

	diff_options(NULL, options);
	parse_options(&argp, argc, argv, diff);
}

/* ---- saying and drawing */

static int say(const struct difference_report *report, bool json, struct error *error)
{
	int err = json ? report_difference_json(stdout, report)
		       : report_difference_words(stdout, report);

	return err ? fail(error, err, "cannot write to standard output: %s", strerror(-err)) : 0;
}

/* "before: old.folded, 1,600 samples; now: new.folded, 2,400 samples; ..." */
static char *describe(const struct difference *d, const struct side *sides)
{
	const struct unit *unit = &sides[1].files.unit;
	struct strbuf b = {};

	for (size_t i = 0; i < 2; i++) {
		strbuf_addf(&b, "%s%s, ", i ? "; now: " : "before: ", sides[i].name);
		strbuf_add_quantity(&b, i ? d->now : d->before, unit);
		if (sides[i].files.nr_bad)
			strbuf_addf(&b, ", bad %ss left out: %llu", sides[i].files.bad_noun,
				    (unsigned long long)sides[i].files.nr_bad);
		if (!sides[i].left_out.nr)
			continue;
		strbuf_adds(&b, " (");
		operation_sums_describe(&b, &sides[i].left_out);
		strbuf_addc(&b, ')');
	}
	if (d->normalised)
		strbuf_addf(&b, "; what was before is multiplied by %.6g", d->factor);
	return strbuf_detach(&b);
}

static int draw_one(const struct diff *diff, const struct difference *d,
		    const struct output_option *output, struct strings *names,
		    struct caption caption, struct error *error)
{
	_cleanup_(call_tree_release) struct call_tree tree = {};
	_cleanup_(weighted_stacks_release) struct weighted_stacks stacks = {};
	enum difference_part part =
		output->format->by_width && !caption.three ? DIFFERENCE_ALL : DIFFERENCE_NOW;
	int err;

	difference_draw(d, diff->elided ? DIFFERENCE_GONE : part, names, &tree, &caption.unit);
	weighted_stacks_init(&stacks, names);
	weighted_stacks_begin(&stacks, caption.unit);
	if (output->format->write_stacks)
		weighted_stacks_add_tree(&stacks, &tree);
	err = output_write(output->path, OUTPUT_REPLACE, output->format,
			   &(struct drawn){&tree, &stacks}, &caption, error);
	if (!err && !diff->quiet && !is_standard(output->path))
		fprintf(stderr, "wrote %s\n", output->path);
	return err;
}

static int draw(const struct diff *diff, const struct difference *d, const struct side *sides,
		struct strings *names, struct error *error)
{
	_cleanup_free_ char *subtitle = describe(d, sides);
	struct caption caption = diff->look.caption;

	caption.unit = sides[1].files.unit;
	caption.before_factor = diff->elided ? 0 : d->factor;
	if (sides[0].files.view == sides[1].files.view && sides[1].files.view)
		caption.view = sides[1].files.view->name;
	if (!caption.title)
		caption.title = diff->elided ? "What is gone" : "What has changed";
	if (!caption.subtitle)
		caption.subtitle = subtitle;
	vec_for_each (&diff->look.outputs, output) {
		int err = draw_one(diff, d, output, names, caption, error);

		if (err)
			return err;
	}
	return 0;
}

/* The exit status. */
static int judge(const struct difference_report *report)
{
	const struct changed_function *most;
	_cleanup_strbuf_ struct strbuf text = {};
	double percent;
	size_t nr = report->fail_above < 0 ? 0 : difference_grown(report, &most, &percent);
	struct string name = {"all together", strlen("all together")};

	if (!nr)
		return 0;
	if (most)
		name = strings_get(report->difference->tree.names, most->frame.name);
	strbuf_addf(&text, "%zu %s grown by more than %g %% of all; the most, by %.2f %%: ", nr,
		    nr == 1 ? "function has" : "functions have", report->fail_above, percent);
	strbuf_add(&text, name.s, name.size);
	print_note(text.s);
	return 1;
}

static bool writes_to_standard_output(const struct diff *diff)
{
	vec_for_each (&diff->look.outputs, output)
		if (is_standard(output->path))
			return true;
	return false;
}

static void diff_say_left_out(const struct diff *diff, const struct side *sides)
{
	for (size_t i = 0; i < 2 && !diff->quiet; i++) {
		_cleanup_strbuf_ struct strbuf text = {};

		if (!sides[i].left_out.nr)
			continue;
		strbuf_addf(&text, "%s: ", sides[i].name);
		operation_sums_describe(&text, &sides[i].left_out);
		print_note(text.s);
	}
}

/* Returns the exit status, or a negative errno. */
static int compare(struct diff *diff, struct side *sides, struct strings *names,
		   struct error *error)
{
	_cleanup_(difference_release) struct difference d;
	struct changed_functions functions = {};
	const struct difference_report report = {
		.difference = &d,
		.functions = &functions,
		.before = sides[0].name,
		.now = sides[1].name,
		.left_out = {&sides[0].left_out, &sides[1].left_out},
		.unit = sides[1].files.unit,
		.top = diff->top,
		.fail_above = diff->fail_above,
	};
	int err, status;

	difference_init(&d, names);
	difference_add(&d, &sides[0].tree, true);
	difference_add(&d, &sides[1].tree, false);
	for (size_t i = 0; i < 2 && sides[0].events.nr && sides[1].events.nr; i++)
		difference_add_events(&d, &sides[i].events);
	difference_finish(&d, !diff->raw);
	call_tree_prune(&d.tree, &diff->sides.operations);
	sides_take_pruned(sides, &diff->sides.operations);
	difference_functions(&d, &functions);
	diff_say_left_out(diff, sides);
	err = draw(diff, &d, sides, names, error);
	if (!err && !diff->quiet && !writes_to_standard_output(diff))
		err = say(&report, diff->json, error);
	status = err ? err : judge(&report);
	vec_release(&functions);
	return status;
}

static int run(struct diff *diff, struct error *error)
{
	_cleanup_(strings_release) struct strings names = {};
	struct side sides[] = {{.files = STACK_FILES_NONE}, {.files = STACK_FILES_NONE}};
	int status;

	strings_init(&names);
	status = sides_read(sides, &diff->sides, &names, error);
	if (!status)
		status = compare(diff, sides, &names, error);
	side_release(&sides[0]);
	side_release(&sides[1]);
	return status;
}

int cmd_diff(int argc, char **argv)
{
	_cleanup_(diff_release) struct diff diff = {
		.look.caption = {.min_width = 0.1, .max_boxes = FIRST_SCREEN},
		.top = DEFAULT_TOP,
		.fail_above = -1,
	};
	struct error error;
	int status;

	parse_arguments(&diff, argc, argv);
	status = run(&diff, &error);
	if (status < 0)
		print_error(&error);
	return status < 0 ? 1 : status;
}
