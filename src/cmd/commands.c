/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"

#include "cmd.h"
#include "view.h"

#define PROGRAM "[-- PROGRAM [ARGS...]]"

static const struct command record = {
	.name = "record",
	.summary = "all graphs below from one run, into a directory",
	.run = cmd_record,
	.options = record_options,
	.collects = true,
	.arguments = PROGRAM,
};

static const struct command others[] = {
	{.name = "threads",
	 .summary = "what every thread is doing now",
	 .run = cmd_threads,
	 .options = threads_options,
	 .collects = true},
	{.name = "flame",
	 .summary = "draws folded text, perf script, and profiles of pprof",
	 .run = cmd_flame,
	 .options = flame_options,
	 .arguments = "[FILE...|-]"},
	{.name = "diff",
	 .summary = "what has changed from one profile to another",
	 .run = cmd_diff,
	 .options = diff_options,
	 .arguments = "BEFORE [NOW]"},
	{.name = "info",
	 .summary = "what a recording is of, how large, what it lacks",
	 .run = cmd_info,
	 .options = info_options,
	 .arguments = "FILE.wick"},
	{.name = "names",
	 .summary = "where the names of a program's code come from",
	 .run = cmd_names,
	 .options = names_options,
	 .collects = true,
	 .arguments = "PID|FILE"},
	{.name = "merge",
	 .summary = "recordings of several hosts or runs become one",
	 .run = cmd_merge,
	 .options = merge_options,
	 .arguments = "FILE.wick... -o FILE.wick"},
	{.name = "resolve",
	 .summary = "gives names to frames of a recording that had none",
	 .run = cmd_resolve,
	 .options = resolve_options,
	 .arguments = "FILE.wick"},
	{.name = "doctor",
	 .summary = "what this host allows, and how to allow more",
	 .run = cmd_doctor,
	 .options = doctor_options,
	 .collects = true},
	{.name = "list",
	 .summary = "the views, formats, instruments and palettes",
	 .run = cmd_list},
	{.name = "generate",
	 .summary = "the man page, or a shell's completions",
	 .run = cmd_generate,
	 .arguments = "man|bash|zsh"},
};

enum { FIRST_VIEW = 1, FIRST_OTHER = FIRST_VIEW + NR_VIEWS };

const size_t nr_commands = FIRST_OTHER + ARRAY_SIZE(others);

struct command command_at(size_t i)
{
	const struct view *view;

	assert(i < nr_commands);
	if (i < FIRST_VIEW)
		return record;
	if (i >= FIRST_OTHER)
		return others[i - FIRST_OTHER];
	view = views[i - FIRST_VIEW];
	return (struct command){
		.name = view->name,
		.summary = view->brief,
		.run = cmd_view,
		.options = view_options,
		.collects = true,
		.arguments = PROGRAM,
	};
}
