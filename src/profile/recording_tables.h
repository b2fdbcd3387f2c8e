/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_tables.h: what is in a recording, as data: its tables, their columns, and what stands
 * in a column of each. The writer and the reader have no knowledge of a table beyond this, but for
 * the reader's check of a finished row (recording_apply.c).
 *
 * Numbers of tables, columns (their place in the row below, from 1), fields and values are the
 * format's own and never change; new ones are appended. docs/recording.md lists them.
 */
#ifndef PROFILE_RECORDING_TABLES_H
#define PROFILE_RECORDING_TABLES_H

#include "profile.h"
#include "recording_expected.h"

enum table_number {
	NO_TABLE,
	/* Dictionaries: they grow, and their rows are named by number. */
	TABLE_STRINGS,
	TABLE_FUNCTIONS,
	TABLE_FILES,
	TABLE_IMAGES,
	TABLE_LEGS,
	TABLE_FRAMES,
	TABLE_STACK_NODES,
	TABLE_STACKS,
	TABLE_HOPS,
	TABLE_CHAIN_NODES,
	TABLE_CHAINS,
	TABLE_SAMPLES,
	TABLE_LOSSES,
	TABLE_THREADS,
	/* What a record says of rows: these begin at 0 in each. */
	TABLE_FIELDS,
	TABLE_COUNTS,
	TABLE_FILLED,
	TABLE_HELD,
	TABLE_LOST,
	TABLE_CPUS,
	TABLE_BLOCKS,
	TABLE_PROGRAMS,
	TABLE_SIZES,   /* of the dictionaries, before the record: what a damaged one has cost */
	TABLE_SOURCES, /* a dictionary */
	TABLE_HOSTS,   /* a dictionary, to be written before those that refer to it */
	TABLE_OBJECTS, /* a dictionary */
	/* Of a chapter: recording_chapters.h. */
	TABLE_SLICES,
	TABLE_WAITS,
	TABLE_SHORT,
	NR_TABLES,
};

enum recorded_wait { WAIT_BLOCKED, WAIT_QUEUED, WAIT_PREEMPTED, NR_WAITS };

/* A node of a trie: the stacks (or chains) that end here are their parent's and one more. */
struct recorded_node {
	u32 parent; /* 0: the empty one */
	u32 last;   /* frame, root first; or hop, the sleeper's waker first */
};

/* A stack or chain. */
struct recorded_leaf {
	u32 node;
	u32 end;
};

struct recorded_loss {
	u32 cause, note;
	u32 kind, column;
};

struct recorded_field {
	u32 number;
	u64 value;
};

/* A row of another table, and what was added to it; or a table, and how many rows it has. */
struct recorded_value {
	u32 row;
	u64 value;
};

struct recorded_fill {
	u32 stack, node, end;
};

struct recorded_cpu {
	u32 cpu;
	u64 running, idle;
};

/* A block, as recording_blocks.h packs it. */
struct recorded_block {
	u32 leg, user, kernel, chain, state;
	u64 begin, blocked, waited, ran;
	u64 counted_block, counted_wait;
	u32 object_kind, before, object, holder;
	u32 unit, more;
	u64 between, ran_between;
};

struct recorded_program {
	u32 name;
	u64 runs, timed_runs, timed_ns, walks, walk_ns;
};

/* A slice's record, when it was, and when the first of what it has counted began. */
struct recorded_slice {
	u64 offset, size, begin, end, reach;
};

/* What a leg has waited for. */
struct recorded_waits {
	u32 leg;
	u64 ns[NR_WAITS];
};

/* The tables that a profile has in another form. */
struct recorded {
	VEC(struct recorded_node) stack_nodes, chain_nodes;
	VEC(struct recorded_leaf) stacks, chains;
	VEC(struct recorded_loss) losses;
	VEC(struct recorded_field) fields;
	VEC(struct slice_sample) counts;
	VEC(struct recorded_fill) filled;
	VEC(struct recorded_value) held, lost, sizes, shorts;
	VEC(struct recorded_slice) slices;
	VEC(struct recorded_waits) waits;
	VEC(struct recorded_cpu) cpus;
	VEC(struct recorded_block) blocks;
	VEC(struct recorded_program) programs;
};

void recorded_release(struct recorded *r);

/* What a sched sample is a wait for. */
static inline enum recorded_wait wait_of(const struct sample *sample)
{
	u32 letter = sample->state & WICK_STATE_LETTER;

	return letter == 'R' ? WAIT_PREEMPTED : letter == 'Q' ? WAIT_QUEUED : WAIT_BLOCKED;
}

enum coding {
	CODED_PLAIN,
	CODED_DELTA,	/* the difference to the row before, signed */
	CODED_BEHIND,	/* a row of the table itself: how many lie between */
	CODED_PARENT,	/* of a node: recording_nodes.h */
	CODED_SIBLING,	/* of a node: the difference to the child before it, signed */
	CODED_EXPECTED, /* the difference to what is expected, signed */
	CODED_COUNTED,	/* that too; of bytes, in pages where that is exact */
};

/* Values that are an enum here: the format's number of each is its place + 1; 0 is `otherwise`. */
struct recorded_values {
	const u8 *values;
	u32 nr;
	u32 otherwise; /* what an unknown number is taken for */
};

enum { MAX_RECORDED_COLUMNS = 21 };

struct recorded_column {
	u32 offset, size; /* in the row; size 0: there is none, or no longer */
	enum coding coding;
	expected_value *
		expected; /* of CODED_EXPECTED, CODED_COUNTED: from the columns before this one, which must be there */
	enum table_number refers; /* the value is a row of that table, which may be this one */
	const struct recorded_values *values;
	bool late; /* it may become known later: RECORD_NAMES has it once more */
	bool old;  /* of files of version 2: read, never written */
};

struct recorded_table {
	const char *name;
	bool in_profile; /* its vec is in struct profile; else in struct recorded */
	size_t vec;	 /* offset of that */
	u32 row_size;
	u32 fixed;  /* rows that all recordings have, and that are not written: 1 or 0 */
	bool grows; /* a dictionary */
	struct recorded_column columns[MAX_RECORDED_COLUMNS];
};

extern const struct recorded_table recorded_tables[NR_TABLES];

/* Any vec, whatever it is of: they differ in the type of `at` only. */
struct any_vec {
	char *at;
	size_t nr, room;
};

struct any_vec recorded_vec(const struct recorded_table *table, const struct profile *p,
			    const struct recorded *r);
void set_recorded_vec(const struct recorded_table *table, struct profile *p, struct recorded *r,
		      const struct any_vec *vec);

u64 code_column(const struct recorded_column *column, const struct column_place *at, u64 value);
u64 decode_column(const struct recorded_column *column, const struct column_place *at, u64 coded);

u64 load_column(const struct recorded_column *column, const char *row);
void store_column(const struct recorded_column *column, char *row, u64 value);
/* Between the number of a value here and the format's. */
u64 to_recorded(const struct recorded_values *values, u64 value);
u64 from_recorded(const struct recorded_values *values, u64 number);

/* ---- fields: what a run has one of */

enum field_kind {
	FIELD_STATE,  /* the last one holds */
	FIELD_SUM,    /* what was added */
	FIELD_STRING, /* a row of strings; the last one holds */
};

struct recorded_field_row {
	u32 number;
	enum field_kind kind;
	u32 offset, size; /* in struct profile */
};

/* Fields that are of a record, not of the profile. */
enum {
	FIELD_SLICE_BEGIN = 1, /* ns after the window's begin */
	FIELD_SLICE_END = 2,
	FIELD_KERNEL_SOURCE = 3,
	/* Of the profile: frames with names, and without. */
	FIELD_RESOLVED = 50,
	FIELD_UNRESOLVED = 51,
	FIELD_KERNEL_ERROR = 52,
};

size_t nr_recorded_fields(void);
struct recorded_field_row recorded_field_at(size_t i);

#endif
