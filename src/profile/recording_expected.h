/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_expected.h: what a number of a recording is expected to be, so that the difference is
 * all that is written: mostly 0. Every nanosecond of a long wait was in a file three times, in the
 * log, in what its sample has, and as that one's longest.
 *
 * Writer and reader expect the same: from columns of the row that come before this one, and from
 * what the record has said before, never from records before, of which one may be damaged. A leg's
 * start is the exception; without its image it is nobody's.
 */
#ifndef PROFILE_RECORDING_EXPECTED_H
#define PROFILE_RECORDING_EXPECTED_H

#include "base/table.h"
#include "profile.h"

enum { RECORDED_PAGE = 4096 }; /* bytes, of most faults on most machines */

/* What a record's blocks say that a sample has. */
struct logged_time {
	u32 state, leg, user, kernel, chain;
	u64 ns;
};

struct logged_times {
	VEC(struct logged_time) rows;
	struct table table;
};

void logged_times_release(struct logged_times *times);
void logged_times_add(struct logged_times *times, const struct block *block);

/* What the record's counts say that threads have waited. */
struct counted_wait {
	u64 start_ns;
	u32 tid, host;
	u64 blocked, queued, preempted;
};

struct counted_waits {
	VEC(struct counted_wait) rows;
	struct table table;
};

void counted_waits_release(struct counted_waits *waits);
/* In place of what was there. */
void counted_waits_set(struct counted_waits *waits, const struct profile *p,
		       const struct slice_sample *counts, size_t nr);

struct recording_order;

struct expecting {
	const struct profile *p;
	const struct logged_times *logged;
	const struct counted_waits *waits;
	const struct recording_order *order; /* NULL: rows have the file's numbers */
};

/* Where a number of a column stands. */
struct column_place {
	u64 number;	 /* of the row, in the file */
	u64 first;	 /* of the section's first row */
	u64 before;	 /* the column's, in the row before */
	const void *row; /* with the columns before this one */
	const struct expecting *expecting;
};

/* As the column is in memory. */
typedef u64 expected_value(const struct column_place *at);

/* Of a leg: its image's start, its process. */
expected_value expected_leg_start, expected_tid;
/* Of a thread's times: what its samples have; the end without all that it did; its running time. */
expected_value expected_queued, expected_preempted, expected_blocked;
expected_value expected_thread_begin, expected_thread_ran;
/* Of what a slice added to a sample. */
expected_value expected_count, expected_longest;
/* Whether a count is of bytes, mostly of pages. */
bool counts_bytes(const struct column_place *at);
/* Of what a block waited for: what that is. */
expected_value expected_object_kind;

#endif
