/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h: one run of the profiler, from the command line to the files and the summary. */
#ifndef CMD_RUN_H
#define CMD_RUN_H

#include "options.h"

/* Observes what the views need, in one window, and draws them. Returns the exit status. */
int run_command(const struct drawing *drawing, int argc, char **argv, const char *doc);

#endif
