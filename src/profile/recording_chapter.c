/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording_chapter.h"

#include "base/numbers.h"

enum { NS = 1 }; /* column of a sched sample */

void progress_init(struct progress *progress)
{
	for (size_t i = 0; i < NR_TABLES; i++)
		progress->rows[i] = recorded_tables[i].fixed;
	while (progress->fields.nr < nr_recorded_fields())
		vec_add(&progress->fields);
}

void progress_release(struct progress *progress)
{
	vec_release(&progress->fields);
	vec_release(&progress->losses);
	vec_release(&progress->files);
	vec_release(&progress->images);
}

bool hashes_replace(struct hashes *hashes, size_t row, u64 hash)
{
	u64 *place, before;

	while (hashes->nr < NEWEST_ROWS && hashes->nr <= row)
		vec_add(hashes);
	place = &hashes->at[row % NEWEST_ROWS];
	before = *place;
	*place = hash;
	return hash != before;
}

void chapter_init(struct chapter *chapter)
{
	progress_init(&chapter->written);
	chapter->nr_slices = SLICES_OF_CHAPTER;
	chapter->size = SIZE_OF_CHAPTER;
	chapter->earliest = UINT64_MAX;
}

void chapter_release(struct chapter *chapter)
{
	progress_release(&chapter->written);
	vec_release(&chapter->filled);
	vec_release(&chapter->slices);
	vec_release(&chapter->waits);
	vec_release(&chapter->shorts);
	table_release(&chapter->waits_table);
	table_release(&chapter->shorts_table);
}

static struct recorded_waits *waits_of(struct chapter *chapter, u32 leg)
{
	struct table_probe probe = table_probe(&chapter->waits_table, hash_u64(leg));
	struct recorded_waits *waits;

	while (table_next(&probe))
		if (chapter->waits.at[probe.ref].leg == leg)
			return &chapter->waits.at[probe.ref];
	table_insert(&chapter->waits_table, hash_u64(leg), (u32)chapter->waits.nr);
	waits = vec_add(&chapter->waits);
	waits->leg = leg;
	return waits;
}

static struct recorded_value *short_of(struct chapter *chapter, u32 sample)
{
	struct table_probe probe = table_probe(&chapter->shorts_table, hash_u64(sample));
	struct recorded_value *value;

	while (table_next(&probe))
		if (chapter->shorts.at[probe.ref].row == sample)
			return &chapter->shorts.at[probe.ref];
	table_insert(&chapter->shorts_table, hash_u64(sample), (u32)chapter->shorts.nr);
	value = vec_add(&chapter->shorts);
	value->row = sample;
	return value;
}

static void count_wait(struct chapter *chapter, const struct sample *sample, u32 row, u64 ns)
{
	if (sample->state & WICK_STATE_SHORT) {
		add_to_sum(&short_of(chapter, row)->value, ns);
		return;
	}
	add_to_sum(&waits_of(chapter, sample->leg)->ns[wait_of(sample)], ns);
}

/*
 * What was counted reaches back to the first of the blocks that it may be of, and where none is
 * known, by its own length.
 */
void chapter_count(struct chapter *chapter, const struct profile *p, struct recorded_slice *slice)
{
	u64 reach = slice->begin, longest = 0;

	vec_for_each (&p->slice.blocks, block) {
		u64 first = block_first(block);

		reach = min(reach, first - (first < p->begin ? first : p->begin));
	}
	vec_for_each (&p->slice.samples, count) {
		const struct sample *sample = &p->samples.at[count->sample];

		if (sample->kind != WICK_SCHED)
			continue;
		longest = max(longest, count->column[NS]);
		count_wait(chapter, sample, count->sample, count->column[NS]);
	}
	slice->reach = min(reach, chapter->earliest);
	chapter->earliest = reach;
	if (longest > slice->end - slice->reach)
		slice->reach = slice->end - (longest < slice->end ? longest : slice->end);
}

void chapter_add(struct chapter *chapter, const struct recorded_slice *slice)
{
	*vec_add(&chapter->slices) = *slice;
}

static int compare_waits(const void *a, const void *b)
{
	const struct recorded_waits *x = a, *y = b;

	return x->leg < y->leg ? -1 : x->leg > y->leg;
}

static int compare_shorts(const void *a, const void *b)
{
	const struct recorded_value *x = a, *y = b;

	return x->row < y->row ? -1 : x->row > y->row;
}

void chapter_take(struct chapter *chapter, struct recorded *rows)
{
	vec_sort(&chapter->waits, compare_waits);
	vec_sort(&chapter->shorts, compare_shorts);
	vec_for_each (&chapter->slices, slice)
		*vec_add(&rows->slices) = *slice;
	vec_for_each (&chapter->waits, waits)
		if (waits->ns[WAIT_BLOCKED] || waits->ns[WAIT_QUEUED] || waits->ns[WAIT_PREEMPTED])
			*vec_add(&rows->waits) = *waits;
	vec_for_each (&chapter->shorts, value)
		if (value->value)
			*vec_add(&rows->shorts) = *value;
	chapter->slices.nr = chapter->waits.nr = chapter->shorts.nr = chapter->filled.nr = 0;
	table_release(&chapter->waits_table);
	table_release(&chapter->shorts_table);
}
