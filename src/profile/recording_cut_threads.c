/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_cut_threads.c: the threads' times in a range of a recording. Over a thread's life they
 * were measured; when it waited is known from its samples, as far as these could be cut.
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
		    other->start_ns == leg->start_ns)
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
