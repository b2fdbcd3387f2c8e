/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "instruments.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "collect/host/check_options.h"
#include "collect/host/probes.h"
#include "collect/kernel/sched_cpus.h"
#include "collect/kernel/visit_threads.h"
#include "wick.h"
#include "wick.skel.h"

enum {
	WALK_AFTERWARDS_NS = 1000 * 1000 * 1000, /* threads that are blocked when the window ends */
};

/* Reads the counters of a kind into c->account; what they lost of copies is the run's. */
static int read_account(struct collector *c, enum wick_kind kind)
{
	int err = account_read(&c->account, bpf_map__fd(c->skeleton->maps.counters), kind);
	const __u64 *at = c->account.sum.at;
	struct run_cost *cost = &c->profile->cost;

	c->account.filtered = options_leave_threads_out(c->options);
	c->over_share += at[WICK_LOST_SHARE];
	c->no_python += at[WICK_NO_PYTHON];
	cost->copies_refused += at[WICK_LOST_COPY];
	cost->remembered_user += at[WICK_REMEMBERED_USER];
	cost->remembered_kernel += at[WICK_REMEMBERED_KERNEL];
	cost->misremembered += at[WICK_MISREMEMBERED];
	return err;
}

/* ---- cpu */

static int open_cpu(struct collector *c, struct cpu_list *cpus, struct error *error)
{
	return sampler_open(&c->sampler, c->skeleton->progs.wick_cpu,
			    NSEC_PER_SEC / c->options->frequency, cpus, error);
}

static void reopen_cpu(struct collector *c, u32 cpu)
{
	sampler_reopen(&c->sampler, cpu);
}

/* The samples that should have been seen, against those that were. */
static int close_cpu(struct collector *c)
{
	struct profile *p = c->profile;
	int err = read_account(c, WICK_CPU);

	if (!err)
		account_close(
			&c->account,
			account_skipped(&c->account, &c->sampler, p->end - p->begin, c->self_ns),
			p);
	return err;
}

/* ---- sched */

/* The counts of very many threads are more than there is room for at once. */
static void drain_now_and_then(void *ctx)
{
	struct collector *c = ctx;

	if (counts_fill_up(c))
		drain_counts(c, 0);
	else
		drain_bodies(c, 0);
}

static void take_account(void *ctx, const struct wick_thread_body *account)
{
	follow_body(((struct collector *)ctx)->follow, account, sizeof(*account));
}

int visit_all_threads(struct collector *c)
{
	struct pass_sink sink = {.drain = drain_now_and_then, .account = take_account, .ctx = c};
	int err = pass_run(c->skeleton, WALK_AFTERWARDS_NS, &sink);

	if (!read_account(c, WICK_SCHED))
		account_close_sched(&c->account, c->profile);
	return err;
}

/* When the accounts of the threads have come: what the CPUs' own say. */
static int close_sched(struct collector *c)
{
	_cleanup_(sched_cpus_release) struct sched_cpus cpus = {};
	int err = sched_cpus_read(&cpus, c->skeleton);

	if (err)
		return err;
	sched_cpus_walked(&cpus, c->options->walk_above_ns, &c->profile->cost.blocks);
	/* With filters, threads are left out. */
	if (c->skeleton->rodata->settings.filtered) {
		vec_release(&c->profile->cpus);
		return 0;
	}
	sched_cpus_times(&cpus, &c->idle_begin, &c->idle_end, c->profile);
	return 0;
}

/* ---- fault */

static int open_fault(struct collector *c, struct cpu_list *cpus, struct error *error)
{
	(void)cpus;
	return faults_open(&c->faults, c->skeleton->progs.wick_fault_begins,
			   c->skeleton->progs.wick_fault_ends, error);
}

static void reopen_fault(struct collector *c, u32 cpu)
{
	faults_reopen(&c->faults, cpu);
}

static int close_fault(struct collector *c)
{
	u64 expected = faults_stop(&c->faults);
	int err = read_account(c, WICK_FAULT);

	if (!err)
		account_close_fault(&c->account, expected, c->profile);
	c->profile->by_faults = !c->skeleton->rodata->memory.by_rss;
	c->profile->huge_pages = huge_pages_always();
	return err;
}

/* ---- brk and mmap */

static int close_calls(struct collector *c, enum wick_kind kind)
{
	int err = read_account(c, kind);

	if (!err)
		account_close_calls(&c->account, kind, c->profile);
	return err;
}

static int close_brk(struct collector *c)
{
	return close_calls(c, WICK_BRK);
}

static int close_mmap(struct collector *c)
{
	return close_calls(c, WICK_MMAP);
}

int close_plain(struct collector *c, enum wick_kind kind)
{
	int err = read_account(c, kind);

	if (!err)
		account_close_plain(&c->account, kind, c->profile);
	return err;
}

const struct instrument_steps instrument_steps[WICK_NR_KINDS] = {
	[WICK_CPU] = {.open = open_cpu, .reopen = reopen_cpu, .close = close_cpu},
	[WICK_SCHED] = {.visit = visit_all_threads, .close = close_sched},
	[WICK_FAULT] = {.open = open_fault, .reopen = reopen_fault, .close = close_fault},
	[WICK_BRK] = {.close = close_brk},
	[WICK_MMAP] = {.close = close_mmap},
};
