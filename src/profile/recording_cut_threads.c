/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_cut_threads.c: the threads' times in a range of a recording. Over a thread's life they
 * were measured; when it waited is known from its samples, as far as these could be cut.
 *
 * How long a thread had run before each of its blocks was measured, too, from the window's begin
 * on. In a range it is from the range's begin on, at which no block says it:
 *
 *	range.begin   first block ... last block   range.end
 *	      |-- ? --|-------- known --------|-- ? --|
 *
 * What the thread ran in the range, without what is known, is given to both by their lengths.
 */
#include "base/table.h"
#include "recording_cut.h"

struct threads {
	struct table table;
	VEC(struct cut_waits) waits; /* by row of profile.threads */
	VEC(bool) sampled;	     /* has CPU samples in the range */
};

static u64 thread_hash(const struct leg *leg)
{
	return hash_u64(hash_u64((u64)leg->pid << 32 | leg->tid) ^ leg->start_ns);
}

static bool find_thread(const struct threads *t, const struct profile *p, const struct leg *leg,
			u32 *row)
{
	struct table_probe probe = table_probe(&t->table, thread_hash(leg));

	while (table_next(&probe)) {
		const struct leg *other = &p->legs.at[p->threads.at[probe.ref].leg];

		*row = probe.ref;
		if (other->tid == leg->tid && other->pid == leg->pid &&
		    other->start_ns == leg->start_ns && other->host == leg->host)
			return true;
	}
	return false;
}

static void index_threads(struct threads *t, const struct profile *p)
{
	for (u32 i = 0; i < p->threads.nr; i++) {
		table_insert(&t->table, thread_hash(&p->legs.at[p->threads.at[i].leg]), i);
		vec_add(&t->waits);
		vec_add(&t->sampled);
	}
}

/* What was left in an account of short sleeps at the end: it is of all of the thread's life. */
static void spread_short(struct recording_cut *cut, const struct profile *p, u32 sample,
			 const struct thread_time *thread)
{
	struct cut_sum *sum = &cut->ns.at[sample];

	if (p->samples.at[sample].state & WICK_STATE_SHORT)
		*sum = cut_value(cut, sum->all, after_begin(p, thread->begin),
				 after_begin(p, thread->end), dither_of(sample));
}

static void sum_waits(struct threads *t, struct recording_cut *cut, const struct profile *p)
{
	for (u32 i = 0, row; i < cut->ns.nr; i++) {
		const struct sample *sample = &p->samples.at[i];

		if ((sample->kind != WICK_SCHED && sample->kind != WICK_CPU) ||
		    !find_thread(t, p, &p->legs.at[sample->leg], &row))
			continue;
		if (sample->kind == WICK_CPU) {
			t->sampled.at[row] |= sample->column[0] != 0;
			continue;
		}
		spread_short(cut, p, i, &p->threads.at[row]);
		add_cut(&t->waits.at[row].of[wait_of(sample)], &cut->ns.at[i]);
	}
	for (u32 leg = 0, row; leg < cut->unread.nr; leg++)
		for (size_t i = 0; i < NR_WAITS; i++)
			if (cut->unread.at[leg].of[i].all &&
			    find_thread(t, p, &p->legs.at[leg], &row))
				add_cut(&t->waits.at[row].of[i], &cut->unread.at[leg].of[i]);
}

/* The part of what was measured over a thread's life that a sum has in the range. */
static u64 part_of(u64 measured, const struct cut_sum *sum)
{
	u64 until = scaled(measured, min(sum->until, sum->all), sum->all);
	u64 before = scaled(measured, min(sum->before, sum->all), sum->all);

	return sum->all ? until - min(until, before) : 0;
}

/* A thread runs while it does not wait: where it did is known by that, how long was measured. */
static struct cut_sum running_of(const struct cut_sum *life, const struct cut_waits *waits)
{
	struct cut_sum running = *life;

	for (size_t i = 0; i < NR_WAITS; i++) {
		running.before -= min(running.before, waits->of[i].before);
		running.until -= min(running.until, waits->of[i].until);
		running.all -= min(running.all, waits->of[i].all);
	}
	return running.all ? running : *life;
}

static void cut_thread(const struct recording_cut *cut, const struct profile *p,
		       struct thread_time *t, const struct cut_waits *waits)
{
	u64 begin = after_begin(p, t->begin), end = after_begin(p, t->end);
	const struct cut_sum life = cut_value(cut, end - begin, begin, end, 0);
	const struct cut_sum running = running_of(&life, waits);

	t->running = part_of(t->running, &running);
	t->ran = part_of(t->ran, &running);
	t->blocked =
		part_of(t->blocked, waits->of[WAIT_BLOCKED].all ? &waits->of[WAIT_BLOCKED] : &life);
	t->queued =
		part_of(t->queued, waits->of[WAIT_QUEUED].all ? &waits->of[WAIT_QUEUED] : &life);
	t->preempted = part_of(t->preempted,
			       waits->of[WAIT_PREEMPTED].all ? &waits->of[WAIT_PREEMPTED] : &life);
	t->unaccounted = part_of(t->unaccounted, &life);
	t->begin = p->begin + min(max(begin, cut->from), cut->to);
	t->end = p->begin + max(min(end, cut->to), t->begin - p->begin);
}

void cut_threads(struct recording_cut *cut, struct profile *p)
{
	struct threads t = {};
	size_t kept = 0;

	index_threads(&t, p);
	sum_waits(&t, cut, p);
	for (size_t i = 0; i < p->threads.nr; i++)
		cut_thread(cut, p, &p->threads.at[i], &t.waits.at[i]);
	/* One that ended in that slice, before the range, may have samples in it: of no time. */
	for (size_t i = 0; i < p->threads.nr; i++)
		if (t.sampled.at[i] || p->threads.at[i].end > p->threads.at[i].begin)
			p->threads.at[kept++] = p->threads.at[i];
	p->threads.nr = kept;
	table_release(&t.table);
	vec_release(&t.waits);
	vec_release(&t.sampled);
}

/* ---- what it had run before its blocks */

/* Of a thread, by its blocks in the range. */
struct known_running {
	bool any;
	u64 begin, end;		  /* of the first, of the last */
	u64 ran_before, ran_last; /* since the window's begin, up to each */
	u64 base;		  /* up to the range's begin */
};

static void note_block(struct known_running *known, const struct block *block)
{
	u64 begin = block_first(block);

	if (!known->any || begin < known->begin) {
		known->begin = begin;
		known->ran_before = block->ran - min(block->ran, block->ran_between);
	}
	if (!known->any || block->end >= known->end) {
		known->end = block->end;
		known->ran_last = block->ran;
	}
	known->any = true;
}

static void find_base(struct known_running *known, const struct thread_time *t, u64 from)
{
	u64 first = known->begin - min(known->begin, t->begin);
	u64 last = t->end - min(t->end, known->end);
	u64 between = known->ran_last - min(known->ran_last, known->ran_before);
	u64 outside = t->running - min(t->running, between);
	u64 before = first ? min(scaled(outside, first, first + last), first) : 0;

	/* It has begun in the range: all of it is known. */
	if (t->begin > from)
		return;
	known->base = known->ran_before - min(known->ran_before, before);
}

void cut_ran(const struct recording_cut *cut, struct profile *p)
{
	struct threads t = {};
	VEC(struct known_running) known = {};
	u32 row;

	index_threads(&t, p);
	while (known.nr < p->threads.nr)
		vec_add(&known);
	vec_for_each (&p->blocks, block)
		if (find_thread(&t, p, &p->legs.at[block->leg], &row))
			note_block(&known.at[row], block);
	/* From the window's begin on, what the blocks say is of the range. */
	for (size_t i = 0; i < known.nr && cut->from; i++)
		if (known.at[i].any)
			find_base(&known.at[i], &p->threads.at[i], p->begin + cut->from);
	vec_for_each (&p->blocks, block)
		if (find_thread(&t, p, &p->legs.at[block->leg], &row))
			block->ran -= min(block->ran, known.at[row].base);
	table_release(&t.table);
	vec_release(&t.waits);
	vec_release(&t.sampled);
	vec_release(&known);
}
