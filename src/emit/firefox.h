/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * firefox.h: what the files that write the Firefox Profiler's format share. Its tables are columns,
 * and end in their length:
 *
 *	firefox_begin(f, "stackTable");			"stackTable":{
 *	firefox_column(f, "frame", nr, add_frame);	"frame":[0,1,2],
 *	firefox_same(f, others, "null", nr);		"line":[null,null,null],
 *	firefox_end(f, nr, ",");			"length":3},
 */
#ifndef EMIT_FIREFOX_H
#define EMIT_FIREFOX_H

#include "emit.h"
#include "functions.h"
#include "gzip.h"
#include "threads.h"

#define FIREFOX_WAIT "Wait" /* what markers are */

struct firefox {
	const struct weighted_stacks *stacks;
	const struct caption *caption;
	struct gzip *out;
	struct strbuf b;
	struct functions functions;
	/* Names, distinct: resources and sources are their indexes. */
	struct named_things {
		VEC_FIELDS(u32);
		struct table table;
	} modules, paths;
	struct threads threads;
	struct by_thread rows, waits;
	size_t thread; /* that is being written */
};

/* Appends item i of a column. */
typedef void firefox_item(struct firefox *f, size_t i);

void firefox_begin(struct firefox *f, const char *name);
void firefox_end(struct firefox *f, size_t nr, const char *end);
void firefox_column(struct firefox *f, const char *name, size_t nr, firefox_item *add);
/* Columns of one value, for what does not exist here. The last name is NULL. */
void firefox_same(struct firefox *f, const char *const *names, const char *value, size_t nr);
void firefox_number(struct firefox *f, u64 value);
void firefox_flush(struct firefox *f);

/* Of all frames, with their modules: to be called before anything is written. */
void firefox_find_functions(struct firefox *f);
/* "shared": strings, functions, modules, frames, stacks. */
void firefox_add_shared(struct firefox *f);

/* The index of FIREFOX_WAIT in the table of strings. */
static inline size_t firefox_wait_string(const struct firefox *f)
{
	return f->functions.nr + f->modules.nr + f->paths.nr;
}

#endif
