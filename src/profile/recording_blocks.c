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

/* When it is expected to begin, and after how much running. */
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
	*last = (struct block_before){
		.is_known = true, .end = block->end, .ran = block->ran, .object = block->object};
	before->begin = block->begin;
}

struct recorded_block pack_block(struct blocks_before *before, const struct block *block)
{
	struct block_before *last = before_of(before, block->leg);
	u64 blocked = block->woken - block->begin, waited = block->end - block->woken;
	struct recorded_block row = {
		.leg = block->leg,
		.user = block->user,
		.kernel = block->kernel,
		.chain = block->chain,
		.state = block->state,
		.begin = difference(block->begin, expected_begin(before, last)),
		.blocked = blocked,
		.waited = waited,
		.ran = difference(block->ran, expected_ran(last, block->begin)),
		.counted_block = pack_counted(block->counted_block, blocked),
		.counted_wait = pack_counted(block->counted_wait, waited),
		.object = difference(block->object, last->object),
		.object_kind = block->object_kind,
		.before = block->before,
	};

	keep(before, last, block);
	return row;
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
		.begin = sum(row->begin, expected_begin(before, last)),
		.counted_block = unpack_counted(row->counted_block, row->blocked),
		.counted_wait = unpack_counted(row->counted_wait, row->waited),
		.object = sum(row->object, last->object),
		.object_kind = row->object_kind,
		.before = row->before,
	};

	b.ran = sum(row->ran, expected_ran(last, b.begin));
	if (!checked_add(b.begin, row->blocked, &b.woken) ||
	    !checked_add(b.woken, row->waited, &b.end))
		return false;
	keep(before, last, &b);
	*block = b;
	return true;
}
