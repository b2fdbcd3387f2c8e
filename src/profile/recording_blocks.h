/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_blocks.h: blocks as a recording has them. They are most of its bytes, so what a
 * thread's block before tells of the next one is not written: when it began and how long the thread
 * had run are differences to that one. Each record begins anew, so that a
 * damaged one makes no other one wrong.
 */
#ifndef PROFILE_RECORDING_BLOCKS_H
#define PROFILE_RECORDING_BLOCKS_H

#include "recording_tables.h"

/* A thread's block before, in this record. */
struct block_before {
	bool is_known;
	u64 end, ran;
};

/* Zeroed: a record begins. */
struct blocks_before {
	VEC(struct block_before) legs;
	u64 begin; /* of the row before */
};

enum { MOST_IN_SERIES = 1 << 20 };

void blocks_before_release(struct blocks_before *before);
struct recorded_block pack_block(struct blocks_before *before, const struct block *block);
/* False: its times are none. */
bool unpack_block(struct blocks_before *before, const struct recorded_block *row,
		  struct block *block);

#endif
