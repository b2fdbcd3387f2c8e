/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording.h: a profile as a file, written while the run goes on and read back into the same
 * profile. docs/recording.md is the format.
 *
 *	profile.slice.wanted = true;			before anything is counted
 *	w = recording_writer_new();
 *	recording_put_header(&bytes);
 *	recording_put_slice(w, &profile, until, &bytes);	each second: all that has changed
 *	...
 *	recording_put_names(w, &profile, &bytes);	when the frames have names
 *	recording_put_end(w, &profile, &bytes);
 *	recording_writer_free(w);
 *
 * Some of these calls also append a chapter, by which a reader of a part finds it. The bytes are
 * appended to what the caller gives; the caller writes those of one call at once, so
 * that a file that ends anywhere lacks at most the last slice. No row is written twice, and nothing
 * that was written is changed later.
 *
 * A file may come from a stranger. Every length, number and reference is checked before it is used.
 * A part that is damaged is left out, and said to be lost; the parts after it are read. Memory is
 * bounded by a constant and the file's size times another one.
 */
#ifndef WICK_RECORDING_H
#define WICK_RECORDING_H

#include "base/strbuf.h"
#include "profile.h"

#define RECORDING_SUFFIX ".wick"

struct recording_writer;

struct recording_writer *recording_writer_new(void);
void recording_writer_free(struct recording_writer *w);

/* For tests: of how many slices and bytes at least a chapter is, if not of what is best. */
void recording_set_chapters(struct recording_writer *w, size_t nr_slices, u64 size);

void recording_put_header(struct strbuf *to);
/* Appends what has changed since the last call: a slice, until then (CLOCK_MONOTONIC). */
void recording_put_slice(struct recording_writer *w, struct profile *p, u64 until,
			 struct strbuf *to);
/* The same of a stretch that need not follow the last one: nanoseconds after the window's begin. */
void recording_put_piece(struct recording_writer *w, struct profile *p, u64 begin, u64 end,
			 struct strbuf *to);
/* Appends the functions of all frames, and what is known of files and images. */
void recording_put_names(struct recording_writer *w, struct profile *p, struct strbuf *to);
/*
 * Appends what is known when the window has closed. A file without it is of a run that was killed.
 * The profile's samples have the order of the file's from then on, so that what is drawn of either
 * is the same.
 */
void recording_put_end(struct recording_writer *w, struct profile *p, struct strbuf *to);

struct recording;
/*
 * Appends a record of names to a recording that was read into this profile, whose frames have other
 * functions and lines since.
 */
void recording_append_names(struct profile *p, const struct recording *r, struct strbuf *to);

/* A slice of the window, as it was read. Times are nanoseconds after the window's begin. */
struct recording_slice {
	u64 begin, end;
	u64 offset, size; /* of its record in the file */
	/* What it added to the first two columns of each kind's samples. */
	u64 sums[WICK_NR_KINDS][2];
};

/* A table of the file: rows, and bytes before they were deflated. */
struct recording_table {
	const char *name; /* a constant */
	u64 rows, bytes;
};

enum { MAX_RECORDING_TABLES = 32 };

/* What a file is, beside the profile in it. */
struct recording {
	u32 major, minor; /* of the format */
	u64 size;	  /* bytes */
	size_t nr_parts;  /* recordings, one after the other */
	bool ended;	  /* the run's end is in it, of all parts */
	bool named;	  /* the frames' names are, of all parts */
	u64 nr_records, deflated_bytes, raw_bytes;
	u64 nr_unknown; /* records and tables of a newer version, which were passed over */
	/* What could not be read: pieces of the file, their bytes, and where and why the first. */
	u64 nr_damaged, damaged_bytes, first_damaged;
	char damage[128];
	u64 lost_counts; /* of samples whose rows were in a damaged piece */
	/* Numbers of dictionaries that the file has used. */
	u64 nr_strings, nr_functions, nr_sources;
	VEC(struct recording_slice) slices;
	VEC(u64) chapters; /* where these are, if the file has an index */
	struct recording_table tables[MAX_RECORDING_TABLES];
	size_t nr_tables;
};

/* A part of the window: nanoseconds after its begin. */
struct recording_range {
	u64 from, to;
};

/* Is an open file a recording, by how it begins? Leaves its position as it is. */
bool recording_is(int fd);
/*
 * Reads a file of any size from its begin; `p` is to be initialized, and must be thrown away after
 * an error. The file may have several recordings one after the other, the parts of a long run: they
 * are read as one. -EINVAL: it is no recording, its parts are of several runs, or nothing in it
 * could be read. -ENOTSUP: it is of a newer major version. -EIO and the like: the file could not be
 * read. What was damaged is no error.
 *
 * With a range, the profile is that of this part of the window. A block that crosses one of its
 * ends counts for its part, and other counts of a slice that does are taken to be spread evenly
 * over it; so is what is only known of the whole run, as losses are. What is held at the end, and
 * what the CPUs did, is not in it. Two ranges that meet have together what both have as one.
 */
int recording_read(int fd, const struct recording_range *range, struct profile *p,
		   struct recording *r, struct error *error);
void recording_release(struct recording *r);

/* What a record has brought. */
struct recording_piece {
	bool is_slice; /* else it has names, or what is known at the end */
	struct recording_slice slice;
	/* To rows of the profile's samples; and blocks, whether or not its log has room. */
	const struct slice_sample *counts;
	size_t nr_counts;
	const struct block *blocks;
	size_t nr_blocks;
};

/* Is called for each record, once the profile has all of it. The piece is the reader's. */
struct recording_listener {
	void (*piece)(void *ctx, const struct profile *p, const struct recording_piece *piece);
	void *ctx;
};

/*
 * Reads all of a file, as recording_read() does, and tells what came when. -ENOTSUP: it has several
 * parts.
 */
int recording_read_slices(int fd, const struct recording_listener *listener, struct profile *p,
			  struct recording *r, struct error *error);

#endif
