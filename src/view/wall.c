/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wall.c: the wall view: all of every thread's time, on and off the CPU.
 *
 *	comm;[on-CPU];user...;kernel...
 *	comm;[on-CPU];[not sampled]
 *	comm;[off-CPU];user...;kernel...		as in offcpu
 *	comm;[unaccounted]				what nothing tells of
 *
 * How long a thread ran is measured; where it ran is sampled. So a thread's samples share its
 * running time, each the same, in whole nanoseconds: rounding down leaves some, which go to those
 * that lost most by it (the largest remainders), and a thread's sum is its running time exactly.
 */
#include "base/numbers.h"
#include "metrics.h"
#include "waits.h"

static const char off_cpu[] = "[off-CPU]";

/* A thread that has a time, in the order of profile.threads. */
struct runner {
	u32 leg; /* what it was called last */
	u64 running, unaccounted;
	u64 samples;
};

/* A CPU sample's share of its thread's time. */
struct share {
	u32 runner;
	u32 sample;
	u64 ns;
	u64 rest; /* what rounding down took, in 1/samples ns */
};

struct wall {
	struct profile *p;
	const struct view_options *options;
	const struct stack_sink *sink;
	struct table table;
	VEC(struct runner) runners;
	VEC(struct share) shares;
	struct frames frames;
};

static void wall_release(struct wall *w)
{
	table_release(&w->table);
	vec_release(&w->runners);
	vec_release(&w->shares);
	vec_release(&w->frames);
}

static bool same_thread(const struct leg *a, const struct leg *b)
{
	return a->tid == b->tid && a->pid == b->pid && a->start_ns == b->start_ns &&
	       a->host == b->host;
}

static u64 thread_hash(const struct leg *leg)
{
	return hash_u64(hash_u64((u64)leg->pid << 32 | leg->tid) ^ leg->start_ns);
}

static u32 find_runner(const struct wall *w, const struct leg *leg)
{
	struct table_probe probe = table_probe(&w->table, thread_hash(leg));

	while (table_next(&probe))
		if (same_thread(&w->p->legs.at[w->runners.at[probe.ref].leg], leg))
			return probe.ref;
	return UINT32_MAX;
}

/*
 * A thread that execs takes over its process's number and start from the one that began it, and all
 * its time is told under those.
 */
static u32 find_heir(const struct wall *w, const struct leg *leg)
{
	struct leg first = {
		.pid = leg->pid,
		.tid = leg->pid,
		.start_ns = w->p->images.at[leg->image].start_ns,
	};

	return leg->image ? find_runner(w, &first) : UINT32_MAX;
}

static void add_threads(struct wall *w)
{
	vec_for_each (&w->p->threads, thread) {
		u32 at = find_runner(w, &w->p->legs.at[thread->leg]);

		if (at == UINT32_MAX) {
			at = (u32)w->runners.nr;
			table_insert(&w->table, thread_hash(&w->p->legs.at[thread->leg]), at);
			vec_add(&w->runners)->leg = thread->leg;
		}
		add_to_sum(&w->runners.at[at].running, thread->running);
		add_to_sum(&w->runners.at[at].unaccounted, thread->unaccounted);
	}
}

static void add_box(struct wall *w, u32 leg, bool on_cpu, u64 ns)
{
	if (ns)
		frames_give(&w->frames, w->p, w->options,
			    (struct weighted_stack){.leg = leg, .on_cpu = on_cpu, .value = ns},
			    w->sink);
}

static void begin_on_cpu(struct wall *w, u32 leg)
{
	w->frames.nr = 0;
	frames_add_group(&w->frames, w->p, leg, w->options->group);
	frames_add_note(&w->frames, w->p, "[on-CPU]");
}

static void add_on_cpu(struct wall *w, const struct sample *sample, u64 ns)
{
	begin_on_cpu(w, sample->leg);
	frames_add_stack(&w->frames, w->p, sample->user);
	frames_add_stack(&w->frames, w->p, sample->kernel);
	add_box(w, sample->leg, true, ns);
}

/* A thread whose time is not known: each sample stands for its period. */
static void add_unmeasured(struct wall *w, const struct sample *sample)
{
	if (w->p->frequency)
		add_on_cpu(w, sample,
			   saturated((unsigned __int128)sample->column[0] * NSEC_PER_SEC /
				     w->p->frequency));
}

static void gather_shares(struct wall *w)
{
	for (size_t i = 0; i < w->p->samples.nr; i++) {
		const struct sample *sample = &w->p->samples.at[i];
		const struct leg *leg = &w->p->legs.at[sample->leg];
		u32 runner;

		/* The idle task has no time. */
		if (sample->kind != WICK_CPU || !sample->column[0] || leg->kind == WICK_IDLE)
			continue;
		runner = find_runner(w, leg);
		if (runner == UINT32_MAX)
			runner = find_heir(w, leg);
		if (runner == UINT32_MAX) {
			add_unmeasured(w, sample);
			continue;
		}
		add_to_sum(&w->runners.at[runner].samples, sample->column[0]);
		*vec_add(&w->shares) = (struct share){.runner = runner, .sample = (u32)i};
	}
}

/* By thread, and there the largest remainder first. */
static int compare_shares(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->runner != y->runner)
		return x->runner < y->runner ? -1 : 1;
	if (x->rest != y->rest)
		return x->rest > y->rest ? -1 : 1;
	return x->sample < y->sample ? -1 : x->sample > y->sample;
}

static void divide_time(struct wall *w)
{
	vec_for_each (&w->shares, share) {
		const struct runner *runner = &w->runners.at[share->runner];
		unsigned __int128 product = (unsigned __int128)runner->running *
					    w->p->samples.at[share->sample].column[0];

		share->ns = (u64)(product / runner->samples);
		share->rest = (u64)(product % runner->samples);
	}
	vec_sort(&w->shares, compare_shares);
	for (size_t i = 0, k; i < w->shares.nr; i = k) {
		u32 runner = w->shares.at[i].runner;
		u64 left = w->runners.at[runner].running;

		for (k = i; k < w->shares.nr && w->shares.at[k].runner == runner; k++)
			left -= min(left, w->shares.at[k].ns);
		for (size_t j = i; left && j < k; j++, left--)
			w->shares.at[j].ns++;
	}
}

static void project_on_cpu(struct wall *w)
{
	add_threads(w);
	gather_shares(w);
	divide_time(w);
	vec_for_each (&w->shares, share)
		add_on_cpu(w, &w->p->samples.at[share->sample], share->ns);
	vec_for_each (&w->runners, runner) {
		if (runner->samples || !runner->running)
			continue;
		begin_on_cpu(w, runner->leg);
		frames_add_note(&w->frames, w->p, "[not sampled]");
		add_box(w, runner->leg, true, runner->running);
	}
}

static void add_unaccounted(struct wall *w)
{
	vec_for_each (&w->runners, runner) {
		w->frames.nr = 0;
		frames_add_group(&w->frames, w->p, runner->leg, w->options->group);
		frames_add_note(&w->frames, w->p, "[unaccounted]");
		add_box(w, runner->leg, false, runner->unaccounted);
	}
}

static bool off_cpu_frames(struct frames *f, struct profile *p, const struct sample *sample,
			   const struct view_options *options)
{
	frames_add_sleeper(f, p, sample, options, off_cpu);
	return true;
}

static void project_wall(struct profile *p, const struct view_options *options,
			 const struct stack_sink *sink)
{
	_cleanup_(wall_release) struct wall w = {.p = p, .options = options, .sink = sink};
	struct waits waits = {
		.p = p, .options = options, .sink = sink, .part = off_cpu, .frame = off_cpu_frames};

	project_on_cpu(&w);
	add_unaccounted(&w);
	waits_project(&waits);
	frames_add_losses(p, options, WICK_SCHED, sink);
}

const struct view wall_view = {
	.name = "wall",
	.title = "Wall-clock flame graph",
	.summary = "all of the threads' time, running and waiting; width: wall-clock time",
	.brief = "all of the threads' time, running and waiting",
	.needs = NEED_CPU | NEED_SCHED,
	.metrics = {MICROSECONDS(1), NANOSECONDS(1)},
	.project = project_wall,
	.reading = "Width is all of the threads' time, so that running and waiting can be "
		   "compared. [on-CPU] is the time that the scheduler measured, shared among "
		   "the thread's samples; [off-CPU] is the same as in offcpu.",
	.example = "db;[off-CPU];main;commit;fsync 9000000\n"
		   "db;[on-CPU];main;commit;checksum 1000000",
	.meaning = "Nine tenths of this thread's time is waiting in fsync, one tenth "
		   "computing the checksum: a faster CPU would not help.",
};
