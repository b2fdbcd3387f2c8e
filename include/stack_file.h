/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack_file.h: files of weighted stacks, of wick or any other tool, become a call tree. What a
 * file is, its content says: folded text, what `perf script` prints, or a profile of pprof. All of
 * them may be compressed by gzip.
 *
 * Folded text:
 *
 *	# wick view=offcpu unit=us
 *	java;start_thread;func_a;[unknown];do_syscall_64_[k] 12
 *
 * A line is the frames of a stack, root first, and behind the last blank its count; LF or CRLF, and
 * the last line need not have an end. Frames in brackets, `-` and `--` become notes; the suffixes
 * _[k] _[i] _[j] _[w] become kinds and leave the name. Counts may have a fraction, of which six
 * digits count: values of the tree are multiples of what unit.divisor says. Empty lines, and lines
 * that begin with "# ", mean nothing.
 *
 * Two counts on a line are a differential: before and now. They are, if every line of the file has
 * two, or the caller says so; else the first one is a part of the last frame's name.
 *
 * The first line may say which view of wick's it is, and in which unit; src/emit/folded.c writes
 * it. It has no count, so that flamegraph.pl leaves it out and says that it ignored one line;
 * inferno takes it for a comment.
 *
 * perf script's text (tools/perf/builtin-script.c of Linux): an event's line and, below it, its
 * frames, leaf first. Fields are as perf prints them by default, or fewer, or more:
 *
 *	java 12/34 [001] 158665.570607:   250000 cycles:u:
 *	    ffffffff8103ce3b native_safe_halt+0xb ([kernel.kallsyms])
 *
 * The root frame is the thread's name. An event weighs its period if the first one has one, else 1.
 * Events of one kind add up: those of the first one's, or of the kind that `event` names; others
 * are counted.
 *
 * pprof's profile (proto/profile.proto of github.com/google/pprof): of several sample types the
 * default one is read, or the one that `metric` names. Of a profile, at most
 * STACK_FILE_MAX_PROFILE bytes are read, once they are decompressed, and STACK_FILE_MAX_ROWS rows
 * of a table.
 *
 * What is not a stack is left out and counted.
 */
#ifndef WICK_STACK_FILE_H
#define WICK_STACK_FILE_H

#include "emit.h"
#include "operations.h"
#include "tree.h"

enum { STACK_FILE_MAX_LINE = 16 << 20 /* bytes */, STACK_FILE_MAX_FRAMES = 1 << 16 };
enum { STACK_FILE_MAX_PROFILE = 1 << 28, STACK_FILE_MAX_ROWS = 1 << 22 };

struct view;

struct stack_file_options {
	unsigned int columns; /* counts on a line: 1, 2, or 0: as the file has them */
	bool reverse;	      /* the tree is from leaf to root */
	bool chart;	      /* stacks stay in their order, and merge with the one before only */
	bool label;	      /* the file's name is the root frame */
	struct operations *operations; /* on each stack, but not on its label; NULL: none */
	const char *metric; /* pprof: a sample type; perf script: period or samples; NULL: any */
	/*
	 * Of this view, and `metric` is one of its own: only the events and values of it are read.
	 * -EINVAL where the file has none, or does not say. NULL: whatever the file has.
	 */
	const struct view *view;
	const char *event; /* of perf script's events: those of this name; NULL: the first's */
	/*
	 * The root frame. perf script: comm, pid, tid or none; pprof: the key of a label, or none.
	 * NULL: comm; none.
	 */
	const char *group;
};

/* What the files that were read into one tree say of it. Begins as STACK_FILES_NONE. */
struct stack_files {
	const struct view *view; /* NULL: not known, or not the same in all files */
	struct unit unit;	 /* of the tree's values */
	bool differential;
	u64 nr_files;
	u64 nr_stacks;		/* lines, events, samples */
	u64 nr_gone;		/* lines of a differential that have a first count only ... */
	u64 gone;		/* ... and those, which are not drawn */
	u64 nr_others;		/* events of another kind than the one that was read */
	char choice[256];	/* what the first file that has several values has; "": none has */
	const char *bad_noun;	/* what was left out: "line", "sample" */
	u64 nr_bad;		/* how many of them */
	struct error first_bad; /* where the first of them is, and what is wrong with it */
};

#define STACK_FILES_NONE ((struct stack_files){.unit = {.name = "samples", .divisor = 1}})

/*
 * Adds a file to an unfinished tree, whose pool of names is `names`. `name` is the file's, for
 * messages and labels. Several files can be read into one tree, their values are summed.
 *
 * Errors: a sum of 2^64 or more, a line of more than STACK_FILE_MAX_LINE bytes, UTF-16, units that
 * do not add up, a differential and none, a profile that is damaged or too large, or options that
 * ask for what the file does not have; -EINVAL for those, else the errno of the read. A file
 * without stacks is no error, if it is empty or a part of it is folded text.
 */
int stack_file_read(struct stack_files *files, struct call_tree *tree, struct strings *names,
		    int fd, const char *name, const struct stack_file_options *options,
		    struct error *error);

#endif
