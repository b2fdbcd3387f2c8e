/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_reader.h: a recording as far as it has been read. recording_read.c finds the records of
 * a file, recording_rows.c makes rows of a record's bytes, recording_apply.c checks what is more
 * than a column and puts it into the profile.
 */
#ifndef PROFILE_RECORDING_READER_H
#define PROFILE_RECORDING_READER_H

#include "recording.h"

#include "recording_bytes.h"
#include "recording_cut.h"
#include "recording_tables.h"

enum recording_part {
	READ_EVERYTHING,
	READ_CHAPTERS, /* the record is a chapter */
	READ_COUNTS,   /* it is a slice of one, whose rows of dictionaries are known */
};

struct recording_reader {
	enum recording_part only;
	struct profile *p;
	struct recording *facts;
	struct recorded rows;
	VEC(u32) strings;	     /* the profile's number of each string of the file */
	VEC(bool) unknown_samples;   /* by sample: it is not known what it is of */
	struct logged_times logged;  /* what the blocks of the record at hand say */
	struct counted_waits waits;  /* and its counts */
	struct recording_slice part; /* what the record at hand says of itself */
	u64 end;		     /* the last slice's */
	u64 room;		     /* bytes of memory that what is left may still take */
	u64 table_rows[NR_TABLES], table_bytes[NR_TABLES];
	struct recording_cut *cut;		   /* NULL: all of it is read */
	const struct recording_listener *listener; /* or NULL */
	VEC(struct block) told; /* by the record at hand, for the listener: the log may drop them */
	const char *damage;	/* why the record at hand is damaged; a constant */
};

/* A recording in a file, and where we are in it. Offsets are from its begin on. */
struct source {
	int fd;
	u64 base; /* of its begin in the file */
	u64 size, at;
	u64 to_search; /* bytes that may still be read in search of a record */
	struct strbuf payload, inflated;
};

struct source recording_source(int fd, u64 base, u64 size);
void source_release(struct source *s);
/* Bytes at an offset: all of them, or a negative errno; -ENODATA: it ends before. */
int source_read(const struct source *s, u64 at, void *to, size_t size);
/* All of a recording, or a range of it: recording.h has the rest. */
int read_source(struct source *s, const struct recording_range *range,
		const struct recording_listener *listener, struct profile *p,
		struct recording *facts, struct error *error);
/* The index at its end: -ENOENT where there is none. */
int find_index(struct recording_reader *r, struct source *s);

/* The record at s->at: 0, -EBADMSG where none is whole there, or why the file cannot be read. */
int find_record(struct source *s, struct record_header *header);
/* What was found becomes rows. */
int read_payload(struct recording_reader *r, struct source *s, const struct record_header *header);

/*
 * Reads the chapters, and the slices that a cut needs, by the index at the file's end; then s->at
 * is behind the last chapter. -ENOENT: there is none, or it is of no use, and what was read is to
 * be forgotten.
 */
int seek_slices(struct recording_reader *r, struct source *s);
/* The offsets that an index's payload has. */
int read_index(struct recording *facts, u64 size, struct cursor payload);

/* Counts a piece of the file that could not be read; of the first one it is kept where and why. */
void note_damage(struct recording *facts, u64 at, u64 size, const char *why);
/* Notes why; returns -EINVAL. */
int is_damaged(struct recording_reader *r, const char *why);
/* Before memory is taken for what the file says is there. */
bool take_room(struct recording_reader *r, u64 nr, u64 size);

/* All sections of a record's payload. What was read before a damaged section stays. */
int read_sections(struct recording_reader *r, struct cursor payload);

/*
 * Adds the rows up to `first` of a dictionary that were in a damaged record: nothing is known of
 * them.
 */
int fill_gap(struct recording_reader *r, enum table_number number, u64 first);
/* Rows first .. first + nr of the table have all of their columns. */
int apply_rows(struct recording_reader *r, enum table_number number, size_t first, size_t nr);
/* Undoes that, as far as it came before it failed: the table has rows up to `first` only. */
void forget_rows(struct recording_reader *r, enum table_number number, size_t first);
/* Rows that are missing, as zeros: what they are is not known. */
void mark_unknown(struct recording_reader *r, enum table_number number, size_t first, size_t nr);

#endif
