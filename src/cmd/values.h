/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * values.h: what options take. What cannot be read ends the program with a line that says what can.
 */
#ifndef CMD_VALUES_H
#define CMD_VALUES_H

#include <argp.h>

#include "base/vec.h"
#include "collect.h"
#include "emit.h"

struct id_list {
	VEC(u32) ids;
};

double number(const char *text, double low, double high, const char *what,
	      struct argp_state *state);
/* "90", "90s", "1.5m", "24h", "2d" in nanoseconds. */
u64 duration(const char *text, struct argp_state *state);
/* "800000", "500k", "200M", "2G": units of 1,024. */
u64 byte_size(const char *text, const char *what, struct argp_state *state);
u64 whole_number(const char *text, u64 low, u64 high, const char *what, struct argp_state *state);
/* In nanoseconds. */
u64 microseconds(const char *text, u64 low, const char *what, struct argp_state *state);
/* "1,2,3", added to what is there. */
void add_ids(struct id_list *list, const char *text, const char *what, struct argp_state *state);
const struct format *named_format(const char *name, struct argp_state *state);
const char *named_palette(const char *name, struct argp_state *state);
const char *named_background(const char *name, struct argp_state *state);
/* Families for CSS: letters, digits, quotes, commas and what names have. */
const char *checked_font(const char *families, struct argp_state *state);
/* NULL for UTF-8; else one whose first 128 characters are ASCII's. */
const char *checked_encoding(const char *name, struct argp_state *state);
const char *named_hook(const char *name, const struct hook *hooks, size_t nr,
		       struct argp_state *state);
/* Of enum wick_state's letters: bits as in struct view_options. */
u32 named_states(const char *letters, struct argp_state *state);
/* Those that are a text of a grammar of their own: they are returned as they are. */
const char *checked_glob(const char *pattern, struct argp_state *state);
const char *checked_cpus(const char *list, struct argp_state *state);

#endif
