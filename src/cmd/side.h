/* SPDX-License-Identifier: GPL-2.0-or-later */
/* side.h: the two profiles that `wick diff` compares: files of stacks, or views of recordings. */
#ifndef CMD_SIDE_H
#define CMD_SIDE_H

#include "operation_sums.h"
#include "operations.h"
#include "options.h"
#include "stack_file.h"

/* Which two, and what of them. */
struct sides_options {
	const char *inputs[2]; /* before, now; of a single recording both are the same */
	size_t nr_inputs;
	const char *parts[2];	      /* FROM..TO of a recording; NULL: all of it */
	const struct view *view;      /* of recordings; NULL: see sides_read() */
	struct run_options recorded;  /* filters, root frame and metric of recordings */
	const char *for_recordings;   /* an option that was given and means nothing without one */
	struct operations operations; /* of both */
	bool reverse;
};

/* Appends the options for recordings. */
void sides_append_rows(struct argp_option *rows);
/* ARGP_ERR_UNKNOWN: none of these. */
int sides_parse(struct sides_options *o, int key, char *arg, struct argp_state *state);
/* When all options are known: are there two? Else ends the program. */
void sides_check(struct sides_options *o, struct argp_state *state);
void sides_options_release(struct sides_options *o);

/* One of them, and what there is to say of it. */
struct side {
	char *name; /* "host.wick 10..20", for people */
	bool recorded;
	struct stack_files
		files;		 /* begins as STACK_FILES_NONE; of a recording, view and unit are */
	struct call_tree tree;	 /* finished */
	struct call_tree events; /* of how many events its values are sums; no nodes: not known */
	struct operation_sums left_out; /* by the operations */
};

/*
 * Reads both, before and now, over one pool of names. A recording is drawn as the view that is
 * asked for, else as what is before is of, else as cpu where that was recorded, or offcpu. Values
 * of both are then in one unit.
 *
 * Errors: those of the files; units that are not the same; a recording that lacks what the view
 * needs; options for recordings where there are none.
 */
int sides_read(struct side sides[2], struct sides_options *o, struct strings *names,
	       struct error *error);
/* Small boxes were left out of the difference of both: sides know by how much. */
void sides_take_pruned(struct side sides[2], const struct operations *operations);
void side_release(struct side *side);

#endif
