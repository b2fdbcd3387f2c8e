/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stack_replay.h"

#include "cmd.h"
#include "operation_options.h"
#include "output.h"
#include "stack_input.h"

/* An option that such a file can say nothing to; NULL: none was given. */
static const char *refused_option(const struct run_options *o)
{
	if (o->filters.size)
		return o->filters.s;
	if (o->from || o->to)
		return o->from ? "--from" : "--to";
	if (o->view.states)
		return "--state";
	if (o->view.no_never_ran || o->view.no_still_blocked)
		return o->view.no_never_ran ? "--no-never-ran" : "--no-still-blocked";
	if (o->view.outstanding || o->view.reserved)
		return o->view.outstanding ? "--outstanding" : "--reserved";
	if (o->json)
		return "--json";
	return o->view.group == GROUP_CGROUP ? "--group cgroup" : NULL;
}

static int check(const struct run_options *o, struct error *error)
{
	const char *option = refused_option(o);

	if (o->drawing.directory)
		return fail(
			error, -EINVAL,
			"%s is no recording, and stacks are of one graph: say `wick cpu -i`, or "
			"another one",
			input_name(o->input));
	if (option)
		return fail(error, -EINVAL,
			    "%s is no recording: stacks of other tools have nothing that %s could "
			    "choose from",
			    input_name(o->input), option);
	return 0;
}

/* Of perf script the thread's name, or its ids; of pprof the label of that name. */
static const char *label_of(enum grouping group)
{
	static const char *const labels[] = {[GROUP_COMM] = "comm",
					     [GROUP_PID] = "pid",
					     [GROUP_TID] = "tid",
					     [GROUP_NONE] = "none"};

	return group == GROUP_PROCESS ? NULL : labels[group];
}

static int read_tree(struct run_options *o, struct stack_files *files, struct call_tree *tree,
		     struct strings *names, struct error *error)
{
	const struct view *view = o->drawing.views[0];
	const struct stack_file_options options = {
		.columns = 1,
		.reverse = o->view.reverse,
		.operations = o->view.operations,
		.view = view,
		.metric = metric_by_name(view, o->metric)->unit.name,
		.group = label_of(o->view.group),
	};
	int err = check(o, error);

	if (!err)
		err = stack_input_read(files, tree, names, o->input, &options, error);
	if (err)
		return err;
	if (!files->nr_stacks)
		return fail(error, -EINVAL, "%s is no recording of wick's, and has no stacks%s%s",
			    input_name(o->input), files->nr_bad ? ": " : "",
			    files->nr_bad ? files->first_bad.text : "");
	stack_input_say_left_out(files);
	call_tree_finish(tree);
	if (o->view.operations)
		call_tree_prune(tree, o->view.operations);
	return 0;
}

static struct caption caption_of(const struct run_options *o, const struct stack_files *files,
				 const char *subtitle)
{
	const struct view *view = o->drawing.views[0];
	struct caption caption = o->look.caption;

	caption.unit = files->unit;
	caption.view = view->name;
	if (!caption.title)
		caption.title = view->title;
	if (!caption.subtitle)
		caption.subtitle = subtitle;
	if (!caption.colors)
		caption.colors = view->colors;
	return caption;
}

static int write_one(const struct run_options *o, const struct output_option *output,
		     const struct drawn *drawn, const struct caption *caption, struct error *error)
{
	_cleanup_free_ char *made =
		output->path ? NULL : stack_input_output(o->input, output->format);
	const char *path = made ? made : output->path;
	int err;

	if (made && is_standard(o->input))
		return fail(error, -EINVAL,
			    "standard input has no name to make one of: say -o FILE.svg");
	err = output_write(path, made ? OUTPUT_NEW : OUTPUT_REPLACE, output->format, drawn, caption,
			   error);
	if (err == -EEXIST && made)
		return fail(error, err, "%s is already there: say -o %s to replace it", path, path);
	if (!err && !o->quiet && !is_standard(path))
		fprintf(stderr, "wrote %s\n", path);
	return err;
}

static int write_all(const struct run_options *o, const struct stack_files *files,
		     const struct call_tree *tree, const char *subtitle, struct error *error)
{
	const struct caption caption = caption_of(o, files, subtitle);
	_cleanup_(weighted_stacks_release) struct weighted_stacks stacks = {};
	int err = 0;

	weighted_stacks_init(&stacks, tree->names);
	weighted_stacks_begin(&stacks, caption.unit);
	weighted_stacks_add_tree(&stacks, tree);
	vec_for_each (&o->look.outputs, output) {
		err = write_one(o, output, &(struct drawn){tree, &stacks}, &caption, error);
		if (err)
			return err;
	}
	return 0;
}

int stack_replay(struct run_options *o)
{
	_cleanup_(strings_release) struct strings names = {};
	_cleanup_(call_tree_release) struct call_tree tree = {};
	_cleanup_strbuf_ struct strbuf subtitle = {};
	struct stack_files files = STACK_FILES_NONE;
	struct error error;
	int err;

	strings_init(&names);
	call_tree_init(&tree, &names);
	err = read_tree(o, &files, &tree, &names, &error);
	if (!err) {
		strbuf_adds(&subtitle, input_name(o->input));
		if (o->view.operations) {
			strbuf_adds(&subtitle, "; ");
			operations_describe(&subtitle, o->view.operations, &files.unit);
		}
		err = write_all(o, &files, &tree, subtitle.s, &error);
	}
	if (err)
		print_error(&error);
	return err != 0;
}
