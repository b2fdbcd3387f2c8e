/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * series.c: how waits enter the log of blocks. A thread that waits for its own timer in one place,
 * nine hundred times a second, says the same nine hundred times; each as an entry, such threads
 * were nine tenths of a recording. They become one entry a slice, a series, where that takes
 * nothing from what is told of others:
 *
 *	the thread has never woken another one, so no other wait leads to its own;
 *	each stretch was ended by an interrupt, which is where an explanation ends;
 *	they follow each other, have the same stacks and object, and are about as long;
 *	what they waited for a CPU was short, or the same thread had it.
 *
 * Times are rounded as well: nanoseconds have no meaning beside what a switch takes, and most of
 * their bits cannot be predicted, thus not compressed. Sums of samples are not rounded, nor are
 * waits of a second and more, at which a recording is cut, nor of what had not ended.
 */
#include "profile.h"
#include "base/numbers.h"

enum {
	SERIES_BITS = 13,	/* of a series' length that are kept */
	SHORT_WAIT_NS = 200000, /* for a CPU */
	MOST_UNLIKE = 2,	/* times as long, or as short */
	LONG_NS = 1000000000,	/* a slice's length; a series is no longer, but for its last wait */
};

static u64 round_down(u64 value, u64 unit)
{
	return value - value % unit;
}

/* The window's ends stay what they are. */
static u64 round_time(const struct profile *p, u64 time)
{
	return max(min(p->begin, time), round_down(time, BLOCK_TIME_UNIT_NS));
}

void profile_wait(struct profile *p, const struct block *block)
{
	struct block *b = vec_add(&p->waits.blocks);

	*b = *block;
	if (block->end - block->begin >= LONG_NS || block->state & WICK_STATE_STILL)
		return;
	b->begin = round_time(p, block->begin);
	b->woken = round_time(p, block->woken);
	b->end = round_time(p, block->end);
	b->ran = round_down(block->ran, BLOCK_TIME_UNIT_NS);
	b->counted_block = block->counted_block == block_ns(block)
				   ? block_ns(b)
				   : round_down(block->counted_block, BLOCK_TIME_UNIT_NS);
	b->counted_wait = block->counted_wait == block->end - block->woken
				  ? b->end - b->woken
				  : round_down(block->counted_wait, BLOCK_TIME_UNIT_NS);
}

/* ---- series */

static int compare(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare_waits(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->leg != y->leg)
		return compare(x->leg, y->leg);
	if (x->begin != y->begin)
		return compare(x->begin, y->begin);
	return compare(x->end, y->end);
}

/* Legs of the hops that are new. */
static void note_wakers(struct profile *p)
{
	struct profile_waits *w = &p->waits;

	while (w->wakers.nr < p->legs.nr)
		vec_add(&w->wakers);
	for (; w->nr_hops < p->hops.nr; w->nr_hops++)
		w->wakers.at[p->hops.at[w->nr_hops].leg] = true;
}

static bool ended_by_interrupt(const struct profile *p, const struct block *block)
{
	const struct chain *chain = &p->chains.at[block->chain];
	enum wick_cause cause =
		chain->nr ? p->hops.at[p->chain_hops.at[chain->first]].cause : WICK_BY_TASK;

	return cause == WICK_BY_INTERRUPT || cause == WICK_BY_SOFTIRQ;
}

static bool may_be_in_series(const struct profile *p, const struct block *block)
{
	return !p->waits.wakers.at[block->leg] && ended_by_interrupt(p, block) &&
	       block->end - block_first(block) < LONG_NS;
}

static bool are_alike(const struct block *series, const struct block *block)
{
	u64 ns = block_ns(series) / block_nr(series), waited = block->end - block->woken;

	return series->leg == block->leg && series->user == block->user &&
	       series->kernel == block->kernel && series->chain == block->chain &&
	       series->state == block->state && series->object == block->object &&
	       series->object_kind == block->object_kind && block_ns(block) <= MOST_UNLIKE * ns &&
	       ns <= MOST_UNLIKE * block_ns(block) &&
	       (waited < SHORT_WAIT_NS || series->before == block->before) &&
	       series->end <= block->begin && series->ran <= block->ran;
}

static void add_to_series(struct block *series, const struct block *block)
{
	u64 first = block_first(series);
	u64 blocked = block_ns(series) + block_ns(block);
	u64 waited = series->end - series->woken + block->end - block->woken;

	series->ran_between += block->ran - series->ran;
	series->ran = block->ran;
	series->end = block->end;
	series->woken = block->end - waited;
	series->begin = series->woken - blocked;
	series->between = series->begin - first;
	series->counted_block += block->counted_block;
	series->counted_wait += block->counted_wait;
	series->more++;
}

static u64 round_near(u64 value, u64 unit)
{
	return round_down(value + unit / 2, unit);
}

/* All of a series' times become multiples of one unit, so its parts still sum to its length. */
static void round_series(const struct profile *p, struct block *series)
{
	u64 first = block_first(series), end = series->end, unit = BLOCK_TIME_UNIT_NS;
	u64 blocked, waited;

	while (end - first >= unit << SERIES_BITS)
		unit *= 2;
	first = round_near(first, unit);
	first += first < p->begin ? unit : 0;
	end = max(round_down(end, unit), first);
	blocked = min(round_near(block_ns(series), unit), end - first);
	waited = min(round_near(series->end - series->woken, unit), end - first - blocked);
	series->end = end;
	series->woken = end - waited;
	series->begin = series->woken - blocked;
	series->between = series->begin - first;
	series->ran = round_down(series->ran, unit);
	series->ran_between = min(round_near(series->ran_between, unit), series->ran);
	/* The samples have no less. */
	series->counted_block = round_down(series->counted_block, unit);
	series->counted_wait = round_down(series->counted_wait, unit);
}

static void end_series(struct profile *p, struct block *series)
{
	if (series->more)
		round_series(p, series);
	profile_block(p, series);
}

void profile_end_slice(struct profile *p)
{
	struct block *series = NULL;

	note_wakers(p);
	vec_sort(&p->waits.blocks, compare_waits);
	vec_for_each (&p->waits.blocks, block) {
		if (series && may_be_in_series(p, series) && are_alike(series, block)) {
			add_to_series(series, block);
			continue;
		}
		if (series)
			end_series(p, series);
		series = block;
	}
	if (series)
		end_series(p, series);
	p->waits.blocks.nr = 0;
}
