/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why.c: what `wick why` draws: each wait of the log of blocks, split as include/why.h explains it.
 *
 *	waiter;user...;kernel...;--;thread;user...;kernel...;--;...;why it goes no further
 *	waiter;user...;kernel...;[runqueue];[had the CPU: thread]
 *	process;[idle]
 *
 * Each thread's stack goes from its root to where it waited. A line's value is the time that its
 * last thread spent so while all those before it waited: the lines of a wait sum to that wait.
 */
#include "why.h"

#include "interrupt.h"
#include "metrics.h"
#include "waits.h"

struct projection {
	struct profile *p;
	const struct view_options *options;
	const struct stack_sink *sink;
	const struct why *why;
	struct why_pieces pieces;
	struct frames frames;
};

/* What is said on top of a stack; NULL: what ended the wait says it. */
static const char *const notes[WHY_NR] = {
	[WHY_RAN] = "[ran]",	      [WHY_SHORT_WAITS] = "[short waits]",
	[WHY_NO_CPU] = "[runqueue]",  [WHY_STILL] = "[still blocked]",
	[WHY_BEFORE] = "[not begun]", [WHY_GONE] = "[ended]",
	[WHY_LIMIT] = "[limit]",
};

/* The same of what a thread is behind: --;NAME;[cycle]. */
static const char *const ends[WHY_NR] = {
	[WHY_UNKNOWN] = "[unknown]",
	[WHY_STRANGER] = "[not followed]",
	[WHY_CYCLE] = "[cycle]",
	[WHY_DEPTH] = "[depth]",
};

static const struct block *block_at(const struct projection *x, u32 ref)
{
	return &x->p->blocks.at[ref];
}

/* ---- the threads of a piece */

static void add_thread(struct projection *x, u32 leg)
{
	frames_add_note(&x->frames, x->p, "--");
	frames_add_group(&x->frames, x->p, leg, group_above_root(x->options->group));
}

static void add_place(struct projection *x, u32 ref)
{
	frames_add_wait(&x->frames, x->p, block_at(x, ref)->user, block_at(x, ref)->kernel);
}

/* The thread at the end of a step, below it those before. `waiter` is a block of the first one. */
static void add_step(struct projection *x, u32 waiter, u32 step)
{
	const struct why_step *at;
	size_t first;

	if (step == WHY_NO_STEP) {
		frames_add_group(&x->frames, x->p, block_at(x, waiter)->leg, x->options->group);
		return;
	}
	at = &x->pieces.steps.at[step];
	add_step(x, waiter, at->from);
	first = x->frames.nr;
	if (at->block == WHY_NO_BLOCK)
		frames_add_note(&x->frames, x->p, "[fork]");
	else
		add_place(x, at->block);
	if (at->from != WHY_NO_STEP)
		frames_of_waker(&x->frames, x->p, first);
	first = x->frames.nr;
	add_thread(x, at->leg);
	frames_of_waker(&x->frames, x->p, first);
}

/* ---- where a piece ends */

/* Where a thread ran is known where it did the wakeup that led to it. */
static void add_running(struct projection *x, const struct why_piece *piece)
{
	u32 ref = piece->step == WHY_NO_STEP ? WHY_NO_BLOCK : x->pieces.steps.at[piece->step].block;
	const struct hop *hop = ref == WHY_NO_BLOCK ? NULL : why_hop(x->p, block_at(x, ref));

	if (hop)
		frames_add_stack(&x->frames, x->p, hop->user);
}

static void add_had_cpu(struct projection *x, u32 leg)
{
	if (leg)
		frames_add_named_note(&x->frames, x->p, "had the CPU",
				      strings_get(&x->p->names, x->p->legs.at[leg].comm));
}

static void add_interrupt(struct projection *x, const struct hop *hop)
{
	struct interrupt in = interrupt_of(x->p, hop->kernel);

	frames_add_note(&x->frames, x->p, "--");
	if (in.what)
		frames_add_named_note(&x->frames, x->p, in.what, in.name);
	else
		frames_add_note(&x->frames, x->p, "[interrupt]");
}

/* Why there is no step to the thread that ended a block, or to its parent. */
static void add_end(struct projection *x, const struct why_piece *piece)
{
	const struct hop *hop =
		piece->block == WHY_NO_BLOCK ? NULL : why_hop(x->p, block_at(x, piece->block));

	if (hop && piece->what == WHY_INTERRUPT) {
		add_interrupt(x, hop);
		return;
	}
	if (hop)
		add_thread(x, hop->leg);
	else
		frames_add_note(&x->frames, x->p, "--");
	frames_add_note(&x->frames, x->p, ends[piece->what]);
}

static bool is_throttled(const struct projection *x, const struct why_piece *piece)
{
	return why_wait_class(block_at(x, piece->block)) == WHY_THROTTLED;
}

static void add_leaf(struct projection *x, const struct why_piece *piece)
{
	if (piece->what == WHY_RAN)
		add_running(x, piece);
	else if (piece->block != WHY_NO_BLOCK)
		add_place(x, piece->block);
	if (piece->what == WHY_NO_CPU && is_throttled(x, piece)) {
		frames_add_note(&x->frames, x->p, "[throttled]");
		return;
	}
	if (notes[piece->what])
		frames_add_note(&x->frames, x->p, notes[piece->what]);
	else
		add_end(x, piece);
	if (piece->what == WHY_NO_CPU)
		add_had_cpu(x, block_at(x, piece->block)->before);
}

/* ---- waits */

static void give(struct projection *x, u32 ref, u32 state, u64 ns)
{
	frames_give(
		&x->frames, x->p, x->options,
		(struct weighted_stack){
			.leg = block_at(x, ref)->leg,
			.waker = x->sink->wakers ? sched_waker(x->p, block_at(x, ref)->chain) : 0,
			.state = sched_letter(state),
			.value = ns,
		},
		x->sink);
	x->frames.nr = 0;
}

static void give_piece(struct projection *x, u32 ref, const struct why_piece *piece)
{
	size_t first;

	add_step(x, ref, piece->step);
	first = x->frames.nr;
	add_leaf(x, piece);
	if (piece->step != WHY_NO_STEP)
		frames_of_waker(&x->frames, x->p, first);
	give(x, ref, block_at(x, ref)->state, piece->ns);
}

static void give_idle(struct projection *x, u32 ref)
{
	frames_add_idle(&x->frames, x->p, block_at(x, ref)->leg, x->options, NULL);
	give(x, ref, block_at(x, ref)->state, why_stands_for(x->why, ref));
}

static void give_blocked(struct projection *x, u32 ref)
{
	if (why_class(x->why, ref) == WHY_IDLE && !x->options->idle) {
		if (!x->options->no_idle)
			give_idle(x, ref);
		return;
	}
	why_explain_all_like(x->why, ref, &x->pieces);
	vec_for_each (&x->pieces.pieces, piece)
		give_piece(x, ref, piece);
}

/* The wait for a CPU after a block, or instead of one. */
static void give_cpu_wait(struct projection *x, u32 ref, u32 state)
{
	const struct block *block = block_at(x, ref);
	struct why_piece piece = {.step = WHY_NO_STEP, .block = ref, .what = WHY_NO_CPU};

	add_step(x, ref, WHY_NO_STEP);
	add_leaf(x, &piece);
	give(x, ref, state, why_wait_stands_for(block));
}

static bool is_shown(const struct projection *x, u32 state)
{
	return sched_is_shown(&(struct sample){.kind = WICK_SCHED, .state = state}, x->options);
}

static void give_block(struct projection *x, u32 ref)
{
	const struct block *block = block_at(x, ref);
	u32 after = block->state;

	if (sched_is_blocked(after))
		after = (after & ~(u32)WICK_STATE_LETTER) | 'Q';
	if (why_stands_for(x->why, ref) && is_shown(x, block->state))
		give_blocked(x, ref);
	if (why_wait_stands_for(block) && is_shown(x, after))
		give_cpu_wait(x, ref, after);
}

static void project_why(struct profile *p, const struct view_options *options,
			const struct stack_sink *sink)
{
	struct projection x = {.p = p, .options = options, .sink = sink, .why = options->why};

	for (u32 ref = 0; ref < profile_nr_chosen(p); ref++)
		give_block(&x, ref);
	vec_release(&x.frames);
	why_pieces_release(&x.pieces);
}

const struct view why_view = {
	.name = "why",
	.title = "Waits explained",
	.summary = "where threads wait, and above it what the time went into; width: time waited",
	.brief = "what the waiting was for, down to its roots",
	.needs = NEED_SCHED | NEED_WAKERS | NEED_CHAINS,
	.colors = "waits",
	.metrics = {MICROSECONDS(1), NANOSECONDS(1)},
	.project = project_why,
	.reading =
		"Each wait is split among what the threads that it waited for did meanwhile: below a box \"--\" is "
		"where a thread waited, above it the one that it waited for, and where that was. So a box is "
		"as wide as the time that was spent so. Above the last thread stands why it goes no further: "
		"[ran], [runqueue], an interrupt. Waits that were too short to be walked are not drawn.\n\n"
		"Time in which threads had nothing to do is one box [idle] for each process. The page, which "
		"is printed without -o, has the same in words.",
	.example =
		"worker;main;takes;futex_wait;--;holder;main;reads;pipe_read;--;disk;main;[ran] 900\n"
		"worker;main;takes;futex_wait;--;holder;main;[ran] 100\n"
		"worker;[idle] 5000",
	.meaning =
		"worker waited 1 ms for a lock. Its holder read from a pipe for 0.9 ms of that, into which disk "
		"would write, and ran for the rest. For 5 ms worker had nothing to do.",
};
