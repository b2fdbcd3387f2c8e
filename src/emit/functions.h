/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions.h: the functions of weighted stacks: what a call tree has as one box under one caller
 * is one function, whatever places it has.
 */
#ifndef EMIT_FUNCTIONS_H
#define EMIT_FUNCTIONS_H

#include "emit.h"

struct shown_function {
	u32 name;	  /* in the stacks' names, as the others */
	u32 module, path; /* the first ones that were met */
	enum frame_kind kind;
};

struct functions {
	VEC_FIELDS(struct shown_function);
	const struct weighted_stacks *stacks; /* not owned */
	u32 *of_frame; /* by frame: its function's index; that of frame 0 means nothing */
	struct table table;
};

void functions_init(struct functions *f, const struct weighted_stacks *stacks);
void functions_release(struct functions *f);
/* Appends a function's name as a JSON string, with the suffix of its kind where that is wanted. */
void functions_add_name(struct strbuf *b, const struct functions *f, size_t i, bool annotate);

#endif
