/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain.c: follows a stretch of time from thread to thread. Each thread's entries lie in order of
 * time, so that those of a stretch are found by bisection; a step to the next thread narrows the
 * stretch to a part of a block, and time never goes back: no entry is met twice on one path.
 */
#include "index.h"

/* What is at hand, from the thread that was asked for down to one that it waits for. */
struct path {
	u32 thread, step, depth;
};

struct explaining {
	const struct why *why;
	struct why_pieces *out;
	u32 on_path[WHY_MOST_STEPS + 1]; /* threads, by depth */
};

/* ---- pieces */

static void add_part(struct explaining *x, const struct path *path, u32 block, enum why_what what,
		     u64 begin, u64 end, u64 ns)
{
	if (ns)
		*vec_add(&x->out->pieces) =
			(struct why_piece){path->step, block, what, begin, end, ns};
}

static void add_piece(struct explaining *x, const struct path *path, u32 block, enum why_what what,
		      u64 begin, u64 end)
{
	add_part(x, path, block, what, begin, end, end - min(begin, end));
}

/* Of a gap between two entries, of which the thread ran `ran`, the part from `begin` to `end`. */
static void add_gap(struct explaining *x, const struct path *path, const struct gap *gap, u64 begin,
		    u64 end)
{
	u64 length = gap->end - gap->begin, ns, ran;

	if (begin >= end)
		return;
	ns = end - begin;
	ran = (u64)((unsigned __int128)ns * min(gap->ran, length) / length);
	add_part(x, path, WHY_NO_BLOCK, WHY_RAN, begin, end, ran);
	add_part(x, path, WHY_NO_BLOCK, WHY_SHORT_WAITS, begin, end, ns - ran);
}

/* ---- steps */

static void explain_thread(struct explaining *x, const struct path *path, u64 from, u64 to);

static bool is_on_path(const struct explaining *x, const struct path *path, u32 thread)
{
	for (u32 i = 0; i <= path->depth; i++)
		if (x->on_path[i] == thread)
			return true;
	return false;
}

/* Why there is no step to a thread; WHY_RAN: there is one. */
static enum why_what no_step_to(const struct explaining *x, const struct path *path, u32 leg)
{
	u32 thread = why_thread(x->why, leg);

	if (!x->why->threads.at[thread].followed)
		return WHY_STRANGER;
	if (is_on_path(x, path, thread))
		return WHY_CYCLE;
	if (path->depth == WHY_MOST_STEPS)
		return WHY_DEPTH;
	return x->out->pieces.nr < WHY_MOST_PIECES ? WHY_RAN : WHY_LIMIT;
}

static void step_to(struct explaining *x, const struct path *path, u32 block, u32 leg, u64 from,
		    u64 to)
{
	struct path next = {why_thread(x->why, leg), (u32)x->out->steps.nr, path->depth + 1};

	*vec_add(&x->out->steps) = (struct why_step){path->step, block, leg};
	explain_thread(x, &next, from, to);
}

/*
 * A connection to a thread of this host goes on there also where an interrupt brought the data:
 * the kernel does the work of the network when it comes to it. The leg of that thread, or 0.
 */
static u32 behind_interrupt(const struct explaining *x, const struct path *path, u32 ref)
{
	const struct block *block = &x->why->p->blocks.at[ref];
	u32 other = x->why->p->objects.at[block->object].there ? why_other_end(x->why, block) : 0;

	return other && no_step_to(x, path, other) == WHY_RAN ? other : 0;
}

/* A part of a block; how it ended is known. */
static void explain_part(struct explaining *x, const struct path *path, u32 ref,
			 enum why_what ended, u32 by, u64 from, u64 to)
{
	u32 other = ended == WHY_INTERRUPT ? behind_interrupt(x, path, ref) : 0;
	enum why_what what = ended;

	if (from >= to)
		return;
	if (what == WHY_RAN)
		what = no_step_to(x, path, by);
	if (what == WHY_RAN || other)
		step_to(x, path, ref, other ? other : by, from, to);
	else
		add_piece(x, path, ref, what, from, to);
}

/* Time before a thread began. */
static void explain_birth(struct explaining *x, const struct path *path, u64 from, u64 to)
{
	u32 parent = x->why->threads.at[path->thread].parent;
	enum why_what what = parent ? no_step_to(x, path, parent) : WHY_BEFORE;

	if (what == WHY_RAN)
		step_to(x, path, WHY_NO_BLOCK, parent, from, to);
	else
		add_piece(x, path, WHY_NO_BLOCK, what, from, to);
}

/* ---- a thread's time */

/* Of a series' sum, what the part from `begin` to `end` has. */
static u64 share_of(u64 sum, u64 part, u64 length)
{
	return (u64)((unsigned __int128)min(sum, length) * part / length);
}

/*
 * A part of a series, in which all that the thread did has the same share as in all of it. What
 * ended its waits were interrupts: none of them leads to another thread.
 */
static void explain_series(struct explaining *x, const struct path *path, u32 ref, u64 begin,
			   u64 end)
{
	const struct block *series = &x->why->p->blocks.at[ref];
	u64 length = series->end - block_first(series), ns = end - begin;
	u64 blocked = share_of(block_ns(series), ns, length);
	u64 waited = min(share_of(series->end - series->woken, ns, length), ns - blocked);
	u64 ran = min(share_of(series->ran_between, ns, length), ns - blocked - waited);

	add_part(x, path, ref, WHY_INTERRUPT, begin, end, blocked);
	add_part(x, path, ref, WHY_NO_CPU, begin, end, waited);
	add_part(x, path, WHY_NO_BLOCK, WHY_RAN, begin, end, ran);
	add_part(x, path, WHY_NO_BLOCK, WHY_SHORT_WAITS, begin, end, ns - blocked - waited - ran);
}

/* Its life within the stretch: entries, and the gaps between them. */
static void explain_life(struct explaining *x, const struct path *path, u64 from, u64 to)
{
	const struct why *why = x->why;
	const struct why_thread *t = &why->threads.at[path->thread];
	u64 at = from;
	u32 i = index_first_after(why, t, from);

	for (; i < t->nr && at < to; i++) {
		const struct entry *entry = &why->entries[t->first + i];
		struct gap gap = index_gap(why, t, i);
		u64 woken;

		if (entry->begin >= to)
			break;
		if (x->out->pieces.nr >= WHY_MOST_PIECES) {
			add_piece(x, path, WHY_NO_BLOCK, WHY_LIMIT, at, to);
			return;
		}
		add_gap(x, path, &gap, at, entry->begin);
		at = max(at, entry->begin);
		if (entry->is_series) {
			explain_series(x, path, entry->ref, at, max(at, min(entry->end, to)));
			at = max(at, min(entry->end, to));
			continue;
		}
		woken = min(entry->woken, to);
		explain_part(x, path, entry->ref, entry->what, entry->by, at, woken);
		at = max(at, woken);
		add_piece(x, path, entry->ref, WHY_NO_CPU, at, max(at, min(entry->end, to)));
		at = max(at, min(entry->end, to));
	}
	if (at < to) {
		struct gap gap = index_gap(why, t, i);

		add_gap(x, path, &gap, at, to);
	}
}

static void explain_thread(struct explaining *x, const struct path *path, u64 from, u64 to)
{
	const struct why_thread *t = &x->why->threads.at[path->thread];
	u64 begin = min(max(from, t->begin), to), end = max(begin, min(to, t->end));

	x->on_path[path->depth] = path->thread;
	if (from < begin)
		explain_birth(x, path, from, begin);
	explain_life(x, path, begin, end);
	if (end < to)
		add_piece(x, path, WHY_NO_BLOCK, WHY_GONE, end, to);
}

/* ---- what is asked for */

static void empty(struct why_pieces *pieces)
{
	pieces->steps.nr = pieces->pieces.nr = 0;
}

void why_pieces_release(struct why_pieces *pieces)
{
	vec_release(&pieces->steps);
	vec_release(&pieces->pieces);
}

void why_explain(const struct why *why, u32 leg, u64 from, u64 to, struct why_pieces *pieces)
{
	struct explaining x = {.why = why, .out = pieces};
	struct path path = {why_thread(why, leg), WHY_NO_STEP, 0};

	empty(pieces);
	if (from >= to)
		return;
	if (why->threads.at[path.thread].followed)
		explain_thread(&x, &path, from, to);
	else
		add_piece(&x, &path, WHY_NO_BLOCK, WHY_STRANGER, from, to);
}

void why_explain_block(const struct why *why, u32 ref, struct why_pieces *pieces)
{
	const struct block *block = &why->p->blocks.at[ref];
	struct explaining x = {.why = why, .out = pieces};
	struct path path = {why_thread(why, block->leg), WHY_NO_STEP, 0};

	empty(pieces);
	x.on_path[0] = path.thread;
	explain_part(&x, &path, ref, index_how_it_ended(why, block), index_cause(why, block),
		     block->begin, block->woken);
}

/* Rounded so that they sum to `ns`. */
static void scale(struct why_pieces *pieces, u64 ns)
{
	unsigned __int128 sum = 0, until = 0;
	u64 given = 0;

	vec_for_each (&pieces->pieces, piece)
		sum += piece->ns;
	vec_for_each (&pieces->pieces, piece) {
		until += piece->ns;
		piece->ns = (u64)(until * ns / sum) - given;
		given += piece->ns;
	}
}

void why_explain_all_like(const struct why *why, u32 ref, struct why_pieces *pieces)
{
	why_explain_block(why, ref, pieces);
	scale(pieces, why_stands_for(why, ref));
}
