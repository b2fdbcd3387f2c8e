/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof_tables.h: the tables of a profile of pprof, which its samples refer to (proto/profile.proto
 * of github.com/google/pprof). Rows refer to each other by ids of any value, and to strings by
 * their index; both may come after what refers to them.
 *
 * Strings and lines stay in the profile's bytes, which live longer than the tables.
 */
#ifndef INPUT_PPROF_TABLES_H
#define INPUT_PPROF_TABLES_H

#include "protobuf.h"

enum pprof_field {
	PPROF_SAMPLE_TYPE = 1,
	PPROF_SAMPLE,
	PPROF_MAPPING,
	PPROF_LOCATION,
	PPROF_FUNCTION,
	PPROF_STRING,
	PPROF_DEFAULT_SAMPLE_TYPE = 14,
};

/* Indexes of strings. */
struct pprof_type {
	u64 type, unit;
};

struct pprof_row {
	u64 id;
	u64 text;	    /* the index of a function's name, or of a mapping's file */
	u64 mapping;	    /* of a location: an id; 0: none */
	u64 address;	    /* of a location */
	struct string body; /* of a location: its message, which has its lines */
};

/* Found by their ids. */
struct pprof_rows {
	VEC_FIELDS(struct pprof_row);
	struct table table;
};

struct pprof_tables {
	VEC(struct string) strings;
	VEC(struct pprof_type) types;
	struct pprof_rows mappings, functions, locations;
	u64 nr_samples;
	u64 default_type; /* the index of its name; 0: none */
};

void pprof_tables_release(struct pprof_tables *t);
/*
 * Reads all but the samples. -EINVAL for what is no profile: cut off, an id that is 0 or of two
 * rows, no types, more than STACK_FILE_MAX_ROWS rows; `name` is the file's, for the message.
 */
int pprof_tables_read(struct pprof_tables *t, struct string profile, const char *name,
		      struct error *error);
/* "" where there is no such string. */
struct string pprof_string(const struct pprof_tables *t, u64 index);
/* NULL where there is none. */
const struct pprof_row *pprof_row(const struct pprof_rows *rows, u64 id);

#endif
