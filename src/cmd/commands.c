/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"

#include "cmd.h"
#include "view.h"

#define PROGRAM "[-- PROGRAM [ARGS...]]"

static const struct command record = {"record",	  "all graphs below from one run, into a directory",
				      cmd_record, record_options,
				      true,	  PROGRAM};

static const struct command others[] = {
	{"threads", "what every thread is doing now", cmd_threads, threads_options, true, NULL},
	{"flame", "draws folded text of any tool", cmd_flame, flame_options, false,
	 "[FILE.folded...|-]"},
	{"doctor", "what this host allows, and how to allow more", cmd_doctor, doctor_options, true,
	 NULL},
	{"list", "the views, formats, instruments and palettes", cmd_list, NULL, false, NULL},
	{"generate", "the man page, or a shell's completions", cmd_generate, NULL, false,
	 "man|bash|zsh"},
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
	return (struct command){view->name, view->brief, cmd_view, view_options, true, PROGRAM};
}
