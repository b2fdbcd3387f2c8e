/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording_tables.h"

enum {
	COUNT,
	SECOND,
	PAGE = 4096, /* bytes, of most faults on most machines */
};

/* ---- what the log says */

void logged_times_release(struct logged_times *times)
{
	vec_release(&times->rows);
	table_release(&times->table);
}

/* Without the padding before `ns`. */
enum { KEY_SIZE = offsetof(struct logged_time, chain) + sizeof(u32) };

static struct logged_time *find(const struct logged_times *times, const struct logged_time *key)
{
	struct table_probe probe = table_probe(&times->table, hash_bytes(key, KEY_SIZE));

	while (table_next(&probe))
		if (!memcmp(&times->rows.at[probe.ref], key, KEY_SIZE))
			return &times->rows.at[probe.ref];
	return NULL;
}

static void add_time(struct logged_times *times, const struct logged_time *key)
{
	struct logged_time *row = find(times, key);

	if (row) {
		row->ns += key->ns;
		return;
	}
	table_insert(&times->table, hash_bytes(key, KEY_SIZE), (u32)times->rows.nr);
	*vec_add(&times->rows) = *key;
}

/* The wait for a CPU is its own sample's, which has no waker. */
void logged_times_add(struct logged_times *times, const struct block *block)
{
	struct logged_time key = {
		.state = block->state,
		.leg = block->leg,
		.user = block->user,
		.kernel = block->kernel,
		.chain = block->chain,
		.ns = block->counted_block,
	};
	bool preempted = (block->state & WICK_STATE_LETTER) == 'R';

	if (block->counted_block)
		add_time(times, &key);
	if (!block->counted_wait)
		return;
	key.state &= ~(u32)(WICK_STATE_LETTER | WICK_STATE_IO);
	key.state |= preempted ? 'R' : 'Q';
	key.chain = 0;
	key.ns = block->counted_wait;
	add_time(times, &key);
}

static u64 logged_ns(const struct expecting *e, const struct sample *sample)
{
	const struct logged_time key = {
		.state = sample->state,
		.leg = sample->leg,
		.user = sample->user,
		.kernel = sample->kernel,
		.chain = sample->chain,
	};
	const struct logged_time *row = find(e->logged, &key);

	return row ? row->ns : 0;
}

/* ---- columns */

/* NULL: a file has counts before it has samples, which is not for us to say. */
static const struct sample *counted_sample(const struct expecting *e,
					   const struct slice_sample *count)
{
	return count->sample < e->p->samples.nr ? &e->p->samples.at[count->sample] : NULL;
}

u64 expected_count(const struct column_place *at)
{
	const struct slice_sample *count = at->row;
	const struct sample *sample = counted_sample(at->expecting, count);

	if (!sample)
		return 0;

	switch (sample->kind) {
	case WICK_SCHED:
		return logged_ns(at->expecting, sample);
	case WICK_FAULT:
		return PAGE * count->column[COUNT];
	default:
		return 0;
	}
}

/* A block that was the only one is the longest. */
u64 expected_longest(const struct column_place *at)
{
	const struct slice_sample *count = at->row;
	const struct sample *sample = counted_sample(at->expecting, count);

	return sample && sample->kind == WICK_SCHED && count->column[COUNT] == 1
		       ? count->column[SECOND]
		       : 0;
}

u64 expected_leg_start(const struct column_place *at)
{
	const struct leg *leg = at->row;

	return at->expecting->p->images.at[leg->image].start_ns;
}

u64 expected_tid(const struct column_place *at)
{
	const struct leg *leg = at->row;

	return leg->pid;
}

u64 expected_thread_begin(const struct column_place *at)
{
	const struct thread_time *t = at->row;

	return t->end - t->running - t->queued - t->preempted - t->blocked - t->unaccounted;
}

u64 expected_thread_ran(const struct column_place *at)
{
	const struct thread_time *t = at->row;

	return t->running;
}

u64 expected_object_kind(const struct column_place *at)
{
	const struct recorded_block *block = at->row;

	return at->expecting->p->objects.at[block->object].kind;
}
