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
}

static void count_wait(struct chapter *chapter, const struct sample *sample, u32 row, u64 ns)
{
	if (sample->state & WICK_STATE_SHORT) {
		while (chapter->shorts.nr <= row)
			vec_add(&chapter->shorts);
		add_to_sum(&chapter->shorts.at[row], ns);
		return;
	}
	while (chapter->waits.nr <= sample->leg) {
		u32 leg = (u32)chapter->waits.nr;

		vec_add(&chapter->waits)->leg = leg;
	}
	add_to_sum(&chapter->waits.at[sample->leg].ns[wait_of(sample)], ns);
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

void chapter_take(struct chapter *chapter, struct recorded *rows)
{
	vec_for_each (&chapter->slices, slice)
		*vec_add(&rows->slices) = *slice;
	vec_for_each (&chapter->waits, waits)
		if (waits->ns[WAIT_BLOCKED] || waits->ns[WAIT_QUEUED] || waits->ns[WAIT_PREEMPTED])
			*vec_add(&rows->waits) = *waits;
	for (u32 i = 0; i < chapter->shorts.nr; i++)
		if (chapter->shorts.at[i])
			*vec_add(&rows->shorts) =
				(struct recorded_value){.row = i, .value = chapter->shorts.at[i]};
	chapter->slices.nr = chapter->waits.nr = chapter->shorts.nr = chapter->filled.nr = 0;
}
