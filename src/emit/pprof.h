/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pprof.h: what the files that write pprof's format share. */
#ifndef EMIT_PPROF_H
#define EMIT_PPROF_H

#include "emit.h"
#include "gzip.h"
#include "profile.h"
#include "protobuf.h"

enum profile_field {
	SAMPLE_TYPE = 1,
	SAMPLE,
	MAPPING,
	LOCATION,
	FUNCTION,
	STRING_TABLE,
	TIME_NANOS = 9,
	DURATION_NANOS,
	PERIOD_TYPE,
	PERIOD,
	COMMENT,
	DEFAULT_SAMPLE_TYPE,
};

/* What the frames of one origin are in. */
struct mapping {
	enum frame_space space;
	u32 origin;
	u64 low, high; /* as places count: offsets in a file */
	u64 moved;     /* by so much their addresses here are higher */
};

struct written_function {
	u32 name, path; /* references into the strings */
};

/* The frames from one node to another one above it: of one address. */
struct location {
	u32 first, last; /* indexes of frames */
	u32 node;	 /* of the first */
};

struct pprof {
	const struct weighted_stacks *stacks;
	const struct caption *caption;
	struct gzip *out;
	struct strings strings; /* as they are written; a reference is the index in the table */
	VEC(struct mapping) mappings; /* ids are indexes + 1 */
	struct table mapping_table;
	VEC(struct written_function) functions; /* ids are indexes + 1 */
	struct table function_table;
	VEC(struct location) locations; /* ids are indexes + 1 */
	struct table location_table;
	u32 *location; /* by node: the index + 1 of what begins there; 0: nothing does */
	u64 period_ns; /* of a sample of a CPU; 0: they are none */
	struct strbuf b, inner, line; /* a message, one inside of it, and of that */
};

/* Appends the message as a field of the profile, and clears it. */
void pprof_field(struct pprof *p, unsigned int field, struct strbuf *message);
/* The one way into the table of strings, which are UTF-8. */
u32 pprof_text(struct pprof *p, struct string s, const char *suffix);

/* Writes them all, with mappings and functions, and finds what begins at which node. */
void pprof_add_places(struct pprof *p);
/* The node of the function that has the code of the address which begins at a node. */
u32 pprof_last_of(const struct pprof *p, u32 node);

#endif
