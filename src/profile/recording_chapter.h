/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_chapter.h: what a writer keeps of its last slices, for a record that stands for them: a
 * chapter. A reader of a part of a recording reads chapters, and few slices (recording_seek.c).
 */
#ifndef PROFILE_RECORDING_CHAPTER_H
#define PROFILE_RECORDING_CHAPTER_H

#include "recording_tables.h"

/*
 * All chapters are read, and those slices that have a range's end among them; a MB of these takes
 * 25 ms. A chapter says again what dictionaries have got in it, so a short run has none.
 */
enum { SLICES_OF_CHAPTER = 60, SIZE_OF_CHAPTER = 1 << 20 };

/* Rows whose late columns are looked at each second; the end has all of them. */
enum { NEWEST_ROWS = 1 << 14 };

/* Of those rows: a row's is at its number modulo NEWEST_ROWS. */
struct hashes {
	VEC_FIELDS(u64);
};

/* Whether the row's hash was another one. Rows are replaced in turn, never one that is older. */
bool hashes_replace(struct hashes *hashes, size_t row, u64 hash);

/* How far something has been written. */
struct progress {
	size_t rows[NR_TABLES]; /* of dictionaries */
	VEC(u64) fields;	/* as they were written, by their place in the table */
	VEC(u64) losses;
	struct hashes files, images; /* of their late columns */
};

void progress_init(struct progress *progress);
void progress_release(struct progress *progress);

struct chapter {
	size_t nr_slices;	 /* that it has at least ... */
	u64 size;		 /* ... and bytes of their records */
	struct progress written; /* in chapters */
	VEC(u32) filled;	 /* stacks */
	VEC(struct recorded_slice) slices;
	/* Of the legs and samples that it has counted, which are few of a long run's. */
	VEC(struct recorded_waits) waits;
	VEC(struct recorded_value)
	shorts; /* what is left of short sleeps: all of a thread's life */
	struct table waits_table, shorts_table;
	u64 earliest; /* begin of a block in the record before, which may be counted in this one */
};

void chapter_init(struct chapter *chapter);
void chapter_release(struct chapter *chapter);
/* Before the slice is forgotten: what it has counted, and the blocks in its log. */
void chapter_count(struct chapter *chapter, const struct profile *p, struct recorded_slice *slice);
/* When it is known where its record lies. */
void chapter_add(struct chapter *chapter, const struct recorded_slice *slice);
/* Moves what a chapter has into rows; the next one begins. Samples are the profile's. */
void chapter_take(struct chapter *chapter, struct recorded *rows);

#endif
