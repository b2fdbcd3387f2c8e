/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording_cut.h"

#include "base/numbers.h"

enum { NS = 1, LONGEST = 2 }; /* columns of a sched sample */

void cut_release(struct recording_cut *cut)
{
	vec_release(&cut->ns);
	vec_release(&cut->rest);
	vec_release(&cut->waiting);
	vec_release(&cut->unread);
	vec_release(&cut->chapter_waits);
	vec_release(&cut->chapter_shorts);
	vec_release(&cut->chapter_legs);
	vec_release(&cut->chapter_samples);
	vec_release(&cut->logged);
}

/* ---- parts */

u64 scaled(u64 value, u64 part, u64 whole)
{
	return whole ? (u64)((unsigned __int128)value * part / whole) : value;
}

/* How much of [begin, end) lies before `at`. */
static u64 length_before(u64 begin, u64 end, u64 at)
{
	return at <= begin ? 0 : min(at, end) - begin;
}

/*
 * What lies before `at` of a value that is spread over [begin, end). `dither`, below 2^32, is what
 * is added before rounding down, in 1/2^32: never to nothing, nor to all.
 */
static u64 value_before(u64 value, u64 begin, u64 end, u64 at, u32 dither)
{
	u64 length = end - begin, part = length_before(begin, end, at);
	unsigned __int128 product = (unsigned __int128)value * part;

	if (begin >= end)
		return at > begin || (at == begin && at) ? value : 0;
	return (u64)((product + ((unsigned __int128)length * dither >> 32)) / length);
}

u32 dither_of(size_t row)
{
	return (u32)(row * 2654435769u);
}

struct cut_sum cut_value(const struct recording_cut *cut, u64 value, u64 begin, u64 end, u32 dither)
{
	return (struct cut_sum){
		.before = value_before(value, begin, end, cut->from, dither),
		.until = value_before(value, begin, end, cut->to, dither),
		.all = value,
	};
}

static u64 within(const struct cut_sum *sum)
{
	return sum->until - min(sum->until, sum->before);
}

void add_cut(struct cut_sum *to, const struct cut_sum *more)
{
	add_to_sum(&to->before, more->before);
	add_to_sum(&to->until, more->until);
	add_to_sum(&to->all, more->all);
}

u64 cut_part(const struct recording_cut *cut, const struct recording_slice *slice, u64 value)
{
	const struct cut_sum sum = cut_value(cut, value, slice->begin, slice->end, 0);

	return within(&sum);
}

/* ---- blocks */

u64 after_begin(const struct profile *p, u64 time)
{
	return time - min(time, p->begin);
}

/*
 * How much longer a wait may be in the log than in the counts: its times are rounded (series.c),
 * and so are those of the ones that were cut before it.
 */
static u64 rounding(u64 ns)
{
	return ns / 8 + 2 * BLOCK_TIME_UNIT_NS;
}

/* A part of a block, whose time is in a sample; false: that has not come with it. */
static bool cut_stretch(struct recording_cut *cut, struct profile *p, const struct sample *key,
			u64 value, u64 begin, u64 end)
{
	struct cut_sum sum;
	u32 row;

	if (!value)
		return true;
	if (!profile_find_sample(p, key, &row) || row >= cut->rest.nr ||
	    cut->rest.at[row] + rounding(value) < value)
		return false;
	value = min(value, cut->rest.at[row]);
	cut->rest.at[row] -= value;
	if (cut->dry)
		return true;
	sum = cut_value(cut, value, after_begin(p, begin), after_begin(p, end), 0);
	add_cut(&cut->ns.at[row], &sum);
	return true;
}

/* The wait for a CPU has no waker; its letter is not in the block's state, if that is a sleep's. */
static bool cut_wait(struct recording_cut *cut, struct profile *p, const struct block *block)
{
	struct sample key = {.kind = WICK_SCHED,
			     .leg = block->leg,
			     .user = block->user,
			     .kernel = block->kernel};
	u32 flags = block->state & ~(u32)(WICK_STATE_LETTER | WICK_STATE_IO);
	static const char letters[] = {'Q', 'R'};

	for (size_t i = 0; i < ARRAY_SIZE(letters); i++) {
		key.state = flags | (u32)letters[i];
		if (cut_stretch(cut, p, &key, block->counted_wait,
				block->more ? block_first(block) : block->woken, block->end))
			return true;
	}
	return false;
}

/* Sets to 0 what was found; false: something was not. */
static bool cut_block(struct recording_cut *cut, struct profile *p, struct block *block)
{
	const struct sample key = {
		.kind = WICK_SCHED,
		.state = block->state,
		.leg = block->leg,
		.user = block->user,
		.kernel = block->kernel,
		.chain = block->chain,
	};

	if (cut_stretch(cut, p, &key, block->counted_block, block_first(block),
			block->more ? block->end : block->woken))
		block->counted_block = 0;
	if (cut_wait(cut, p, block))
		block->counted_wait = 0;
	return !block->counted_block && !block->counted_wait;
}

/*
 * Blocks of the record before have a second chance: their counts may have come later. Those of the
 * record itself come first, so that what is left of them does not depend on records before.
 */
static void cut_blocks(struct recording_cut *cut, struct profile *p)
{
	size_t nr_before = cut->waiting.nr, kept = 0;

	vec_for_each (&cut->logged, logged) {
		struct block block = *logged;

		if (!cut_block(cut, p, &block))
			*vec_add(&cut->waiting) = block;
	}
	for (size_t i = 0; i < nr_before; i++)
		cut_block(cut, p, &cut->waiting.at[i]);
	for (size_t i = nr_before; i < cut->waiting.nr; i++)
		cut->waiting.at[kept++] = cut->waiting.at[i];
	cut->waiting.nr = kept;
}

/* ---- a slice */

static void take_counts(struct recording_cut *cut, const struct profile *p,
			const struct recorded *rows, const bool *unknown)
{
	while (cut->ns.nr < p->samples.nr)
		vec_add(&cut->ns);
	while (cut->rest.nr < p->samples.nr)
		vec_add(&cut->rest);
	vec_for_each (&rows->counts, count)
		cut->rest.at[count->sample] = unknown[count->sample] ? 0 : count->column[NS];
}

static void cut_count(const struct recording_cut *cut, struct sample *sample, u32 row,
		      const struct recording_slice *slice, const struct slice_sample *count)
{
	for (u32 i = 0; i < MAX_COLUMNS; i++) {
		struct cut_sum sum;

		if (instruments[sample->kind].columns[i].merge != MERGE_SUM ||
		    (sample->kind == WICK_SCHED && i == NS))
			continue;
		sum = cut_value(cut, count->column[i], slice->begin, slice->end, dither_of(row));
		add_to_sum(&sample->column[i], within(&sum));
	}
	if (sample->kind == WICK_SCHED && slice->begin < cut->to && slice->end > cut->from)
		sample->column[LONGEST] = max(sample->column[LONGEST], count->column[LONGEST]);
}

/*
 * Time that no block is known for. It is a thread's, so what is more than the slice is long has
 * begun before it.
 */
static struct cut_sum cut_rest(const struct recording_cut *cut, const struct recording_slice *slice,
			       u64 ns, u32 row)
{
	u64 length = max(ns, slice->end - slice->begin);

	return cut_value(cut, ns, slice->end - min(length, slice->end), slice->end, dither_of(row));
}

/* ---- chapters of which not all slices are read */

/* What is left at the end is that of the slices that were not. */
static void take_from_chapter(struct recording_cut *cut, const struct sample *sample,
			      const struct slice_sample *count)
{
	u64 *left = NULL;

	if (sample->state & WICK_STATE_SHORT && count->sample < cut->chapter_shorts.nr)
		left = &cut->chapter_shorts.at[count->sample];
	else if (!(sample->state & WICK_STATE_SHORT) && sample->leg < cut->chapter_waits.nr)
		left = &cut->chapter_waits.at[sample->leg].ns[wait_of(sample)];
	if (left)
		*left -= min(*left, count->column[NS]);
}

void cut_begin_chapter(struct recording_cut *cut, const struct profile *p,
		       const struct recorded *rows)
{
	while (cut->chapter_waits.nr < p->legs.nr)
		vec_add(&cut->chapter_waits);
	while (cut->chapter_shorts.nr < p->samples.nr)
		vec_add(&cut->chapter_shorts);
	vec_for_each (&rows->waits, waits) {
		cut->chapter_waits.at[waits->leg] = *waits;
		*vec_add(&cut->chapter_legs) = waits->leg;
	}
	vec_for_each (&rows->shorts, ns) {
		cut->chapter_shorts.at[ns->row] = ns->value;
		*vec_add(&cut->chapter_samples) = ns->row;
	}
}

static void add_unread(struct cut_sum *to, u64 ns, bool before)
{
	const struct cut_sum sum = {.before = before ? ns : 0, .until = before ? ns : 0, .all = ns};

	add_cut(to, &sum);
}

void cut_end_chapter(struct recording_cut *cut, const struct profile *p, bool before)
{
	while (cut->unread.nr < p->legs.nr)
		vec_add(&cut->unread);
	while (cut->ns.nr < p->samples.nr)
		vec_add(&cut->ns);
	vec_for_each (&cut->chapter_legs, leg) {
		for (size_t i = 0; i < NR_WAITS; i++)
			add_unread(&cut->unread.at[*leg].of[i], cut->chapter_waits.at[*leg].ns[i],
				   before);
		cut->chapter_waits.at[*leg] = (struct recorded_waits){};
	}
	vec_for_each (&cut->chapter_samples, sample) {
		add_unread(&cut->ns.at[*sample], cut->chapter_shorts.at[*sample], before);
		cut->chapter_shorts.at[*sample] = 0;
	}
	cut->chapter_legs.nr = cut->chapter_samples.nr = 0;
}

/* ---- a slice, again */

void cut_log_record(struct recording_cut *cut, struct profile *p)
{
	vec_for_each (&cut->logged, block)
		if (after_begin(p, block_first(block)) < cut->to &&
		    after_begin(p, block->end) > cut->from && !cut->dry)
			profile_block(p, block);
	cut->logged.nr = 0;
}

void cut_slice(struct recording_cut *cut, struct profile *p, const struct recording_slice *slice,
	       const struct recorded *rows, const bool *unknown)
{
	take_counts(cut, p, rows, unknown);
	cut_blocks(cut, p);
	if (cut->dry) {
		vec_for_each (&rows->counts, count)
			cut->rest.at[count->sample] = 0;
		return;
	}
	vec_for_each (&rows->counts, count) {
		struct sample *sample = &p->samples.at[count->sample];
		struct cut_sum sum;

		if (unknown[count->sample])
			continue;
		cut_count(cut, sample, count->sample, slice, count);
		if (sample->kind != WICK_SCHED)
			continue;
		take_from_chapter(cut, sample, count);
		sum = cut_rest(cut, slice, cut->rest.at[count->sample], count->sample);
		add_cut(&cut->ns.at[count->sample], &sum);
		cut->rest.at[count->sample] = 0;
	}
}

/* ---- the rest */

static u64 into_range(const struct recording_cut *cut, const struct profile *p, u64 time)
{
	return p->begin + min(max(after_begin(p, time), cut->from), cut->to);
}

static void cut_one(const struct recording_cut *cut, const struct profile *p, struct block *part)
{
	const struct block whole = *part;

	part->begin = into_range(cut, p, whole.begin);
	part->woken = into_range(cut, p, whole.woken);
	part->end = into_range(cut, p, whole.end);
	part->counted_block =
		scaled(whole.counted_block, part->woken - part->begin, block_ns(&whole));
	part->counted_wait =
		scaled(whole.counted_wait, part->end - part->woken, whole.end - whole.woken);
}

/* What a series has done `until` a time after its first wait began. */
struct done {
	u64 blocked, waited, ran, more, counted_block, counted_wait;
};

/* It is the same throughout. Each of a sum's parts is a share of that sum's, so they sum to it. */
static struct done done_until(const struct block *series, u64 until)
{
	u64 length = series->end - block_first(series), all = series->end - series->begin;
	u64 off = scaled(all, until, length), blocked = scaled(block_ns(series), off, all);

	return (struct done){
		.blocked = blocked,
		.waited = off - blocked,
		.ran = scaled(series->ran_between, until, length),
		.more = scaled(series->more, until, length),
		.counted_block = scaled(series->counted_block, until, length),
		.counted_wait = scaled(series->counted_wait, until, length),
	};
}

static void cut_series(const struct recording_cut *cut, const struct profile *p, struct block *part)
{
	const struct block whole = *part;
	u64 first = block_first(&whole);
	u64 begin = into_range(cut, p, first), end = into_range(cut, p, whole.end);
	const struct done before = done_until(&whole, begin - first),
			  until = done_until(&whole, end - first);

	part->end = end;
	part->woken = end - (until.waited - before.waited);
	part->begin = part->woken - (until.blocked - before.blocked);
	part->between = part->begin - begin;
	part->ran_between = until.ran - before.ran;
	part->ran = whole.ran - whole.ran_between + until.ran;
	part->more = (u32)(until.more - before.more);
	part->counted_block = until.counted_block - before.counted_block;
	part->counted_wait = until.counted_wait - before.counted_wait;
}

static void cut_log(const struct recording_cut *cut, struct profile *p)
{
	size_t kept = 0;

	vec_for_each (&p->blocks, block) {
		struct block part = *block;

		if (part.more)
			cut_series(cut, p, &part);
		else
			cut_one(cut, p, &part);
		if (part.begin - part.between != part.end)
			p->blocks.at[kept++] = part;
	}
	p->blocks.nr = kept;
}

static void cut_samples(const struct recording_cut *cut, struct profile *p)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->samples.nr; i++) {
		struct sample sample = p->samples.at[i];

		if (sample.kind == WICK_SCHED && i < cut->ns.nr) {
			sample.column[NS] = within(&cut->ns.at[i]);
			sample.column[LONGEST] = min(sample.column[LONGEST], sample.column[NS]);
		}
		if (sample.column[0] || sample.column[1] ||
		    (sample.kind != WICK_SCHED && sample.column[2]))
			p->samples.at[kept++] = sample;
	}
	p->samples.nr = kept;
}

void cut_finish(struct recording_cut *cut, struct profile *p)
{
	u64 length = p->end - p->begin;
	const struct recording_slice whole = {.end = length};

	cut->to = min(cut->to, length);
	cut->from = min(cut->from, cut->to);
	cut_threads(cut, p);
	cut_log(cut, p);
	cut_ran(cut, p);
	cut_samples(cut, p);
	/* When these were is not known, nor is what a CPU did in a part of the run. */
	vec_for_each (&p->losses, loss)
		loss->value = cut_part(cut, &whole, loss->value);
	p->expected = cut_part(cut, &whole, p->expected);
	p->failed_faults = cut_part(cut, &whole, p->failed_faults);
	p->cpus.nr = 0;
	p->cost.unknown = true;
	p->wall_start_ns += cut->from;
	p->end = p->begin + cut->to;
	p->begin += cut->from;
}
