/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * generate.h: what the texts that `wick generate` writes from the tables of options share.
 */
#ifndef CMD_GENERATE_H
#define CMD_GENERATE_H

#include "commands.h"
#include "options.h"

/* Each writes to standard output. */
void generate_man(void);
void generate_bash(void);
void generate_zsh(void);

/* For _cleanup_(): what the rows of a command own; the array ends with an empty one. */
static inline void rows_release(void *rows)
{
	run_options_rows_release(rows);
}

/* The rows of a command, into an array of MAX_OPTION_ROWS; none, where it takes no options. */
static inline void fill_rows_of(const struct command *c, struct argp_option *rows)
{
	if (c->options)
		c->options(c->name, rows);
}

static inline bool is_last_row(const struct argp_option *row)
{
	return !row->name && !row->key && !row->doc && !row->group;
}

/* Is it an option that a user sees? */
static inline bool is_shown_row(const struct argp_option *row)
{
	return !(row->flags & OPTION_HIDDEN) && (row->name || row->key);
}

/* Its letter; '\0': it has none. */
static inline char letter_of(const struct argp_option *row)
{
	return row->key > ' ' && row->key < 127 ? (char)row->key : '\0';
}

#endif
