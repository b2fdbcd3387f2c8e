/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chain.c: what the time of a wait went into, from waker to waker: the chain view.
 *
 *	sleeper;user...;kernel...;--;waker's kernel, waker's user, leaf to root;waker;--;...;end
 *
 * A wait of the log is split as include/why.h explains it, so that the last thread of a line spent
 * the line's time at the place that is shown while all those before it waited. A thread that waited
 * itself is shown where it did, one that ran where it did the wakeup.
 *
 * Waits that have no entry are split as those of the same thread, stacks and wakers that have one,
 * and stand for them. Where there is none, they are not split: their stacks are those of the
 * wakeups that ended them, and the whole is charged to the last of those.
 *
 *	sleeper;user...;kernel...;[not split];--;waker...;--;...;end
 */
#include "base/numbers.h"
#include "metrics.h"
#include "waits.h"
#include "wakers.h"

enum { NS = 1 /* column */ };

/* Why it goes no further, of what is said in one note. */
static const char *const ends[WHY_NR] = {
	[WHY_RAN] = "[was running]",  [WHY_SHORT_WAITS] = "[short waits]",
	[WHY_NO_CPU] = "[runqueue]",  [WHY_STILL] = "[still blocked]",
	[WHY_BEFORE] = "[not begun]", [WHY_GONE] = "[ended]",
	[WHY_LIMIT] = "[limit]",      [WHY_DEPTH] = "[depth]",
};

struct splitting {
	struct waits *w;
	const struct sample *sample;
	struct why_pieces pieces;
	u64 value; /* of the wait, that is left */
};

static u32 depth_of(const struct waits *w)
{
	u32 depth = w->options->depth ? w->options->depth : w->p->depth;

	return depth ? depth : UINT32_MAX;
}

/* ---- what is not split */

/* One waker, who had not slept meanwhile, or an interrupt: what would there be to split? */
static bool has_more_to_tell(const struct profile *p, u32 ref)
{
	const struct chain *chain = &p->chains.at[ref];

	return chain->nr && !hop_is_interrupt(p, &p->hops.at[p->chain_hops.at[chain->first]]) &&
	       (chain->nr > 1 || chain->end != WICK_CHAIN_RUNNING);
}

static void add_unsplit(struct waits *w, u32 chain, u32 depth)
{
	if (has_more_to_tell(w->p, chain))
		frames_add_note(&w->frames, w->p, "[not split]");
	frames_add_causes(&w->frames, w->p, chain, w->options, depth);
}

static void give_unsplit(struct waits *w, const struct sample *sample, u64 value)
{
	frames_add_sleeper(&w->frames, w->p, sample, w->options, NULL);
	if (sched_ended_by_wakeup(sample->state))
		add_unsplit(w, sample->chain, depth_of(w));
	waits_give(w, sample, value);
}

/* ---- a piece */

static const struct block *block_at(const struct splitting *s, u32 ref)
{
	return &s->w->p->blocks.at[ref];
}

/* Where the thread at the end of a step was; `next`: the step from it, or NULL. */
static void add_place(struct splitting *s, struct frames *f, const struct why_step *step,
		      const struct why_step *next, const struct why_piece *piece)
{
	struct profile *p = s->w->p;
	u32 in = next ? next->block : piece->block;
	const struct hop *hop;

	if (in != WHY_NO_BLOCK) {
		frames_add_wait(f, p, block_at(s, in)->user, block_at(s, in)->kernel);
	} else if (!next && piece->what == WHY_RAN && step->block != WHY_NO_BLOCK) {
		hop = why_hop(p, block_at(s, step->block));
		if (hop) /* and no holder of a lock that is not let go */
			frames_add_woke(f, p, hop->user, hop->kernel);
	}
}

static void add_thread(struct splitting *s, const struct why_step *step,
		       const struct why_step *next, const struct why_piece *piece)
{
	struct frames *f = &s->w->frames, thread = {};
	struct profile *p = s->w->p;
	size_t first;

	frames_add_note(f, p, "--");
	first = f->nr;
	if (step->block == WHY_NO_BLOCK)
		frames_add_note(f, p, "[fork]");
	frames_add_group(&thread, p, step->leg, group_above_root(s->w->options->group));
	add_place(s, &thread, step, next, piece);
	for (size_t i = thread.nr; i-- > 0;)
		*vec_add(f) = thread.at[i];
	frames_of_waker(f, p, first);
	vec_release(&thread);
}

/* The one that it waits for is one of those that wait for it. */
static void add_cycle(struct splitting *s, const struct hop *hop)
{
	struct frames *f = &s->w->frames;
	size_t first;

	frames_add_note(f, s->w->p, "--");
	first = f->nr;
	frames_add_group(f, s->w->p, hop->leg, group_above_root(s->w->options->group));
	frames_of_waker(f, s->w->p, first);
	frames_add_note(f, s->w->p, "[cycle]");
}

/* What ended the last block, where no thread's time is known to have. `left`: of the depth. */
static void add_root(struct splitting *s, const struct why_piece *piece, u32 left)
{
	struct frames *f = &s->w->frames;
	struct profile *p = s->w->p;
	u32 chain = piece->block == WHY_NO_BLOCK ? 0 : block_at(s, piece->block)->chain;
	const struct hop *hop =
		piece->block == WHY_NO_BLOCK ? NULL : why_hop(p, block_at(s, piece->block));

	if (!left)
		frames_add_note(f, p, "[depth]");
	else if (hop && piece->what == WHY_CYCLE)
		add_cycle(s, hop);
	else
		add_unsplit(s->w, chain, left);
}

static void add_end(struct splitting *s, const struct why_piece *piece, u32 left)
{
	struct frames *f = &s->w->frames;
	u32 had = piece->what == WHY_NO_CPU ? block_at(s, piece->block)->before : 0;

	if (!ends[piece->what]) {
		add_root(s, piece, left);
		return;
	}
	frames_add_note(f, s->w->p, ends[piece->what]);
	if (had)
		frames_add_named_note(f, s->w->p, "had the CPU",
				      strings_get(&s->w->p->names, s->w->p->legs.at[had].comm));
}

static void give_piece(struct splitting *s, const struct why_piece *piece, u64 value)
{
	const struct why_step *path[WHY_MOST_STEPS + 1];
	u32 nr = 0, depth = depth_of(s->w);

	for (u32 step = piece->step; step != WHY_NO_STEP; step = s->pieces.steps.at[step].from)
		path[nr++] = &s->pieces.steps.at[step];
	frames_add_sleeper(&s->w->frames, s->w->p, s->sample, s->w->options, NULL);
	for (u32 i = 0; i < min(nr, depth); i++)
		add_thread(s, path[nr - 1 - i], i + 1 < nr ? path[nr - 2 - i] : NULL, piece);
	if (nr > depth)
		frames_add_note(&s->w->frames, s->w->p, "[depth]");
	else
		add_end(s, piece, depth - nr);
	waits_give(s->w, s->sample, value);
}

/* ---- a block */

/* A block is counted where most of it was spent; so is what it stands for. */
static size_t largest_piece(const struct why_pieces *pieces)
{
	size_t largest = 0;

	for (size_t i = 1; i < pieces->pieces.nr; i++)
		if (pieces->pieces.at[i].ns > pieces->pieces.at[largest].ns)
			largest = i;
	return largest;
}

/* `value`: what is drawn of it, in the metric. */
static void split_block(struct splitting *s, u32 ref, u64 value)
{
	bool is_time = s->w->options->metric->column == NS;
	u64 until = 0, given = 0, sum = why_stands_for(s->w->options->why, ref);
	size_t largest;

	why_explain_all_like(s->w->options->why, ref, &s->pieces);
	largest = largest_piece(&s->pieces);
	for (size_t i = 0; i < s->pieces.pieces.nr; i++) {
		const struct why_piece *piece = &s->pieces.pieces.at[i];
		u64 part = i == largest ? value : 0;

		until += piece->ns;
		if (is_time)
			part = (u64)((unsigned __int128)value * until / sum) - given;
		given += part;
		if (part)
			give_piece(s, piece, part);
	}
	s->value -= min(s->value, given);
}

static void draw_split(struct waits *w, const struct wait *wait)
{
	struct splitting s = {
		.w = w, .sample = &w->p->samples.at[wait->sample], .value = wait->value};
	const struct why *why = w->options->why;
	const u32 *blocks = NULL;
	u64 until = 0, given = 0;
	size_t nr = 0;

	if (why && sched_ended_by_wakeup(s.sample->state))
		blocks = why_sample_blocks(why, wait->sample, &nr);
	for (size_t i = 0; i < nr; i++) {
		u64 ns = why_stands_for(why, blocks[i]), part;

		if (!ns || why_class(why, blocks[i]) != wait->class)
			continue;
		until += ns;
		part = (u64)((unsigned __int128)wait->value * until / wait->ns) - given;
		given += part;
		if (part)
			split_block(&s, blocks[i], part);
	}
	if (s.value)
		give_unsplit(w, s.sample, s.value);
	why_pieces_release(&s.pieces);
}

static void project_chain(struct profile *p, const struct view_options *options,
			  const struct stack_sink *sink)
{
	struct waits w = {.p = p, .options = options, .sink = sink, .draw = draw_split};

	waits_project(&w);
	frames_add_losses(p, options, WICK_SCHED, sink);
}

const struct view chain_view = {
	.name = "chain",
	.title = "Chain graph",
	.summary = "where threads wait, and above it what those did that they waited for; "
		   "width: time off-CPU",
	.brief = "the same, and what the waker waited for itself, and so on",
	.needs = NEED_SCHED | NEED_WAKERS | NEED_CHAINS,
	.colors = "waits",
	.metrics = {MICROSECONDS(1), NANOSECONDS(1), PLAIN("count", 0)},
	.project = project_chain,
	.reading =
		"As offwake; but a wait is split over what its waker did meanwhile. Above the "
		"box -- the waker is shown where it was: where it ran, where it waited for a "
		"CPU, or where it waited itself; then the one that this wait was for follows, "
		"and so on. So a box is as wide as the time that was spent there. The last box "
		"says why the chain ends: an interrupt, [was running], [runqueue], "
		"[short waits], [depth].\n\n"
		"Waits that were too short to be recorded one by one are split as recorded ones "
		"of the same thread, stacks and wakers. Where there is none, they are not split: "
		"above [not split] are the wakeups that ended them, and the whole is charged to "
		"the last of those. Filters choose whose waits are drawn; who ended them is "
		"followed all the same.",
	.example = "db-1;main;lock_row;futex_wait;--;epoll_wait;recv;main;db-2;--;tcp_sendmsg;send;"
		   "main;client;[was running] 3700000\n"
		   "db-1;main;lock_row;futex_wait;--;io_schedule;fsync;commit;main;db-2;--;"
		   "io_complete;[softirq: blk_done_softirq] 300000",
	.meaning =
		"db-1 waited for a row for 4 s. For 3.7 s of them db-2, which had the row, waited "
		"for its client, which computed; for 0.3 s it waited for the disk.",
};
