/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h: the unwind table of a file, made from its .eh_frame, its .gopclntab, and from the code
 * itself where it has neither (flow.h). Immutable once built, so any number of threads may read it.
 * include/unwind.h says what the words mean.
 *
 * Building reads the file once, in one thread, about a second for each GB of text, in memory of a
 * few times the table's: work for the background. Bounded: 64 MB of .eh_frame, 16 M rows, 4 GB of
 * file, and for Go's tables and for code a budget of steps.
 *
 * The entry point of a file (ld.so's, musl's _start) often has no unwind entry; it is the outermost
 * frame nevertheless, and has a row for its first 64 bytes.
 */
#ifndef WICK_UNWIND_TABLE_H
#define WICK_UNWIND_TABLE_H

#include "base/base.h"
#include "python.h"
#include "unwinder.h"

/* What became of a file's unwind entries. */
struct unwind_stats {
	u64 rows, bytes; /* of the whole table, with the functions' starts */
	u64 functions;	 /* entries that have rows */
	u64 text;	 /* bytes of executable segments */
	u64 covered;	 /* of them, bytes that a rule covers */
	u64 specials;	 /* distinct */
	u64 special_rows;
	u64 bad_rows[WICK_NR_BADS];
	u64 outside; /* entries that cover no text: left over from code that was discarded */
	u64 broken;  /* records that could not be read */
	bool cut;    /* a bound was reached or .eh_frame ends early: rows are missing */
};

/* Sorted starts in half the memory: the low 16 bits of each, and the first of each 64 KB. */
struct unwind_starts {
	u16 *low;
	u32 *first; /* nr_high + 1 of them */
	u32 nr_high;
};

struct unwind_table {
	struct wick_unwind_shape shape;
	u32 *words;
	u32 nr_words;
	struct unwind_starts starts;
	struct wick_python python;
	struct unwind_stats stats; /* of one in an image, its size only */
	const void *image;	   /* that words and starts lie in; NULL: they are of the heap */
	size_t image_size;
};

/* The rule in force at a file offset. */
u32 unwind_table_lookup(const struct unwind_table *table, u64 offset);
/* A wick_unwind_word for a struct unwind_table. */
static inline u32 unwind_table_word(const void *table, u32 at)
{
	const struct unwind_table *t = table;

	return at < t->nr_words ? t->words[at] : 0;
}

/* What a WICK_BAD_... is, in a few words for a person. */
const char *unwind_bad_text(enum wick_bad bad);

#endif
