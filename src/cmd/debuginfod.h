/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * debuginfod.h: --debuginfod, of several commands.
 *
 * Servers are those of DEBUGINFOD_URLS; where that is not set, since sudo drops it, those that the
 * distribution names in /etc/debuginfod/ (.urls), as its /etc/profile.d/debuginfod.sh does. All
 * downloads together take DEBUGINFOD_TIMEOUT seconds at most, or a minute.
 */
#ifndef WICK_CMD_DEBUGINFOD_H
#define WICK_CMD_DEBUGINFOD_H

#include "downloaded.h"

enum { OPT_FETCH = 0x2000 }; /* where a command has its own rows; no letter */

#define DEBUGINFOD_DOC                                                                             \
	"fetch debug files that are not here from the servers of DEBUGINFOD_URLS, or of "          \
	"/etc/debuginfod/*.urls: for names, inlined functions and lines; after the run, and for "  \
	"DEBUGINFOD_TIMEOUT seconds at most (60)"

struct argp_state;

/* True; a wrong option where no server is known. */
bool debuginfod_asked(struct argp_state *state);
void debuginfod_use(struct files *files);
/* One line on standard error. */
void debuginfod_say(struct files *files);

#endif
