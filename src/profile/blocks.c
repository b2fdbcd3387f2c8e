/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocks.c: the log of blocks. In memory it has a bound: when that is reached, the shorter half
 * goes, and what is as short as that is refused from then on. So what is left is the longest of the
 * run, and the same whatever came first. A recording gets every block of a slice before that: its
 * late hours are as full as its first.
 */
#include "profile.h"
#include "base/numbers.h"

enum { SAMPLED_LENGTHS = 1024 };

/* Of a series, of one of them. */
static u64 length_of(const struct block *block)
{
	return (block->end - block->begin) / block_nr(block);
}

static int compare_lengths(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* The median of the lengths, or close to it. */
static u64 middle_length(const struct profile *p)
{
	size_t step = p->blocks.nr / SAMPLED_LENGTHS + 1;
	VEC(u64) lengths = {};
	u64 middle;

	for (size_t i = 0; i < p->blocks.nr; i += step)
		*vec_add(&lengths) = length_of(&p->blocks.at[i]);
	vec_sort(&lengths, compare_lengths);
	middle = lengths.nr ? lengths.at[lengths.nr / 2] : 0;
	vec_release(&lengths);
	return middle;
}

static void drop_shorter_half(struct profile *p)
{
	size_t kept = 0;

	p->shortest_block = middle_length(p) + 1;
	vec_for_each (&p->blocks, block) {
		if (length_of(block) >= p->shortest_block)
			p->blocks.at[kept++] = *block;
		else
			p->dropped_blocks += block_nr(block);
	}
	p->blocks.nr = kept;
}

void profile_block(struct profile *p, const struct block *block)
{
	if (p->slice.wanted)
		*vec_add(&p->slice.blocks) = *block;
	if (p->blocks.nr && p->blocks.nr >= p->most_blocks)
		drop_shorter_half(p);
	if (length_of(block) < p->shortest_block) {
		p->dropped_blocks += block_nr(block);
		return;
	}
	*vec_add(&p->blocks) = *block;
}

u64 profile_log_above(const struct profile *p)
{
	return p->slice.wanted ? 0 : p->shortest_block;
}

/* ---- whose */

typedef bool keeps_leg(const void *ctx, const struct profile *p, u32 leg);

static bool is_kept(const struct profile *p, u32 leg, keeps_leg *keeps, const void *ctx)
{
	return !p->legs.at[leg].left_out && (!keeps || keeps(ctx, p, leg));
}

static void set_blocks_apart(struct profile *p, keeps_leg *keeps, const void *ctx)
{
	size_t nr_chosen = profile_nr_chosen(p), kept = 0;
	VEC(struct block) others = {};

	for (size_t i = 0; i < p->blocks.nr; i++) {
		const struct block block = p->blocks.at[i];

		if (i < nr_chosen && is_kept(p, block.leg, keeps, ctx))
			p->blocks.at[kept++] = block;
		else
			*vec_add(&others) = block;
	}
	p->blocks.nr = kept;
	p->nr_other_blocks = others.nr;
	vec_for_each (&others, block)
		*vec_add(&p->blocks) = *block;
	vec_release(&others);
}

void profile_set_apart(struct profile *p, keeps_leg *keeps, const void *ctx)
{
	size_t kept = 0;

	set_blocks_apart(p, keeps, ctx);
	vec_for_each (&p->threads, time) {
		if (is_kept(p, time->leg, keeps, ctx))
			p->threads.at[kept++] = *time;
		else
			*vec_add(&p->other_threads) = *time;
	}
	p->threads.nr = kept;
}

/* ---- the longest */

/* Kernel threads sleep for days when there is nothing to do. */
static bool may_be_listed(const struct profile *p, const struct block *block)
{
	u32 letter = block->state & WICK_STATE_LETTER;

	if (letter == 'Q' || letter == 'R' || block->state & WICK_STATE_NEVER_RAN)
		return false;
	return p->legs.at[block->leg].kind == WICK_USER_THREAD || letter == 'D';
}

static bool is_longer(const struct block *a, const struct block *b)
{
	u64 x = block_ns(a) / block_nr(a), y = block_ns(b) / block_nr(b);

	if (x != y)
		return x > y;
	if (a->begin != b->begin)
		return a->begin < b->begin;
	return a->leg < b->leg;
}

size_t profile_longest(const struct profile *p, const struct block *longest[NR_LONGEST])
{
	size_t nr = 0;

	for (size_t ref = 0; ref < profile_nr_chosen(p); ref++) {
		const struct block *block = &p->blocks.at[ref];
		size_t at = nr;

		if (!may_be_listed(p, block))
			continue;
		while (at && is_longer(block, longest[at - 1]))
			at--;
		if (at == NR_LONGEST)
			continue;
		nr += nr < NR_LONGEST;
		for (size_t i = nr - 1; i > at; i--)
			longest[i] = longest[i - 1];
		longest[at] = block;
	}
	return nr;
}
