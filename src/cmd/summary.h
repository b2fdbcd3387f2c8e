/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * summary.h: what a command says of a run that is over: the first screen, all of it, or JSON, and
 * which files were written.
 */
#ifndef CMD_SUMMARY_H
#define CMD_SUMMARY_H

#include "operation_sums.h"
#include "options.h"
#include "report.h"

#define SUMMARY_NAME "summary.json" /* in a record's directory */

/* A run that is over, about to be drawn. */
struct finished {
	const struct run_options *o;
	struct profile *p;
	char *directory;	  /* NULL: each file where its option says */
	struct why *why;	  /* NULL: there are no waits */
	struct why_moment moment; /* that --at names */
	struct facts facts;
	struct call_tree cpu; /* the cpu view's, for the summary; empty where there is none */
	VEC(char *) written;  /* paths */
	VEC(struct missing_fact) missing;    /* for the facts */
	VEC(struct operation_sums) left_out; /* for the facts */
	struct strbuf missing_capabilities;  /* for the facts */
};

void finished_release(struct finished *f);

/* The formats of the files in a record's directory; returns how many. */
size_t recorded_formats(const struct finished *f, const struct format *to[NR_FORMATS]);

/* Everything but the facts that are known when the pictures are written. */
void summary_begin(struct finished *f);
/*
 * The rest, when they are: prints what the options ask for, and writes summary.json into a
 * record's directory. Returns the exit status.
 */
int summary_write(struct finished *f);
/* The last lines. `failed`: something was not written. */
void summary_print_files(const struct finished *f, int failed);

#endif
