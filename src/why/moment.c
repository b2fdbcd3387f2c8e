/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moment.c: what one thread was at in one moment. Its entries lie in order of time, and a moment is
 * in one of them or in the gap between two.
 */
#include "index.h"

static bool has_thread(const struct why_thread *t, u32 tid)
{
	return t->tid == tid && t->followed;
}

/* Ids are given again: the one that was there then; else the one that came last. */
static const struct why_thread *thread_at(const struct why *why, u32 tid, u64 at)
{
	const struct why_thread *found = NULL;

	vec_for_each (&why->threads, t) {
		if (!has_thread(t, tid))
			continue;
		if (at >= t->begin && at < t->end)
			return t;
		if (!found || t->begin >= found->begin)
			found = t;
	}
	return found;
}

/* What it was called last. */
static u32 last_leg(const struct why *why, const struct why_thread *t)
{
	u32 leg = 0;

	for (u32 i = 0; i < why->thread_of.nr; i++)
		if (&why->threads.at[why->thread_of.at[i]] == t)
			leg = i;
	return leg;
}

static void in_block(const struct why *why, u32 ref, u64 at, struct why_moment *m)
{
	const struct block *block = &why->p->blocks.at[ref];

	m->leg = block->leg;
	m->block = ref;
	if (block->more) {
		m->doing = WHY_WAITED_OFTEN;
		m->begin = block_first(block);
		m->end = block->end;
		return;
	}
	m->doing = at < block->woken ? WHY_WAITED : WHY_HAD_NO_CPU;
	m->begin = at < block->woken ? block->begin : block->woken;
	m->end = at < block->woken ? block->woken : block->end;
}

static void in_gap(const struct why *why, const struct why_thread *t, u32 i, struct why_moment *m)
{
	struct gap gap = index_gap(why, t, i);

	m->doing = WHY_WAS_BUSY;
	m->begin = gap.begin;
	m->end = gap.end;
	m->ran = min(gap.ran, gap.end - gap.begin);
}

int why_moment(const struct why *why, u32 tid, u64 at, struct why_moment *moment)
{
	const struct why_thread *t = thread_at(why, tid, at);
	struct why_moment m = {.at = at, .block = WHY_NO_BLOCK};
	u32 i;

	if (!t)
		return -ENOENT;
	m.leg = last_leg(why, t);
	if (at < t->begin || at >= t->end) {
		m.doing = WHY_WAS_NOT_THERE;
		m.begin = t->begin;
		m.end = t->end;
		*moment = m;
		return 0;
	}
	i = index_first_after(why, t, at);
	if (i < t->nr && why->entries[t->first + i].begin <= at)
		in_block(why, why->refs.at[t->first + i], at, &m);
	else
		in_gap(why, t, i, &m);
	*moment = m;
	return 0;
}

static bool has_moment(const struct why_piece *piece, u64 at)
{
	return piece->begin <= at && at < piece->end;
}

size_t why_steps_at(const struct why_pieces *pieces, u64 at, u32 steps[WHY_MOST_STEPS],
		    const struct why_piece **last)
{
	size_t nr = 0;
	u32 step;

	*last = NULL;
	for (size_t i = 0; i < pieces->pieces.nr && !*last; i++)
		if (has_moment(&pieces->pieces.at[i], at))
			*last = &pieces->pieces.at[i];
	if (!*last)
		return 0;
	for (step = (*last)->step; step != WHY_NO_STEP; step = pieces->steps.at[step].from)
		nr++;
	step = (*last)->step;
	for (size_t i = nr; i-- > 0; step = pieces->steps.at[step].from)
		steps[i] = step;
	return nr;
}
