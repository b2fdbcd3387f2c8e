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
 * Names the frames, writes all files, says what there is to say. `started_ns`: the command,
 * CLOCK_MONOTONIC. Returns the exit status.
 */
int draw(const struct run_options *o, struct profile *p, struct collector *collector,
	 struct files *files, u64 started_ns);

#endif
