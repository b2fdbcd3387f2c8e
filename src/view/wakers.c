/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wakers.c: why threads waited no longer: the wakeup and offwake views.
 *
 *	wakeup	waker;user...;kernel...;sleeper
 *	offwake	sleeper;user...;kernel...;--;waker's kernel, waker's user, leaf to root;waker
 *
 * So offwake's graph meets in the middle: from the sleeper's root up to where it slept, and from
 * where it was woken up to the root of the waker.
 *
 * What was not ended by a wakeup has no `--`: waiting for a CPU, what still goes on, accounts of
 * short sleeps.
 */
#include "interrupt.h"
#include "metrics.h"
#include "wakers.h"
#include "waits.h"

static const char *const chain_ends[WICK_NR_CHAIN_ENDS] = {
	[WICK_CHAIN_RUNNING] = "[was running]",
	[WICK_CHAIN_BEFORE] = "[before the window]",
	[WICK_CHAIN_STRANGER] = "[not walked]",
	[WICK_CHAIN_DEPTH] = "[depth]",
	[WICK_CHAIN_CYCLE] = "[cycle]",
	[WICK_CHAIN_INTERRUPT] = NULL, /* the hop says it */
	[WICK_CHAIN_FORK] = NULL,
};

bool sched_ended_by_wakeup(u32 state)
{
	return sched_is_blocked(state) && !(state & (WICK_STATE_STILL | WICK_STATE_SHORT));
}

static void add_interrupt(struct frames *f, struct profile *p, const struct interrupt *in,
			  u32 kernel)
{
	if (!in->what) {
		frames_add_note(f, p, "[interrupt]");
		return;
	}
	frames_add_named_note(f, p, in->what, in->name);
	frames_add_part(f, p, kernel, in->leaf, in->root);
}

/*
 * True if an interrupt, not the task that it came upon, did the wakeup. For a softirq only the
 * kernel stack can tell; without one, or without an interrupt in it, the task did it.
 */
static bool is_interrupt(const struct profile *p, const struct hop *hop, struct interrupt *in)
{
	if (hop->cause != WICK_BY_INTERRUPT && hop->cause != WICK_BY_SOFTIRQ)
		return false;
	*in = interrupt_of(p, hop->kernel);
	if (hop->cause == WICK_BY_SOFTIRQ && hop->leg && !in->what)
		return false;
	return !in->in_task || !hop->leg;
}

void frames_add_woke(struct frames *f, struct profile *p, u32 user, u32 kernel)
{
	frames_add_stack(f, p, user);
	frames_add_part(f, p, kernel, waker_leaf(p, kernel), p->stacks.at[kernel].nr);
}

/* A waker from root to leaf. */
static void add_waker(struct frames *f, struct profile *p, const struct hop *hop,
		      enum grouping group)
{
	struct interrupt in;

	if (is_interrupt(p, hop, &in)) {
		add_interrupt(f, p, &in, hop->kernel);
		return;
	}
	frames_add_group(f, p, hop->leg, group);
	frames_add_woke(f, p, hop->user, hop->kernel);
	if (hop->cause == WICK_BY_FORK)
		frames_add_note(f, p, "[fork]");
}

void frames_add_cause(struct frames *f, struct profile *p, const struct hop *hop,
		      const struct view_options *options)
{
	struct frames waker = {};
	size_t first;

	add_waker(&waker, p, hop, group_above_root(options->group));
	frames_add_note(f, p, "--");
	first = f->nr;
	for (size_t i = waker.nr; i-- > 0;)
		*vec_add(f) = waker.at[i];
	frames_of_waker(f, p, first);
	vec_release(&waker);
}

static const struct hop *hop_of(const struct profile *p, const struct chain *chain, u32 i)
{
	return &p->hops.at[p->chain_hops.at[chain->first + i]];
}

void frames_add_causes(struct frames *f, struct profile *p, u32 ref,
		       const struct view_options *options, u32 depth)
{
	const struct chain *chain = &p->chains.at[ref];

	if (!chain->nr) {
		frames_add_note(f, p, "--");
		frames_add_note(f, p, "[unknown]");
		return;
	}
	for (u32 i = 0; i < min(chain->nr, depth); i++) {
		const struct hop *hop = hop_of(p, chain, i);

		frames_add_cause(f, p, hop, options);
		if (hop_is_interrupt(p, hop))
			return;
	}
	if (chain->nr > depth)
		frames_add_note(f, p, "[depth]");
	else if (chain_ends[chain->end])
		frames_add_note(f, p, chain_ends[chain->end]);
}

static bool offwake_frames(struct frames *f, struct profile *p, const struct sample *sample,
			   const struct view_options *options)
{
	const struct chain *chain = &p->chains.at[sample->chain];

	frames_add_sleeper(f, p, sample, options, NULL);
	if (!sched_ended_by_wakeup(sample->state))
		return true;
	if (chain->nr)
		frames_add_cause(f, p, hop_of(p, chain, 0), options);
	else
		frames_add_causes(f, p, sample->chain, options, 1);
	return true;
}

/* Only sleeps that a waker ended. */
static bool wakeup_frames(struct frames *f, struct profile *p, const struct sample *sample,
			  const struct view_options *options)
{
	const struct chain *chain = &p->chains.at[sample->chain];

	if (!sched_ended_by_wakeup(sample->state) || !chain->nr)
		return false;
	add_waker(f, p, hop_of(p, chain, 0), options->group);
	frames_add_group(f, p, sample->leg, group_above_root(options->group));
	return true;
}

static void project_wakeup(struct profile *p, const struct view_options *options,
			   const struct stack_sink *sink)
{
	sched_project(p, options, sink, wakeup_frames);
}

const struct view wakeup_view = {
	.name = "wakeup",
	.title = "Wakeup flame graph",
	.summary = "which code wakes other threads; width: time that those had slept",
	.brief = "which code wakes threads that wait",
	.needs = NEED_SCHED | NEED_WAKERS,
	.only_woken = true,
	.colors = "wakers",
	.metrics = {MICROSECONDS(1), NANOSECONDS(1), PLAIN("count", 0)},
	.project = project_wakeup,
	.reading = "Width is how long threads had slept when the stack below woke them; the "
		   "box on top is the thread that was woken. A wide tower is a place in the "
		   "code that many threads wait for, or one thread for long. If an interrupt "
		   "ended the wait, the tower stands on its name, as in [timer: "
		   "hrtimer_wakeup].",
	.example = "db-2;main;commit;unlock_row;futex;do_futex;futex_wake;db-1 4000000",
	.meaning = "db-1 had slept for 4 s in all when db-2 woke it, each time from "
		   "unlock_row in commit.",
};

static void project_offwake(struct profile *p, const struct view_options *options,
			    const struct stack_sink *sink)
{
	struct waits w = {.p = p, .options = options, .sink = sink, .frame = offwake_frames};

	waits_project(&w);
	frames_add_losses(p, options, WICK_SCHED, sink);
}

const struct view offwake_view = {
	.name = "offwake",
	.title = "Off-wake flame graph",
	.summary = "where threads wait, and above it who woke them; width: time off-CPU",
	.brief = "where threads wait, and who wakes them",
	.needs = NEED_SCHED | NEED_WAKERS,
	.colors = "waits",
	.metrics = {MICROSECONDS(1), NANOSECONDS(1), PLAIN("count", 0)},
	.project = project_offwake,
	.reading = "offcpu and wakeup in one. From the bottom, in blue, comes the stack of "
		   "the thread that waited; then a box --; above it the waker's stack, upside "
		   "down, with the waker's name on top. The two stacks meet where one thread "
		   "woke the other.",
	.example =
		"db-1;main;lock_row;futex_wait;--;futex_wake;unlock_row;commit;main;db-2 4000000",
	.meaning = "db-1 waited for a row for 4 s; each time, db-2 ended the wait, at the end "
		   "of a commit.",
};

void frames_add_first_waker(struct frames *f, struct profile *p, u32 ref)
{
	const struct chain *chain = &p->chains.at[ref];

	if (chain->nr)
		add_waker(f, p, hop_of(p, chain, 0), GROUP_TID);
}

u32 sched_waker_leg(const struct profile *p, u32 ref)
{
	const struct chain *chain = &p->chains.at[ref];
	const struct hop *hop = chain->nr ? hop_of(p, chain, 0) : NULL;
	struct interrupt in;

	return hop && !is_interrupt(p, hop, &in) ? hop->leg : 0;
}

bool hop_is_interrupt(const struct profile *p, const struct hop *hop)
{
	struct interrupt in;

	return is_interrupt(p, hop, &in);
}

const char *hop_interrupt(const struct profile *p, const struct hop *hop)
{
	struct interrupt in = interrupt_of(p, hop->kernel);

	return in.what ? in.what : "interrupt";
}
