/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.h: what a run says of itself: in the picture's subtitle, and on standard error at its
 * end.
 */
#ifndef CMD_SUMMARY_H
#define CMD_SUMMARY_H

#include "collect.h"
#include "profile.h"
#include "symbolize.h"
#include "tree.h"
#include "view.h"

/*
 * Host, kernel, start, seconds, filters; then what the view's instruments saw, lost, and what the
 * options leave out of it. One line, to be freed.
 */
char *subtitle(const struct profile *p, const struct view *view, const struct view_options *options,
	       const struct run_cost *cost, const struct call_tree *tree);

/* Samples, losses, processes; of the cpu view's tree, if there is one, the top functions. */
void print_samples(FILE *to, const struct profile *p, const struct call_tree *tree);
/*
 * Off-CPU time by state, threads that never ran, thresholds, the longest blocks, and whether all
 * threads' times add up. `all`: each thread's.
 */
void print_waits(FILE *to, struct profile *p, const struct run_cost *cost, bool all);
/* Page faults: how many of which kind, what became resident, how long they took. */
void print_faults(FILE *to, const struct profile *p);
/* What brk() and mmap() have made, what was given back, and what is still held. */
void print_brk(FILE *to, const struct profile *p);
void print_mmap(FILE *to, const struct profile *p);
/* Threads by state, and where how many of them are: those that are most likely stuck come first. */
void print_standing(FILE *to, struct profile *p);
/*
 * Which share of user frames has names, and for the worst what to do about it. `all`: not just
 * three.
 */
void print_names(FILE *to, const struct profile *p, const struct naming_result *result, bool all);
/* How the walks of user stacks ended, by cause and by file: for --stats. */
void print_ends(FILE *to, const struct profile *p);
/* What the run cost. `all`: each program, each figure. */
void print_cost(FILE *to, const struct profile *p, const struct run_cost *cost, bool all);

#endif
