/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "index.h"
#include "view.h"

/* ---- threads */

/* What a leg is of: its name and cgroup can change. */
static u32 thread_with(struct why *why, struct table *known, const struct leg *leg)
{
	u64 hash = hash_u64(leg->start_ns ^ (u64)leg->tid << 40 ^ leg->host);
	struct table_probe probe = table_probe(known, hash);
	struct why_thread *t;

	while (table_next(&probe)) {
		t = &why->threads.at[probe.ref];
		if (t->tid == leg->tid && t->start_ns == leg->start_ns && t->host == leg->host)
			return probe.ref;
	}
	table_insert(known, hash, (u32)why->threads.nr);
	t = vec_add(&why->threads);
	t->tid = leg->tid;
	t->host = leg->host;
	t->start_ns = leg->start_ns;
	t->begin = why->p->begin;
	t->end = why->p->end;
	return (u32)why->threads.nr - 1;
}

static void take_time(struct why *why, const struct thread_time *time)
{
	struct why_thread *t = &why->threads.at[why->thread_of.at[time->leg]];

	t->begin = time->begin;
	t->end = max(time->begin, time->end);
	t->running = time->running;
	t->followed = t->has_time = true;
}

static void find_threads(struct why *why)
{
	struct table known = {};

	vec_for_each (&why->p->legs, leg)
		*vec_add(&why->thread_of) = thread_with(why, &known, leg);
	table_release(&known);
	vec_for_each (&why->p->threads, time)
		take_time(why, time);
	vec_for_each (&why->p->other_threads, time)
		take_time(why, time);
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

	if (block_first(x) != block_first(y))
		return block_first(x) < block_first(y) ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x < y ? -1 : x > y;
}

/* What the thread had run in the window before an entry; what has not ended is the last one. */
static u64 ran_before(const struct why_thread *t, const struct block *block)
{
	return block->state & WICK_STATE_STILL && t->has_time ? t->running
							      : block->ran - block->ran_between;
}

enum why_what index_how_it_ended(const struct why *why, const struct block *block)
{
	if (why_by_interrupt(why, block))
		return WHY_INTERRUPT;
	if (why_hop(why->p, block) || why_holder(why, block))
		return WHY_RAN;
	return block->state & WICK_STATE_STILL ? WHY_STILL : WHY_UNKNOWN;
}

u32 index_cause(const struct why *why, const struct block *block)
{
	const struct hop *hop = why_hop(why->p, block);

	return hop ? hop->leg : why_holder(why, block);
}

/* Entries that overlap have no time between them. */
static struct gap gap_between(u64 begin, u64 end, u64 ran, u64 until)
{
	return (struct gap){begin, max(begin + 1, end), until > ran ? until - ran : 0};
}

static struct entry entry_of(const struct why *why, const struct why_thread *t, u32 ref,
			     u64 gap_begin)
{
	const struct block *block = &why->p->blocks.at[ref];
	u64 begin = block_first(block);

	return (struct entry){
		.begin = begin,
		.woken = block->woken,
		.end = block->end,
		.gap_begin = gap_begin,
		.gap_ran = gap_between(gap_begin, begin, t->ran_last, ran_before(t, block)).ran,
		.ref = ref,
		.by = index_cause(why, block),
		.what = (u16)index_how_it_ended(why, block),
		.is_series = block->more != 0,
	};
}

static void make_entries_of(struct why *why, struct why_thread *t)
{
	u64 before = t->begin;

	for (u32 i = t->first; i < t->first + t->nr; i++) {
		const struct block *block = &why->p->blocks.at[why->refs.at[i]];

		why->entries[i] = entry_of(why, t, why->refs.at[i], before);
		why->ends.at[i] = block->end;
		before = block->end;
		t->ran_last = ran_before(t, block) + block->ran_between;
	}
}

/* What is searched is read here and there: with huge pages, that misses fewer of the TLB's. */
static void make_entries(struct why *why)
{
	size_t size = (why->refs.nr + 1) * sizeof(struct entry);

	vec_reserve(&why->ends, why->refs.nr);
	why->ends.nr = why->refs.nr;
	why->entries = aligned_alloc(sizeof(struct entry), size);
	if (!why->entries)
		out_of_memory();
	prefer_huge_pages(why->entries, size);
	prefer_huge_pages(why->ends.at, why->ends.nr * sizeof(u64));
	vec_for_each (&why->threads, t)
		make_entries_of(why, t);
}

/* Counts each thread's entries, then gives each its place. */
static void sort_refs(struct why *why)
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
	vec_reserve(&why->refs, first);
	why->refs.nr = first;
	for (u32 ref = 0; ref < p->blocks.nr; ref++) {
		struct why_thread *t = &why->threads.at[why_thread(why, p->blocks.at[ref].leg)];

		why->refs.at[t->first + t->nr++] = ref;
		t->followed = true;
	}
	vec_for_each (&why->threads, t)
		if (t->nr)
			qsort_r(why->refs.at + t->first, t->nr, sizeof(u32), compare_entries,
				p->blocks.at);
}

/* Where an entry of that time would be if they were spread evenly. */
static u32 guess(const struct why_thread *t, u64 time)
{
	double part = time > t->begin ? (double)(time - t->begin) : 0,
	       all = (double)(t->end - t->begin) + 1;

	return (u32)(min(part / all, 0.999) * t->nr);
}

/* From the guess on in growing steps, then by bisection: on average that reads few entries. */
u32 index_first_after(const struct why *why, const struct why_thread *t, u64 time)
{
	const u64 *ends = why->ends.at + t->first;
	u32 low = 0, high = guess(t, time), step = 1;

	if (high < t->nr && ends[high] > time) {
		for (; step <= high && ends[high - step] > time; step *= 2)
			high -= step;
		low = step <= high ? high - step + 1 : 0;
	} else {
		for (low = min(high + 1, t->nr);
		     low + step <= t->nr && ends[low + step - 1] <= time; step *= 2)
			low += step;
		high = min(low + step - 1, t->nr);
	}
	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (ends[middle] > time)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

struct gap index_gap(const struct why *why, const struct why_thread *t, u32 i)
{
	if (i < t->nr) {
		const struct entry *entry = &why->entries[t->first + i];

		return (struct gap){entry->gap_begin, max(entry->begin, entry->gap_begin + 1),
				    entry->gap_ran};
	}
	return gap_between(i ? why->ends.at[t->first + i - 1] : t->begin, t->end, t->ran_last,
			   t->has_time ? t->running : UINT64_MAX);
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
	sort_refs(why);
	futexes_find(why);
	make_entries(why);
	ends_find(why);
	classes_find(why);
	wrappers_find(why);
	samples_index(why);
	vec_for_each (&why->threads, t)
		*vec_add(&why->usual) = (struct usual){.function = UINT32_MAX};
	return why;
}

void why_free(struct why *why)
{
	if (!why)
		return;
	vec_release(&why->thread_of);
	vec_release(&why->threads);
	vec_release(&why->refs);
	free(why->entries);
	vec_release(&why->ends);
	vec_release(&why->interrupted);
	vec_release(&why->other_ends);
	table_release(&why->by_tid);
	vec_release(&why->object_kinds);
	vec_release(&why->holders);
	places_release(&why->places);
	vec_release(&why->classes);
	vec_release(&why->of_sample);
	vec_release(&why->sampled);
	vec_release(&why->stands_for);
	vec_release(&why->usual);
	vec_release(&why->spots);
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
	return why->refs.at + why->threads.at[thread].first;
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
