/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording_tables.h"

enum {
	COUNT,
	SECOND,
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

/* ---- what counts say of threads */

void counted_waits_release(struct counted_waits *waits)
{
	vec_release(&waits->rows);
	table_release(&waits->table);
}

/* A thread may have several legs: it has changed its name, or its cgroup. */
static u64 hash_thread(const struct leg *leg)
{
	return hash_u64(leg->start_ns ^ hash_u64((u64)leg->host << 32 | leg->tid));
}

static struct counted_wait *find_wait(const struct counted_waits *waits, const struct leg *leg)
{
	struct table_probe probe = table_probe(&waits->table, hash_thread(leg));

	while (table_next(&probe)) {
		struct counted_wait *wait = &waits->rows.at[probe.ref];

		if (wait->tid == leg->tid && wait->start_ns == leg->start_ns &&
		    wait->host == leg->host)
			return wait;
	}
	return NULL;
}

static struct counted_wait *wait_of_leg(struct counted_waits *waits, const struct leg *leg)
{
	struct counted_wait *wait = find_wait(waits, leg);

	if (wait)
		return wait;
	table_insert(&waits->table, hash_thread(leg), (u32)waits->rows.nr);
	wait = vec_add(&waits->rows);
	wait->tid = leg->tid;
	wait->start_ns = leg->start_ns;
	wait->host = leg->host;
	return wait;
}

static void add_wait(struct counted_wait *to, const struct sample *sample, u64 ns)
{
	switch (wait_of(sample)) {
	case WAIT_QUEUED:
		to->queued += ns;
		return;
	case WAIT_PREEMPTED:
		to->preempted += ns;
		return;
	default:
		to->blocked += ns;
	}
}

void counted_waits_set(struct counted_waits *waits, const struct profile *p,
		       const struct slice_sample *counts, size_t nr)
{
	counted_waits_release(waits);
	for (size_t i = 0; i < nr; i++) {
		const struct sample *sample = &p->samples.at[counts[i].sample];

		if (sample->kind == WICK_SCHED)
			add_wait(wait_of_leg(waits, &p->legs.at[sample->leg]), sample,
				 counts[i].column[SECOND]);
	}
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
		return RECORDED_PAGE * count->column[COUNT];
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

static struct counted_wait waits_of_thread(const struct column_place *at)
{
	const struct thread_time *t = at->row;
	const struct expecting *e = at->expecting;
	const struct counted_wait *wait = find_wait(e->waits, &e->p->legs.at[t->leg]);

	return wait ? *wait : (struct counted_wait){};
}

u64 expected_queued(const struct column_place *at)
{
	return waits_of_thread(at).queued;
}

u64 expected_preempted(const struct column_place *at)
{
	return waits_of_thread(at).preempted;
}

u64 expected_blocked(const struct column_place *at)
{
	return waits_of_thread(at).blocked;
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

bool counts_bytes(const struct column_place *at)
{
	const struct sample *sample = counted_sample(at->expecting, at->row);

	return sample && sample->kind != WICK_CPU && sample->kind != WICK_SCHED;
}

u64 expected_object_kind(const struct column_place *at)
{
	const struct recorded_block *block = at->row;

	return at->expecting->p->objects.at[block->object].kind;
}
