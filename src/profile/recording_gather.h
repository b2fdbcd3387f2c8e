/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_gather.h: what has come to a profile since the last record, as rows of tables that only
 * a recording has. Sums are what was added to them. Stacks and chains become tries: those with the
 * same callers share all of them.
 */
#ifndef PROFILE_RECORDING_GATHER_H
#define PROFILE_RECORDING_GATHER_H

#include "recording.h"

#include "base/table.h"
#include "recording_bytes.h"
#include "recording_chapter.h"
#include "recording_order.h"

struct trie {
	struct table table;
	u32 nr; /* nodes, the empty one too */
};

struct recording_writer {
	struct progress written;
	struct chapter chapter;
	VEC(u64) chapters; /* where they are in the file */
	u64 size;	   /* of the file */
	struct recorded rows;
	struct recording_order order;
	struct trie stacks, chains;
	VEC(struct cpu_time) cpus;
	u64 slice_begin; /* after the window's */
	bool naming_written;
	struct logged_times logged; /* what the record's blocks say */
	struct counted_waits waits; /* and its counts */
	struct expecting expecting;
	struct strbuf payload, columns;
	struct borders borders; /* of the payload's large columns */
};

/* The rows of a record's tables, for w->rows, and what w->written says of them. */
void gather_sizes(struct recording_writer *w);
/* With the order in which rows of stacks and chains are numbered. */
void gather_stacks(struct recording_writer *w, const struct profile *p);
void gather_losses(struct recording_writer *w, struct profile *p);
void gather_cpus(struct recording_writer *w, const struct profile *p);
/* After the stacks: with the order of samples. */
void gather_counts(struct recording_writer *w, struct profile *p);
void gather_blocks(struct recording_writer *w, const struct profile *p);
void gather_kernel_source(struct recording_writer *w, struct profile *p);
/* Fields of the profile that have changed. */
void gather_fields(struct recording_writer *w, const struct profile *p);
/* One that no profile has. */
void gather_field(struct recording_writer *w, u32 number, u64 value);

/* Of a chapter: the stacks below `nr_known` that were filled since the last one. */
void gather_filled(struct recording_writer *w, size_t nr_known);

/* Of the run's end: memory that is held, and what BPF programs cost. */
void gather_held(struct recording_writer *w, const struct profile *p);
void gather_programs(struct recording_writer *w, struct profile *p);

/* After a record: forgets the rows of tables that do not grow. */
void gather_forget(struct recording_writer *w);

#endif
