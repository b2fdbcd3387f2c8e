/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * look.h: the options of all commands that draw, `wick flame` too: where it goes, and how it looks.
 */
#ifndef CMD_LOOK_H
#define CMD_LOOK_H

#include <argp.h>

#include "base/vec.h"
#include "emit.h"

#define OPTION(long_name, short_name, argument, text)                                              \
	{                                                                                          \
		.name = long_name, .key = short_name, .arg = argument, .doc = text                 \
	}

/*
 * Options without a letter: a command's own; those of `wick diff`, which takes some of a run's,
 * too; those of look.c, of operation_options.c.
 */
enum { LONG_KEYS = 256, DIFF_KEYS = 384, SIDE_KEYS = 448, LOOK_KEYS = 512, OPERATION_KEYS = 768 };

/* Of a view that has a page (pages.h), that is what is written instead of a picture in text. */
enum output_as { AS_PICTURE, AS_PAGE, AS_JSON };

struct output_option {
	const char *path; /* NULL: the default name */
	const struct format *format;
	enum output_as as;
};

struct look {
	struct caption caption;
	VEC(struct output_option) outputs;
	const struct format *format; /* --format: for outputs whose name does not tell */
};

extern const struct argp_option look_rows[]; /* the last one is empty, as argp's are */

/* Appends rows to those of a command, up to and with the empty one; `room` counts all of `to`. */
void append_rows(struct argp_option *to, size_t room, const struct argp_option *rows);
/* ARGP_ERR_UNKNOWN: none of look_rows. */
error_t look_parse(struct look *look, int key, char *arg, struct argp_state *state);
void look_add_output(struct look *look, const char *path, const struct format *format);
/* When all options are known: each output has a format then. */
void look_choose_formats(struct look *look, struct argp_state *state);
void look_release(struct look *look);

#endif
