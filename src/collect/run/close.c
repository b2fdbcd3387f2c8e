/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * close.c: after the window: the threads as they stand, the last counts, the accounts, what it
 * cost.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "collector.h"
#include "collect/host/probes.h"
#include "collect/kernel/load.h"
#include "collect/kernel/visit_threads.h"
#include "wick.h"
#include "wick.skel.h"

enum {
	LOOKS_A_FLIP = 64, /* of 32 threads each */
	WAIT_FOR_TABLES_NS =
		1000 * 1000 * 1000, /* after the run, for files that were sampled at its end */
	WALK_AFTERWARDS_NS = 1000 * 1000 * 1000, /* threads that are blocked when the window ends */
};

/* The counts of very many threads are more than there is room for at once. */
static void drain_pass(void *ctx)
{
	struct collector *c = ctx;

	if (++c->nr_looks % LOOKS_A_FLIP || drain_counts(c, 0))
		drain_bodies(c, 0);
}

/* The CPU samples that should have been seen, against those that were. */
static int close_cpu_account(struct collector *c)
{
	struct profile *p = c->profile;
	int err = account_read(&c->account, bpf_map__fd(c->skeleton->maps.counters), WICK_CPU);

	if (!err)
		account_close(
			&c->account,
			account_skipped(&c->account, &c->sampler, p->end - p->begin, c->self_ns),
			p);
	c->profile->cost.copies_refused += c->account.sum.at[WICK_LOST_COPY];
	return err;
}

static int close_sched_account(struct collector *c)
{
	int err = pass_run(c->skeleton, WALK_AFTERWARDS_NS, drain_pass, c);

	pass_thresholds(c->skeleton, c->options->walk_above_ns, c->profile->cost.thresholds);
	if (!account_read(&c->account, bpf_map__fd(c->skeleton->maps.counters), WICK_SCHED)) {
		account_close_sched(&c->account, c->profile);
		c->profile->cost.copies_refused += c->account.sum.at[WICK_LOST_COPY];
	}
	return err;
}

static int close_fault_account(struct collector *c)
{
	u64 expected = faults_stop(&c->faults);
	int err = account_read(&c->account, bpf_map__fd(c->skeleton->maps.counters), WICK_FAULT);

	if (!err)
		account_close_fault(&c->account, expected, c->profile);
	c->profile->by_faults = !c->skeleton->rodata->memory.by_rss;
	c->profile->huge_pages = huge_pages_always();
	c->profile->cost.copies_refused += c->account.sum.at[WICK_LOST_COPY];
	return err;
}

static int close_calls_account(struct collector *c, enum wick_kind kind)
{
	int err = account_read(&c->account, bpf_map__fd(c->skeleton->maps.counters), kind);

	if (!err)
		account_close_calls(&c->account, kind, c->profile);
	c->profile->cost.copies_refused += c->account.sum.at[WICK_LOST_COPY];
	return err;
}

static void read_costs(struct collector *c)
{
	struct follow_counts followed = follow_counts(c->follow);
	struct run_cost *cost = &c->profile->cost;

	cost_read(&c->meter, c->skeleton, c->profile->end - c->profile->begin,
		  c->account.sum.at[WICK_RAN], cost);
	cost->map_bytes = load_map_bytes(c->skeleton);
	publisher_cost(c->publisher, &cost->rows);
	cost->rows.copies = followed.copies;
	cost->body_bytes = followed.body_bytes;
	cost->bodies = followed.bodies;
	cost->mappings_read = followed.mappings_read;
	cost->sideband_records = sideband_nr_records(c->sideband);
}

int collector_finish(struct collector *c)
{
	struct profile *p = c->profile;
	bool pass = c->options->sched || c->options->threads;
	int passed = pass ? close_sched_account(c) : 0;
	int err = drain_counts(c, 0);

	follow_finish(c->follow, monotonic_ns() + WAIT_FOR_TABLES_NS);
	files_trim_tables(c->files);
	files_trim_tables(c->files); /* also what has just come: nobody waits for it any more */
	if (!err)
		err = passed;
	if (!err && c->options->fault)
		err = close_fault_account(c);
	if (!err && c->options->brk)
		err = close_calls_account(c, WICK_BRK);
	if (!err && c->options->mmap)
		err = close_calls_account(c, WICK_MMAP);
	/* The last: the costs take the runs of the sampling program from it. */
	if (!err && c->options->cpu)
		err = close_cpu_account(c);
	read_costs(c);
	profile_loss(p, "times a CPU came online, with up to a second of its events not seen", NULL,
		     WICK_CPU, 0, c->nr_returned_cpus);
	/* These samples are in the graph, under a note. */
	profile_loss(p, "stacks or names that were not received", NULL, WICK_CPU, 0,
		     follow_counts(c->follow).lost_stacks);
	profile_loss(p, "records of what processes did", NULL, WICK_CPU, 0,
		     sideband_lost(c->sideband));
	return err;
}
