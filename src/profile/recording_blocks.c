/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording_blocks.h"

#include "base/checked.h"
#include "recording_bytes.h"

void blocks_before_release(struct blocks_before *before)
{
	vec_release(&before->legs);
	before->begin = 0;
}

static struct block_before *before_of(struct blocks_before *before, u32 leg)
{
	while (before->legs.nr <= leg)
		vec_add(&before->legs);
	return &before->legs.at[leg];
}

/* Two's complement: what is subtracted here is added there, whatever it is. */
static u64 difference(u64 a, u64 b)
{
	return zigzag((s64)(a - b));
}

static u64 sum(u64 coded, u64 b)
{
	return b + (u64)unzigzag(coded);
}

/* What the samples have of a length: all of it, nothing, or something else. */
enum { COUNTED_ALL, COUNTED_NOTHING, COUNTED_OTHER };

static bool checked_shift(u64 value, u32 bits, u64 *shifted)
{
	*shifted = value << bits;
	return *shifted >> bits == value;
}

static u64 pack_counted(u64 counted, u64 length)
{
	if (counted == length)
		return COUNTED_ALL;
	return counted ? difference(counted, length) + COUNTED_OTHER : COUNTED_NOTHING;
}

static u64 unpack_counted(u64 coded, u64 length)
{
	if (coded < COUNTED_OTHER)
		return coded == COUNTED_ALL ? length : 0;
	return sum(coded - COUNTED_OTHER, length);
}

/* When the thread's last one tells that it begins, and after how much running. */
static u64 expected_begin(const struct blocks_before *before, const struct block_before *last)
{
	return last->is_known ? last->end : before->begin;
}

static u64 expected_ran(const struct block_before *last, u64 begin)
{
	return last->is_known ? last->ran + (begin - last->end) : 0;
}

static void keep(struct blocks_before *before, struct block_before *last, const struct block *block)
{
	*last = (struct block_before){.is_known = true, .end = block->end, .ran = block->ran};
	before->begin = block_first(block);
}

/* Zero bits at the end of all of its times; of those that are so by chance, nothing is made. */
static u32 unit_of(const struct block *block)
{
	const u32 rounded = (u32)__builtin_ctzll(BLOCK_TIME_UNIT_NS);
	u64 bits = block->begin | block->woken | block->end | block->ran | block->counted_block |
		   block->counted_wait | block->between | block->ran_between;
	u32 unit = bits ? (u32)__builtin_ctzll(bits) : 0;

	if (unit < rounded)
		return 0;
	return block->more ? unit : rounded;
}

struct recorded_block pack_block(struct blocks_before *before, const struct block *block)
{
	struct block_before *last = before_of(before, block->leg);
	u64 first = block_first(block), ran = block->ran - block->ran_between;
	u32 unit = unit_of(block);
	u64 blocked = block_ns(block) >> unit, waited = (block->end - block->woken) >> unit;
	struct recorded_block row = {
		.leg = block->leg,
		.user = block->user,
		.kernel = block->kernel,
		.chain = block->chain,
		.state = block->state,
		.begin = difference(first >> unit, expected_begin(before, last) >> unit),
		.blocked = blocked,
		.waited = waited,
		.ran = difference(ran >> unit, expected_ran(last, first) >> unit),
		.counted_block = pack_counted(block->counted_block >> unit, blocked),
		.counted_wait = pack_counted(block->counted_wait >> unit, waited),
		.object = block->object,
		.holder = block->holder,
		.object_kind = block->object_kind,
		.before = block->before,
		.unit = unit,
		.more = block->more,
		.between = block->between >> unit,
		.ran_between = block->ran_between >> unit,
	};

	keep(before, last, block);
	return row;
}

/* Sets times to so many units; false: one is too long. */
static bool times_of(const struct recorded_block *row, struct block *b, u64 first)
{
	u64 blocked, waited;

	if (!checked_shift(row->blocked, row->unit, &blocked) ||
	    !checked_shift(row->waited, row->unit, &waited) ||
	    !checked_shift(row->between, row->unit, &b->between) ||
	    !checked_shift(row->ran_between, row->unit, &b->ran_between))
		return false;
	b->counted_block = unpack_counted(row->counted_block, row->blocked) << row->unit;
	b->counted_wait = unpack_counted(row->counted_wait, row->waited) << row->unit;
	return checked_add(first, b->between, &b->begin) &&
	       checked_add(b->begin, blocked, &b->woken) && checked_add(b->woken, waited, &b->end);
}

bool unpack_block(struct blocks_before *before, const struct recorded_block *row,
		  struct block *block)
{
	struct block_before *last = before_of(before, row->leg);
	struct block b = {
		.leg = row->leg,
		.user = row->user,
		.kernel = row->kernel,
		.chain = row->chain,
		.state = row->state,
		.object = row->object,
		.holder = row->holder,
		.object_kind = row->object_kind,
		.before = row->before,
		.more = row->more,
	};
	u64 first;

	if (row->unit >= 64 || row->more > MOST_IN_SERIES)
		return false;
	first = sum(row->begin, expected_begin(before, last) >> row->unit) << row->unit;
	if (!times_of(row, &b, first))
		return false;
	b.ran = (sum(row->ran, expected_ran(last, first) >> row->unit) << row->unit) +
		b.ran_between;
	keep(before, last, &b);
	*block = b;
	return true;
}
