/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * room.h: gives out runs of units that lie in chunks of equal size, a run within one chunk. Only
 * the accounts: what the units are is the caller's business.
 *
 * The smallest hole that a run fits in is taken, and what is given back becomes one with the holes
 * beside it, so a chunk whose runs have all been given back is whole again.
 */
#ifndef PUBLISH_ROOM_H
#define PUBLISH_ROOM_H

#include "base/vec.h"

struct room_span {
	u32 place; /* chunk number * chunk_size + place in it */
	u32 nr;
};

struct room {
	u32 chunk_size, nr_chunks;
	u32 used;		      /* units */
	VEC_FIELDS(struct room_span); /* holes, by place */
};

void room_init(struct room *r, u32 chunk_size);
void room_release(struct room *r);
/* To try out what would be if. */
struct room room_copy(const struct room *r);
/* One more chunk, all of it a hole. */
void room_grow(struct room *r);
/* False: there is no hole so large. */
bool room_take(struct room *r, u32 nr, u32 *place);
void room_give(struct room *r, u32 place, u32 nr);

#endif
