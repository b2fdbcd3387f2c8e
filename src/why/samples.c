/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * samples.c: which entries of the log a sample's time is of. A sample of waits is a sum over blocks
 * of one thread with the same stacks, state and chain; those that were logged are found by that
 * key, and stand for the others.
 */
#include "index.h"

#include "base/numbers.h"

enum { NS = 1 }; /* column of a sched sample */

/* Words without padding, compared as bytes. */
struct key {
	u32 leg, user, kernel, chain, state;
};

static struct key key_of_sample(const struct sample *s)
{
	return (struct key){s->leg, s->user, s->kernel, s->chain, s->state};
}

static struct key key_of_block(const struct block *b)
{
	return (struct key){b->leg, b->user, b->kernel, b->chain, b->state};
}

/* The row of the sample with that key; UINT32_MAX: there is none. */
static u32 find_sample(const struct table *known, const struct profile *p, const struct key *key)
{
	struct table_probe probe = table_probe(known, hash_bytes(key, sizeof(*key)));

	while (table_next(&probe)) {
		const struct key other = key_of_sample(&p->samples.at[probe.ref]);

		if (!memcmp(&other, key, sizeof(other)))
			return probe.ref;
	}
	return UINT32_MAX;
}

static void add_samples(struct table *known, const struct profile *p)
{
	for (u32 i = 0; i < p->samples.nr; i++) {
		const struct key key = key_of_sample(&p->samples.at[i]);

		if (p->samples.at[i].kind == WICK_SCHED)
			table_insert(known, hash_bytes(&key, sizeof(key)), i);
	}
}

/* Divides a sample's time among its entries, in proportion to what each was counted for. */
static void share_sample(struct why *why, u32 row)
{
	const struct sample_entries *entries = &why->of_sample.at[row];
	u64 ns = why->p->samples.at[row].column[NS], given = 0;
	unsigned __int128 sum = 0, until = 0;

	for (u32 i = 0; i < entries->nr; i++)
		sum += why->p->blocks.at[why->sampled.at[entries->first + i]].counted_block;
	for (u32 i = 0; i < entries->nr; i++) {
		u32 ref = why->sampled.at[entries->first + i];
		u64 share;

		until += why->p->blocks.at[ref].counted_block;
		share = (u64)((double)until / (double)sum * (double)ns);
		share = until == sum ? ns - given : min(share, ns) - given;
		why->stands_for.at[ref] = share;
		given += share;
	}
}

void samples_index(struct why *why)
{
	const struct profile *p = why->p;
	struct table known = {};
	VEC(u32) rows = {}; /* by block */
	u32 first = 0;

	add_samples(&known, p);
	for (size_t i = 0; i < p->samples.nr; i++)
		vec_add(&why->of_sample);
	vec_for_each (&p->blocks, block) {
		const struct key key = key_of_block(block);
		u32 row = block->counted_block ? find_sample(&known, p, &key) : UINT32_MAX;

		*vec_add(&rows) = row;
		*vec_add(&why->stands_for) = block->counted_block;
		if (row != UINT32_MAX)
			why->of_sample.at[row].nr++;
	}
	vec_for_each (&why->of_sample, entries) {
		entries->first = first;
		first += entries->nr;
		entries->nr = 0;
	}
	vec_reserve(&why->sampled, first);
	why->sampled.nr = first;
	for (u32 ref = 0; ref < rows.nr; ref++) {
		struct sample_entries *entries;

		if (rows.at[ref] == UINT32_MAX)
			continue;
		entries = &why->of_sample.at[rows.at[ref]];
		why->sampled.at[entries->first + entries->nr++] = ref;
	}
	for (u32 row = 0; row < why->of_sample.nr; row++)
		share_sample(why, row);
	vec_release(&rows);
	table_release(&known);
}

u64 why_stands_for(const struct why *why, u32 block)
{
	return block_ns(&why->p->blocks.at[block]) ? why->stands_for.at[block] : 0;
}

const u32 *why_sample_blocks(const struct why *why, u32 sample, size_t *nr)
{
	*nr = sample < why->of_sample.nr ? why->of_sample.at[sample].nr : 0;
	return *nr ? why->sampled.at + why->of_sample.at[sample].first : NULL;
}

static enum why_class class_of_state(u32 state)
{
	u32 letter = state & WICK_STATE_LETTER;

	if (letter != 'Q' && letter != 'R')
		return WHY_UNTOLD;
	return state & WICK_STATE_THROTTLED ? WHY_THROTTLED : WHY_CPU;
}

void why_sample_classes(const struct why *why, u32 sample, u64 ns[WHY_UNTOLD + 1])
{
	const struct sample *s = &why->p->samples.at[sample];
	size_t nr;
	const u32 *blocks = why_sample_blocks(why, sample, &nr);

	memset(ns, 0, (WHY_UNTOLD + 1) * sizeof(*ns));
	for (size_t i = 0; i < nr; i++)
		ns[why_class(why, blocks[i])] += why->stands_for.at[blocks[i]];
	if (!nr)
		ns[class_of_state(s->state)] = s->column[NS];
}
