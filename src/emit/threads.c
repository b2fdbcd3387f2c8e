/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "threads.h"

void threads_release(struct threads *t)
{
	vec_release(&t->legs);
	vec_release(&t->of_leg);
	table_release(&t->table);
}

const struct leg *threads_leg(const struct threads *t, u32 leg)
{
	static const struct leg unknown;

	return t->profile ? &t->profile->legs.at[leg] : &unknown;
}

static bool same_thread(const struct leg *a, const struct leg *b)
{
	return a->pid == b->pid && a->tid == b->tid && a->start_ns == b->start_ns;
}

static u32 find(struct threads *t, u32 ref)
{
	const struct leg *leg = threads_leg(t, ref);
	u64 hash = hash_u64(hash_u64((u64)leg->pid << 32 | leg->tid) ^ leg->start_ns);
	struct table_probe probe = table_probe(&t->table, hash);

	while (table_next(&probe)) {
		u32 other = t->legs.at[probe.ref];

		if (!other == !ref && same_thread(threads_leg(t, other), leg))
			return probe.ref;
	}
	table_insert(&t->table, hash, (u32)t->legs.nr);
	*vec_add(&t->legs) = ref;
	return (u32)t->legs.nr - 1;
}

u32 threads_of(struct threads *t, u32 leg)
{
	while (t->of_leg.nr <= leg)
		*vec_add(&t->of_leg) = 0;
	if (!t->of_leg.at[leg]) {
		u32 thread = find(t, leg);

		t->legs.at[thread] = max(t->legs.at[thread], leg);
		t->of_leg.at[leg] = thread + 1;
	}
	return t->of_leg.at[leg] - 1;
}

struct by_thread by_thread(const u32 *thread, size_t nr, size_t nr_threads)
{
	struct by_thread b = {
		.things = xcalloc(nr, sizeof(*b.things)),
		.first = xcalloc(nr_threads + 1, sizeof(*b.first)),
	};
	_cleanup_free_ size_t *next = xcalloc(nr_threads, sizeof(*next));

	for (size_t i = 0; i < nr; i++)
		if (thread[i] != NO_THREAD)
			b.first[thread[i] + 1]++;
	for (size_t t = 0; t < nr_threads; t++) {
		b.first[t + 1] += b.first[t];
		next[t] = b.first[t];
	}
	for (size_t i = 0; i < nr; i++)
		if (thread[i] != NO_THREAD)
			b.things[next[thread[i]]++] = (u32)i;
	return b;
}

void by_thread_release(struct by_thread *b)
{
	free(b->things);
	free(b->first);
}
