/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * close.c: after the window: the threads as they stand, the last counts, the accounts, what it
 * cost.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "collector.h"
#include "collect/kernel/cost.h"
#include "collect/kernel/load.h"
#include "instruments.h"
#include "wick.h"
#include "wick.skel.h"

/* After the run, for files that were sampled at its end. */
enum { WAIT_FOR_TABLES_NS = 1000 * 1000 * 1000 };

static void read_costs(struct collector *c)
{
	struct follow_counts followed = follow_counts(c->follow);
	struct run_cost *cost = &c->profile->cost;

	cost_read(c->skeleton, cost);
	cost->map_bytes = load_map_bytes(c->skeleton);
	publisher_cost(c->publisher, &cost->rows);
	cost->rows.copies = followed.copies;
	cost->body_bytes = followed.body_bytes;
	cost->bodies = followed.bodies;
	cost->mappings_read = followed.mappings_read;
	cost->sideband_records = sideband_nr_records(c->sideband);
	cost->own_over_ns = c->own.over_ns;
	cost->own_level = c->own.highest;
}

/* What every thread does now; for a look at threads, that is all, and must not fail. */
static int visit_instruments(struct collector *c)
{
	int err = 0;

	if (c->options->needs & NEED_THREADS)
		return visit_all_threads(c);
	for_each_instrument (c, kind)
		if (instrument_steps[kind].visit && !err)
			err = instrument_steps[kind].visit(c);
	profile_loss(c->profile, "looks at all threads that were not finished, so some are missing",
		     NULL, WICK_SCHED, 0, err != 0);
	return 0;
}

static int close_instrument(struct collector *c, enum wick_kind kind)
{
	const struct instrument_steps *steps = &instrument_steps[kind];

	if (steps->close)
		return steps->close(c);
	return steps->visit ? 0 : close_plain(c, kind);
}

/*
 * cpu, the first one, is the last: the costs take the runs of the sampling program from its
 * account.
 */
static int close_instruments(struct collector *c)
{
	int err = 0;

	for (enum wick_kind kind = WICK_NR_KINDS; kind-- > 0 && !err;)
		if (c->options->needs & 1u << kind)
			err = close_instrument(c, kind);
	return err;
}

/* Counted by the program that follows forks, in cpu's row, whichever instruments run. */
static int close_family(struct collector *c)
{
	int err = c->options->program && !c->options->all
			  ? account_read(&c->account, bpf_map__fd(c->skeleton->maps.counters),
					 WICK_CPU)
			  : 0;

	if (!err)
		profile_loss(c->profile, "processes of the program that found no room", NULL,
			     main_kind(c), 0, c->account.sum.at[WICK_LOST_MEMBER]);
	return err;
}

int collector_finish(struct collector *c)
{
	struct profile *p = c->profile;
	int err = visit_instruments(c);

	drain_last_counts(c);
	follow_finish(c->follow, monotonic_ns() + WAIT_FOR_TABLES_NS);
	profile_end_slice(p);
	files_trim_tables(c->files);
	files_trim_tables(c->files); /* also what has just come: no stack waits for it any more */
	if (!err)
		err = close_instruments(c);
	if (!err)
		err = close_family(c);
	read_costs(c);
	profile_loss(p, "times a CPU came online, with up to a second of its events not seen", NULL,
		     main_kind(c), 0, c->nr_returned_cpus);
	/* Of these, too, what was counted is in the graph, under notes. */
	profile_loss(p, "new stacks, names or chains above their process's share", NULL,
		     main_kind(c), 0, c->over_share);
	/* These have the interpreter's frames. */
	profile_loss(p, "stacks without the Python functions that were running", NULL, main_kind(c),
		     0, c->no_python + follow_counts(c->follow).python_copies);
	/* These samples are in the graph, under a note. */
	profile_loss(p, "stacks or names that were not received", NULL, main_kind(c), 0,
		     follow_counts(c->follow).lost_stacks);
	profile_loss(p,
		     "processes whose mappings did not come in time, so their stacks have no names",
		     NULL, main_kind(c), 0, follow_counts(c->follow).mappings_unread);
	profile_loss(p, "records of what processes did", NULL, main_kind(c), 0,
		     sideband_lost(c->sideband));
	return err;
}
