/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "index.h"
#include "view.h"

/* ---- threads */

/* What a leg is of: its name and cgroup can change. */
static u32 thread_with(struct why *why, struct table *known, const struct leg *leg)
{
	u64 hash = hash_u64(leg->start_ns ^ (u64)leg->tid << 40);
	struct table_probe probe = table_probe(known, hash);
	struct why_thread *t;

	while (table_next(&probe)) {
		t = &why->threads.at[probe.ref];
		if (t->tid == leg->tid && t->start_ns == leg->start_ns)
			return probe.ref;
	}
	table_insert(known, hash, (u32)why->threads.nr);
	t = vec_add(&why->threads);
	t->tid = leg->tid;
	t->start_ns = leg->start_ns;
	t->begin = why->p->begin;
	t->end = why->p->end;
	return (u32)why->threads.nr - 1;
}

static void find_threads(struct why *why)
{
	struct table known = {};

	vec_for_each (&why->p->legs, leg)
		*vec_add(&why->thread_of) = thread_with(why, &known, leg);
	table_release(&known);
	vec_for_each (&why->p->threads, time) {
		struct why_thread *t = &why->threads.at[why->thread_of.at[time->leg]];

		t->begin = time->begin;
		t->end = max(time->begin, time->end);
		t->running = time->running;
		t->followed = t->has_time = true;
	}
	/* Leg 0 is "unknown". */
	why->threads.at[why->thread_of.at[0]].followed = false;
}

/* Chains tell whose child a thread is: the hop after its own is the fork. */
static void find_parents(struct why *why)
{
	const struct profile *p = why->p;

	vec_for_each (&p->chains, chain) {
		const u32 *hops = p->chain_hops.at + chain->first;

		for (u32 i = 1; i < chain->nr; i++) {
			const struct hop *hop = &p->hops.at[hops[i - 1]];
			const struct hop *fork = &p->hops.at[hops[i]];

			if (fork->cause == WICK_BY_FORK && hop->leg)
				why->threads.at[why_thread(why, hop->leg)].parent = fork->leg;
		}
	}
	vec_for_each (&p->blocks, block) {
		const struct hop *hop = why_hop(p, block);

		if (hop && hop->cause == WICK_BY_FORK)
			why->threads.at[why_thread(why, block->leg)].parent = hop->leg;
	}
}

/* ---- entries */

static int compare_entries(const void *a, const void *b, void *ctx)
{
	const struct block *blocks = ctx, *x = &blocks[*(const u32 *)a],
			   *y = &blocks[*(const u32 *)b];

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* What the thread had run in the window before an entry; what has not ended is the last one. */
static u64 ran_before(const struct why_thread *t, const struct block *block)
{
	return block->state & WICK_STATE_STILL && t->has_time ? t->running : block->ran;
}

static void note_times(struct why *why)
{
	vec_reserve(&why->times, why->entries.nr);
	vec_for_each (&why->entries, ref) {
		const struct block *block = &why->p->blocks.at[*ref];
		const struct why_thread *t = &why->threads.at[why_thread(why, block->leg)];

		*vec_add(&why->times) =
			(struct entry_times){block->begin, block->end, ran_before(t, block)};
	}
}

/* Counts each thread's entries, then gives each its place. */
static void sort_entries(struct why *why)
{
	const struct profile *p = why->p;
	u32 first = 0;

	vec_for_each (&p->blocks, block)
		why->threads.at[why_thread(why, block->leg)].nr++;
	vec_for_each (&why->threads, t) {
		t->first = first;
		first += t->nr;
		t->nr = 0;
	}
	vec_reserve(&why->entries, first);
	why->entries.nr = first;
	for (u32 ref = 0; ref < p->blocks.nr; ref++) {
		struct why_thread *t = &why->threads.at[why_thread(why, p->blocks.at[ref].leg)];

		why->entries.at[t->first + t->nr++] = ref;
		t->followed = true;
	}
	vec_for_each (&why->threads, t)
		if (t->nr)
			qsort_r(why->entries.at + t->first, t->nr, sizeof(u32), compare_entries,
				p->blocks.at);
	note_times(why);
}

u32 index_first_after(const struct why *why, const struct why_thread *t, u64 time)
{
	u32 low = 0, high = t->nr;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (why->times.at[t->first + middle].end > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

struct gap index_gap(const struct why *why, const struct why_thread *t, u32 i)
{
	const struct entry_times *times = why->times.at + t->first;
	struct gap gap = {i ? times[i - 1].end : t->begin, i < t->nr ? times[i].begin : t->end, 0};
	u64 ran = i ? times[i - 1].ran : 0, until;

	if (gap.end <= gap.begin)
		gap.end = gap.begin + 1;
	until = i < t->nr ? times[i].ran : t->has_time ? t->running : UINT64_MAX;
	gap.ran = until > ran ? until - ran : 0;
	return gap;
}

/* ---- the index */

struct why *why_new(const struct profile *p)
{
	struct why *why = xcalloc(1, sizeof(*why));

	why->p = p;
	find_threads(why);
	vec_for_each (&p->hops, hop)
		*vec_add(&why->interrupted) = hop_is_interrupt(p, hop);
	find_parents(why);
	sort_entries(why);
	return why;
}

void why_free(struct why *why)
{
	if (!why)
		return;
	vec_release(&why->thread_of);
	vec_release(&why->threads);
	vec_release(&why->entries);
	vec_release(&why->times);
	vec_release(&why->interrupted);
	places_release(&why->places);
	vec_release(&why->classes);
	free(why);
}

u32 why_thread(const struct why *why, u32 leg)
{
	return why->thread_of.at[leg];
}

u32 why_nr_threads(const struct why *why)
{
	return (u32)why->threads.nr;
}

const u32 *why_blocks(const struct why *why, u32 thread, size_t *nr)
{
	*nr = why->threads.at[thread].nr;
	return why->entries.at + why->threads.at[thread].first;
}

const struct hop *why_hop(const struct profile *p, const struct block *block)
{
	const struct chain *chain = &p->chains.at[block->chain];

	return chain->nr ? &p->hops.at[p->chain_hops.at[chain->first]] : NULL;
}

bool why_by_interrupt(const struct why *why, const struct block *block)
{
	const struct hop *hop = why_hop(why->p, block);

	return hop && why->interrupted.at[hop - why->p->hops.at];
}
