/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "common_options.h"

error_t common_parse(int key, bool *quiet, struct argp_state *state)
{
	switch (key) {
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case 'q':
		if (!quiet)
			break;
		*quiet = true;
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

error_t one_recording_parse(int key, char *arg, const char **path, struct argp_state *state)
{
	switch (key) {
	case ARGP_KEY_ARG:
		if (*path)
			argp_error(state, "one recording at a time: %s or %s", *path, arg);
		*path = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which recording? `wick record` writes one");
		return 0;
	}
	return ARGP_ERR_UNKNOWN;
}

void parse_options(const struct argp *argp, int argc, char **argv, void *options)
{
	argp_parse(argp, argc, argv, ARGP_NO_HELP, NULL, options);
}
