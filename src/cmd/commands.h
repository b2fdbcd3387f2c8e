/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * commands.h: the commands: what main() runs, and what the man page and the shells' completions are
 * made from. Each view is one.
 */
#ifndef CMD_COMMANDS_H
#define CMD_COMMANDS_H

#include <argp.h>

#include "base/base.h"

enum { MAX_OPTION_ROWS = 96 };

struct command {
	const char *name;
	const char *summary;
	int (*run)(int argc, char **argv);
	/*
	 * Fills in the options that the command called `name` takes, the last row empty; NULL: it
	 * takes none.
	 */
	void (*options)(const char *name, struct argp_option rows[MAX_OPTION_ROWS]);
	bool collects;	       /* else it needs no privileges, and gives them up */
	const char *arguments; /* after the options, for the synopsis; NULL: none */
};

extern const size_t nr_commands;
/* In the order in which they are listed. */
struct command command_at(size_t i);

#endif
