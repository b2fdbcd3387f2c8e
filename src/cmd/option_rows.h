/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option_rows.h: the options of the commands that profile, but for those of look.h, and which
 * command takes which.
 */
#ifndef CMD_OPTION_ROWS_H
#define CMD_OPTION_ROWS_H

#include "look.h"
#include "options.h"

enum long_option {
	OPT_GROUP = LONG_KEYS,
	OPT_UNWIND,
	OPT_NO_PYTHON,
	OPT_STATS,
	OPT_SELF,
	OPT_MAX_KEYS,
	OPT_UNWIND_MEMORY,
	OPT_STATE,
	OPT_WALK_ABOVE,
	OPT_DEPTH,
	OPT_SWITCH_HOOK,
	OPT_CALL_HOOK,
	OPT_DROP_SWITCHES,
	OPT_BUDGET,
	OPT_NO_INLINES,
	OPT_DEBUGINFOD,
	OPT_ATTACH_JAVA,
	OPT_IDLE,
	OPT_NO_IDLE,
	OPT_NO_NEVER_RAN,
	OPT_NO_STILL_BLOCKED,
	OPT_METRIC,
	OPT_OUTSTANDING,
	OPT_RESERVED,
	OPT_RESIDENT,
	OPT_JSON_SUMMARY,
	OPT_FROM,
	OPT_AT,
	OPT_TO,
	OPT_PROCESS,
	OPT_MAX_SIZE,
	OPT_MAX_MEMORY,
	OPT_PART,
	OPT_HOST,
};

extern const struct argp_option run_rows[]; /* the last one is empty */

/*
 * Ends the program if the option can do nothing in this command: it would be believed to have done
 * something.
 */
void check_use(const struct run_options *o, int key, struct argp_state *state);
/* Its name, if it is about collecting and means nothing with -i; else NULL. */
const char *option_of_collecting(int key);
void check_program(const struct run_options *o, struct argp_state *state);
/* As help says it. */
const char *program_usage(const struct run_options *o);
/*
 * A row as this command's help has it: hidden if it takes no such option, and in the command's own
 * words.
 */
void fit_row(struct run_options *o, struct argp_option *row);

#endif
