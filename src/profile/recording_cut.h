/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_cut.h: a range of a recording. What is counted twice, up to each end of the range, is
 * subtracted: so two ranges that meet have together what one over both has, to the nanosecond.
 *
 * Of a block in the log it is known when it was: it counts for its part. Of what else a slice has
 * counted it is not: that is taken to be spread evenly over the slice. Which of ten samples are in
 * a third of a slice is decided by their rows, so that three or four are, and not none or all.
 */
#ifndef PROFILE_RECORDING_CUT_H
#define PROFILE_RECORDING_CUT_H

#include "recording.h"

#include "recording_tables.h"

/* Of a sum, what lies before the range's begin, before its end, and all of it. */
struct cut_sum {
	u64 before, until, all;
};

struct cut_waits {
	struct cut_sum of[NR_WAITS];
};

struct recording_cut {
	u64 from, to;		      /* ns after the window's begin */
	VEC(struct cut_waits) unread; /* by leg: of slices that were not read */
	/* What is left of a chapter's waits, by leg, sample; and of which it has some. */
	VEC(struct recorded_waits) chapter_waits;
	VEC(u64) chapter_shorts;
	VEC(u32) chapter_legs, chapter_samples;
	/* The slice at hand only tells which of its blocks are counted in the next one. */
	bool dry;
	VEC(struct block) logged; /* by the record at hand */
	/* By sample: its columns, and of a sched sample's time all three. */
	struct {
		VEC_FIELDS(struct cut_sum);
	} ns;
	VEC(u64) rest; /* by sample, of the record at hand: ns that no block was found for */
	VEC(struct block) waiting; /* blocks whose counts have not come with them */
};

/* value * part / whole, where part <= whole. */
u64 scaled(u64 value, u64 part, u64 whole);
/* After the window's begin, of which a block may seem to be before. */
u64 after_begin(const struct profile *p, u64 time);
/* Rows that follow each other are rounded as unlike as can be: the golden ratio's multiples. */
u32 dither_of(size_t row);
/* A value that is spread over [begin, end), after the window's begin. */
struct cut_sum cut_value(const struct recording_cut *cut, u64 value, u64 begin, u64 end,
			 u32 dither);
void add_cut(struct cut_sum *to, const struct cut_sum *more);
void cut_threads(struct recording_cut *cut, struct profile *p);
/* What threads had run before their blocks is of the range: they, and their times, are cut. */
void cut_ran(const struct recording_cut *cut, struct profile *p);

/* Takes the place of adding the counts of a slice's record to the profile. */
void cut_slice(struct recording_cut *cut, struct profile *p, const struct recording_slice *slice,
	       const struct recorded *rows, const bool *unknown_samples);
/* Adds the record's blocks, of which some are in the range, to the profile's log. */
void cut_log_record(struct recording_cut *cut, struct profile *p);
/* A chapter begins, of which not all slices are read; and ends: the others lie on one side. */
void cut_begin_chapter(struct recording_cut *cut, const struct profile *p,
		       const struct recorded *rows);
void cut_end_chapter(struct recording_cut *cut, const struct profile *p, bool before);
/* How much of what a slice has added is in the range. */
u64 cut_part(const struct recording_cut *cut, const struct recording_slice *slice, u64 value);
/* When all is read: threads, blocks, losses, and the window. */
void cut_finish(struct recording_cut *cut, struct profile *p);
void cut_release(struct recording_cut *cut);

#endif
