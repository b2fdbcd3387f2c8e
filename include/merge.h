/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * merge.h: recordings of several hosts, or of several runs of one, become one recording.
 *
 *	m = merge_new();
 *	merge_add(m, fd, "a.wick", &facts, &error);	any number of times
 *	merge_write(m, &bytes, &error);
 *	merge_free(m);
 *
 * Each run has a row in profile.hosts, and its threads, images and kernel frames refer to it, so
 * that nothing of two runs is taken for the same. The time of day when each run began puts them on
 * one clock: the merged window goes from the begin of the first to the end of the last. All sums
 * are those of the runs together, slice by slice, so that a part of the merged recording has what
 * the same part of each run has.
 */
#ifndef WICK_MERGE_H
#define WICK_MERGE_H

#include "recording.h"

struct merge;

struct merge *merge_new(void);
void merge_free(struct merge *m);

/*
 * Reads a recording; `name` is for messages and is copied. Errors as recording_read(), and -EINVAL
 * where its CPU samples have another frequency than those of the others: they would not add up.
 */
int merge_add(struct merge *m, int fd, const char *name, struct recording *facts,
	      struct error *error);

/* Appends the merged recording. -EINVAL where times of day are so far apart that none is left. */
int merge_write(struct merge *m, struct strbuf *to, struct error *error);

/* What was read, in order; lives until merge_free(). */
struct merge_run {
	const char *name;
	const struct profile *p;
	u64 begin; /* of its window, nanoseconds after that of the merged one */
};

size_t merge_nr_runs(const struct merge *m);
struct merge_run merge_run_at(const struct merge *m, size_t i);

#endif
