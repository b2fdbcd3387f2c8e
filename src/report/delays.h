/* SPDX-License-Identifier: GPL-2.0-or-later */
/* delays.h: process_facts in the making: processes.c has the processes, delays.c their waits. */
#ifndef REPORT_DELAYS_H
#define REPORT_DELAYS_H

#include "base/numbers.h"
#include "base/table.h"
#include "facts.h"

/* Where a thread waits, in words. */
struct spot {
	u32 user, kernel;
	struct string place;
};

/* Some of a group's blocks, evenly over all of them: every one of `step`. */
struct cases {
	VEC(u32) blocks;
	u64 met, step;
};

/* A delay_fact in the making; its process is a row of making.processes. */
struct group {
	struct delay_fact delay;
	struct string name; /* the processes' */
	struct cases cases;
	u64 had_ns; /* the longest time that processes of one name had the CPU meanwhile ... */
	u32 had;    /* ... a row in making.had */
	u64 own_ns; /* the same of processes of the group's own name */
};

/* How long the processes of a group waited while those of another name had the CPU. */
struct had {
	u32 group, process; /* the first one that was met */
	bool several;
	u64 ns;
};

/*
 * A process_fact in the making. Processes that matter most come first once they are in order: then
 * fact.longest.process is a process's own row.
 */
struct work {
	struct process_fact fact;
	u64 start_ns;
	u32 host;
	u32 exec_id;
	u32 longest; /* block */
};

struct making {
	struct facts *f;
	struct profile *p;
	struct why *why;
	VEC(struct work) processes;
	VEC(u32) of_leg;    /* process + 1 */
	VEC(u64) throttled; /* ns, by thread of the index */
	VEC(struct spot) spots;
	VEC(struct group) groups;
	VEC(struct had) had;
	struct table process_table, spot_table, group_table, had_table;
};

static inline int descending(u64 x, u64 y)
{
	return x < y ? 1 : x > y ? -1 : 0;
}

/* The row in making.processes of a leg's process, made if need be. */
u32 process_of(struct making *m, u32 leg);

/*
 * All waits of the log, and those for a CPU of the processes; lists the delays, whose processes are
 * rows of making.processes.
 */
void delays_add(struct making *m);
void delays_release(struct making *m);
/* How much processes matter, by their sums. */
u64 process_matters(const struct process_fact *fact);
/* The place of a longest wait, whose process is in order; waits for a CPU have none. */
void name_longest(struct making *m, struct delay_fact *longest);
/* Makes m->f->processes.rows, of processes that are in order. */
void process_rows_make(struct making *m);
struct string place_of_block(struct making *m, const struct block *block);

#endif
