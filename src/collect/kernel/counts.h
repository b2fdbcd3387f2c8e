/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counts.h: draining the map of counts without losing an increment.
 *
 * Deleting entries while programs count loses what they add between the read and the delete. So
 * there are two maps: programs count in the one that slot 0 of an outer map holds. Storing the
 * other one there returns, by contract of the system call, when no program uses the old one any
 * more; then it is read and emptied in peace.
 */
#ifndef COLLECT_KERNEL_COUNTS_H
#define COLLECT_KERNEL_COUNTS_H

#include "base/base.h"
#include "wick.h"

struct counts {
	int outer; /* borrowed */
	int inner[2];
	u32 active; /* which one programs count in */
	u32 max_keys;
	u32 batch_room;
	struct wick_key *keys;
	struct wick_columns *columns;
};

/* Creates the two maps, each for `max_keys` keys, and puts one into the outer map. */
int counts_init(struct counts *c, int outer_fd, u32 max_keys, struct error *error);
/* After this no program counts in the old map, and what it refers to has been sent. */
int counts_flip(struct counts *c);
/* Hands on and removes everything in the old map. */
int counts_drain(struct counts *c,
		 void (*count)(void *ctx, const struct wick_key *key,
			       const struct wick_columns *columns),
		 void *ctx);
void counts_release(struct counts *c);

#endif
