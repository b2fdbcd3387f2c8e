/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counts.h: draining the map of counts without losing an increment.
 *
 * Deleting entries while programs count loses what they add between the read and the delete. So
 * there are two maps: programs count in the one that slot 0 of an outer map holds. Storing the
 * other one there returns, by contract of the system call, when no program uses the old one any
 * more; then it is read and emptied in peace.
 *
 * Since 6.15 the lock of a bucket gives up after a quarter of a second (ETIMEDOUT, EDEADLK), and
 * EBUSY is as old as hash maps: on a virtual CPU that stands still, or where the same bucket is
 * looked at by another tool. A batch ends before such a bucket. It is tried a few times, then it is
 * left: its entries stay in the map, are counted on when programs use that map again, and come
 * with its next drain.
 */
#ifndef COLLECT_KERNEL_COUNTS_H
#define COLLECT_KERNEL_COUNTS_H

#include "base/base.h"
#include "wick.h"

struct counts {
	int outer; /* borrowed */
	int inner[2];
	u32 active;  /* which one programs count in */
	u32 left[2]; /* buckets of each map that the last drain could not read */
	u32 max_keys;
	u32 batch_room;
	struct wick_key *keys;
	struct wick_columns *columns;
};

/* Creates the two maps, each for `max_keys` keys, and puts one into the outer map. */
int counts_init(struct counts *c, int outer_fd, u32 max_keys, struct error *error);
typedef void counts_sink(void *ctx, const struct wick_key *key, const struct wick_columns *columns);

/*
 * After this no program counts in the old map, and what it refers to has been sent. After a
 * failure, programs go on with the map that they have, which is for another time.
 */
int counts_flip(struct counts *c);
/* Hands on and removes what is in the old map; returns how many buckets it had to leave. */
u32 counts_drain(struct counts *c, counts_sink *count, void *ctx);
/* How many buckets of both maps hold something that has not been handed on. */
u32 counts_left(const struct counts *c);
void counts_release(struct counts *c);

#endif
