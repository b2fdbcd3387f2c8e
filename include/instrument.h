/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instrument.h: what a run can observe, a row an instrument: names, units, how sums merge, what the
 * kernel must have, which programs are loaded. That is enough for programs that count. One that
 * takes perf events, or has more to say than its sums, has a row in src/collect/run/instruments.c
 * (how it is opened and closed) or in src/report/topics.c, too.
 */
#ifndef WICK_INSTRUMENT_H
#define WICK_INSTRUMENT_H

#include "base/base.h"
#include "kinds.h"

enum { MAX_COLUMNS = 3, MAX_TRACEPOINTS = 4, MAX_PROGRAMS = 4 };

enum column_merge {
	MERGE_SUM,
	MERGE_MAX, /* the larger one stays */
	MERGE_END, /* filled once, at the end of a run */
};

/* A column of the samples of a kind. */
struct column {
	const char *name; /* NULL: there is none */
	const char *unit; /* "samples", "ns", "bytes", ... */
	enum column_merge merge;
};

struct instrument {
	const char *name;
	const char *summary;
	struct column columns[MAX_COLUMNS];
	/* The perf event that it takes, a software one: enum perf_sw_ids. NULL: none. */
	const char *event;
	u64 event_config;
	const char *tracepoints[MAX_TRACEPOINTS]; /* that it cannot do without */
	const char *programs[MAX_PROGRAMS];	  /* of bpf/, that each run of it loads */
};

/* By enum wick_kind. */
extern const struct instrument instruments[];
extern const size_t nr_instruments;

/*
 * What a view needs, and a run observes: a bit for each instrument, NEED_CPU and so on, and what
 * sched is asked for beside its own, since it costs something.
 */
#define BIT_OF_KIND(name) NEED_##name = 1 << WICK_##name,
enum needs {
	NEED_WAKERS = 1 << 16,	/* the thread that woke each sleeper */
	NEED_CHAINS = 1 << 17,	/* and those that woke it */
	NEED_THREADS = 1 << 18, /* no instrument: all threads as they are, no window */
	WICK_KINDS(BIT_OF_KIND)
};
#undef BIT_OF_KIND
_Static_assert(WICK_NR_KINDS <= 16, "a bit for each instrument");

static inline bool needs_all_of(u32 needs, u32 of)
{
	return !(of & ~needs);
}

/* Anything else, too. */
static inline bool needs_more_than(u32 needs, u32 of)
{
	return needs & ~of;
}

/* Does one of the instruments take a perf event? */
bool needs_perf_event(u32 needs);

#endif
