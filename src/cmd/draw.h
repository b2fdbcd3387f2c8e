/* SPDX-License-Identifier: GPL-2.0-or-later */
/* draw.h: what becomes of a run that is over: names, pictures, the summary. */
#ifndef CMD_DRAW_H
#define CMD_DRAW_H

#include "collect.h"
#include "options.h"
#include "profile.h"

/* What cannot be written is better known before the run than after it. */
int check_outputs(const struct run_options *o, struct error *error);
/*
 * The directory that -o names, or a new one, to be freed; NULL with *error filled if it cannot be
 * made.
 */
char *make_directory(const struct run_options *o, const struct profile *p, struct error *error);

/* A run that is over. */
struct drawn_run {
	const struct run_options *o;
	struct profile *p;
	/* Of a run of this process; NULL where its names are not asked for. */
	struct collector *collector;
	struct files *files;
	struct recorder *recorder; /* to be finished; NULL: there is none */
	u64 started_ns;		   /* the command, CLOCK_MONOTONIC; 0: the profile has its costs */
};

/*
 * Names the frames, finishes the recording, writes all files, says what there is to say. Returns
 * the exit status.
 */
int draw(const struct drawn_run *run);

#endif
