/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options.h: the options of the commands that profile. One table; every option means the same in
 * every command.
 */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include "base/strbuf.h"
#include "collect.h"
#include "look.h"
#include "values.h"
#include "view.h"

/* A view that was asked for, and cannot be drawn on this host. */
struct missing_view {
	const char *name;
	char *why; /* owned */
};

/* What a command draws. */
struct drawing {
	const struct view *views[NR_VIEWS];
	size_t nr_views;
	VEC(struct missing_view) missing;
	bool directory;		 /* -o names a directory, which gets all views */
	bool text;		 /* to standard output, as text, if no -o says otherwise */
	const struct page *page; /* on standard output, without an -o; NULL: the view has none */
	const char *output_help; /* what -o does */
};

struct run_options {
	struct drawing drawing;
	u32 needs; /* of all views together */
	struct collect_options collect;
	struct view_options view;
	const char *metric; /* --metric; NULL: each view's own */
	char *metric_help;  /* owned: what help says of it */
	struct look look;
	struct operations operations; /* view.operations, if there are any */
	const char *recording;	/* -o x.wick; NULL: none, or beside the pictures of all views */
	u64 max_size;		/* of the recording, bytes; 0: any */
	u64 max_memory;		/* of wick, bytes; 0: memory_for_run() */
	u64 part_ns;		/* to test parts of a recording: how long one is; 0: by memory */
	const char *input;	/* -i: read that recording instead of collecting */
	const char *host;	/* -i: a glob: only threads of these hosts; NULL: of all */
	const char *from, *to;	/* the part of it to read; NULL: up to its end */
	const char *at;		/* why: the moment of tids' one thread to tell; NULL: all of it */
	const char *collecting; /* an option that was given and means nothing with -i */
	struct id_list pids, tids;
	struct strbuf filters; /* the filter options, as they were typed */
	bool no_inlines;       /* nor lines of source */
	bool debuginfod;       /* for debug files that are not here */
	bool attach_java;      /* have Java VMs write perf maps */
	bool stats, quiet;
	bool json; /* the summary, on standard output */
};

/*
 * Parses a command's arguments; argv[0] is what messages begin with. Prints help or what is wrong,
 * and exits, as argp does: 2 for wrong usage.
 */
void run_options_parse(struct run_options *o, const struct drawing *drawing, int argc, char **argv,
		       const char *doc);
/*
 * Parses an option that chooses from what was observed: a filter, the root frame, the metric. Else
 * ARGP_ERR_UNKNOWN.
 */
int run_options_choose(struct run_options *o, int key, char *arg, struct argp_state *state);
/* The options that such a command takes, as its help has them; the last row is empty. */
void run_options_rows(const struct drawing *drawing, struct argp_option *rows);
/* Frees the texts that were made for them; rows of other commands have none. */
void run_options_rows_release(struct argp_option *rows);
void run_options_release(struct run_options *o);
/*
 * What the views need together, the run has to observe. To be called again when they have changed.
 */
void run_options_set_needs(struct run_options *o);
/* Its last step, in option_checks.c: judges and chooses what takes all options together. */
void run_options_check(struct run_options *o, struct argp_state *state);

#endif
