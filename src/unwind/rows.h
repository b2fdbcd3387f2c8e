/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h: collects what the programs of a file's functions tell, in any order, and packs it into
 * the words that include/unwind.h describes.
 *
 * All offsets are of the file. Functions that overlap are cut at the next one's start, which is
 * what a search for the last start before an address would find too.
 */
#ifndef WICK_ROWS_H
#define WICK_ROWS_H

#include "base/table.h"
#include "base/vec.h"
#include "cfa.h"

enum {
	ROWS_MAX_SPECIALS = 1 << 16,
	ROWS_MAX = 1 << 24, /* 1.3 GB of text, as compilers make it */
	ROWS_MAX_FUNCTIONS = 1 << 22,
	/*
	 * Shorter holes before an aligned function are padding, never run, and cost no row. Others
	 * are code.
	 */
	ROWS_PADDING = 16,
};

struct row {
	u32 offset;
	u32 rule;
};

struct row_function {
	u32 start, end;
	u32 first; /* row; in `rows` its rows end where the next added function's begin */
	u32 nr;
};

struct rows {
	const struct cfa_machine *machine;
	struct {
		VEC_FIELDS(struct row);
	} rows;
	struct {
		VEC_FIELDS(struct row_function);
	} functions;
	struct {
		VEC_FIELDS(struct wick_unwind_special);
	} specials;
	struct table known; /* specials by content */
	bool full;	    /* a bound was reached: later rows are missing */
};

/* Whether what lies between two functions is there to align the second. */
static inline bool rows_is_padding(u32 end, u32 start)
{
	return start - end < ROWS_PADDING && !(start % ROWS_PADDING);
}

struct rows_packed {
	struct wick_unwind_shape shape;
	u32 *words; /* to be freed by the caller */
	u32 nr_words;
	u64 nr_special, nr_bad[WICK_NR_BADS]; /* rows */
	u64 covered;			      /* bytes of text that have a rule other than NONE */
};

void rows_init(struct rows *rows, const struct cfa_machine *machine);
void rows_release(struct rows *rows);

/*
 * Begins a function of [start, end); the rows that follow are its own. False: it is empty, or a
 * bound is reached; it was left out, and no rows may follow.
 */
bool rows_begin(struct rows *rows, u64 start, u64 end) __attribute__((warn_unused_result));
/*
 * From `offset` on. Rows that say what the one before says, lie before that one, or outside of the
 * function, are left out.
 */
void rows_add(struct rows *rows, u64 offset, u32 rule);

/* The rule in the table's form; what is rare becomes a special. */
u32 rows_rule(struct rows *rows, const struct cfa_rule *said);

/* Sorts the functions by their start. To be called before what follows. */
void rows_sort(struct rows *rows);
/* The start of the first function at or after an offset; UINT32_MAX when there is none. */
u32 rows_next(const struct rows *rows, u32 offset);
/* Whether a function covers an offset. */
bool rows_cover(const struct rows *rows, u32 offset);
void rows_pack(const struct rows *rows, struct rows_packed *packed);

#endif
