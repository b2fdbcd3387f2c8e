/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stack_replay.h: a view of stacks that another profiler has collected. */
#ifndef CMD_STACK_REPLAY_H
#define CMD_STACK_REPLAY_H

#include "options.h"

/*
 * Draws o->input, folded text, perf script's text or a profile of pprof, as the view. What it does
 * not have is refused, and so are options that choose from what only a recording knows. Returns
 * the exit status.
 */
int stack_replay(struct run_options *o);

#endif
