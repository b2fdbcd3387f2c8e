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

struct hashes {
	VEC_FIELDS(u64); /* by row */
};

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
	VEC(struct recorded_waits) waits; /* by leg */
	/* By sample: what is left of short sleeps, which is of all of a thread's life. */
	VEC(u64) shorts;
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
