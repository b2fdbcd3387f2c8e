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

static void explain_part(struct explaining *x, const struct path *path, u32 ref, u64 from, u64 to)
{
	const struct block *block = &x->why->p->blocks.at[ref];
	const struct hop *hop = why_hop(x->why->p, block);
	enum why_what what;

	if (from >= to)
		return;
	if (!hop)
		what = block->state & WICK_STATE_STILL ? WHY_STILL : WHY_UNKNOWN;
	else if (why_by_interrupt(x->why, block))
		what = WHY_INTERRUPT;
	else
		what = no_step_to(x, path, hop->leg);
	if (what == WHY_RAN)
		step_to(x, path, ref, hop->leg, from, to);
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

/* Its life within the stretch: entries, and the gaps between them. */
static void explain_life(struct explaining *x, const struct path *path, u64 from, u64 to)
{
	const struct why *why = x->why;
	const struct why_thread *t = &why->threads.at[path->thread];
	u64 at = from;
	u32 i = index_first_after(why, t, from);

	for (; i < t->nr && at < to; i++) {
		u32 ref = why->entries.at[t->first + i];
		const struct block *block = &why->p->blocks.at[ref];
		struct gap gap = index_gap(why, t, i);
		u64 woken;

		if (block->begin >= to)
			break;
		if (x->out->pieces.nr >= WHY_MOST_PIECES) {
			add_piece(x, path, WHY_NO_BLOCK, WHY_LIMIT, at, to);
			return;
		}
		add_gap(x, path, &gap, at, block->begin);
		at = max(at, block->begin);
		woken = min(block->woken, to);
		explain_part(x, path, ref, at, woken);
		at = max(at, woken);
		add_piece(x, path, ref, WHY_NO_CPU, at, max(at, min(block->end, to)));
		at = max(at, min(block->end, to));
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
	explain_part(&x, &path, ref, block->begin, block->woken);
}
