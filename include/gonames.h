/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gonames.h: names of Go's functions and their lines of source, by the table that their runtime
 * unwinds and prints stacks with, .gopclntab. Every Go program has it, also one that was stripped
 * (`-ldflags "-s -w"`). Names are as the runtime prints them: `main.(*server).handle`,
 * `main.sum[...]` for what has type parameters.
 */
#ifndef WICK_GONAMES_H
#define WICK_GONAMES_H

#include "base/base.h"

struct go_names;

/*
 * Reads the table of an open file, which stays the caller's and has to stay open. NULL: the file
 * has none, or none of a known version (Go 1.16 and later).
 */
struct go_names *go_names_open(int fd);
/* How many functions it has. */
u32 go_names_count(const struct go_names *names);
void go_names_free(struct go_names *names);

/*
 * The function at a file offset: where it begins in the file, and its name, which lies in the
 * table. False: it is none of Go's.
 */
bool go_names_find(const struct go_names *names, u64 offset, u64 *start, const char **name,
		   size_t *size);

/* A line of source; names lie in the table. */
struct go_line {
	const char *function, *path;
	size_t function_size, path_size;
	u32 line; /* 0: not known */
};

/*
 * The lines of a file offset: of the innermost inlined function, of the one that it is inlined
 * into, and so on to the one that has the code. Returns how many, at most `max`; 0: it is none of
 * Go's. Inlined functions are known of Go 1.20 and later.
 */
size_t go_names_lines(struct go_names *names, u64 offset, struct go_line *lines, size_t max);

#endif
