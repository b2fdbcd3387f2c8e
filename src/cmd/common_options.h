/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * common_options.h: what the commands' options have in common: --help, --quiet, the one recording
 * that some take.
 */
#ifndef CMD_COMMON_OPTIONS_H
#define CMD_COMMON_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

/* The last row of a command's own; an empty one comes after it. */
#define HELP_ROW                                                                                   \
	{                                                                                          \
		.name = "help", .key = 'h', .doc = "this text"                                     \
	}

/* -h; and -q, where `quiet` is no NULL. ARGP_ERR_UNKNOWN: neither. */
error_t common_parse(int key, bool *quiet, struct argp_state *state);
/* One recording has to be named, into *path. ARGP_ERR_UNKNOWN: that is not what the key says. */
error_t one_recording_parse(int key, char *arg, const char **path, struct argp_state *state);
/* Each command's own -h, so that its text is on standard output. */
void parse_options(const struct argp *argp, int argc, char **argv, void *options);

#endif
