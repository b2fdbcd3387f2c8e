/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * counts.h: draining the map of counts without losing an increment.
 *
 * Deleting entries while programs count loses what they add between the read and the delete. So
 * there are two maps, one for each generation, of which programs count in one. User space stores
 * the other generation, and waits until no program is at work that began with the old one:
 * bpf/slots.h says how it knows. Then the old map is read and emptied in peace. Nothing waits for
 * the kernel's RCU here, which a busy host can hold up for half a minute.
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

struct bpf_map;

/* The maps of bpf/count.h and bpf/slots.h. */
struct counts_maps {
	struct bpf_map *counts[2], *slots;
};

/* Embedded. The maps and the generation are the skeleton's. */
struct counts {
	int map[2];
	u32 *generation;		/* which of them programs count in */
	const struct wick_slots *slots; /* a row a CPU, mapped */
	u32 nr_slots;
	bool is_waiting; /* for programs that use the old map */
	u32 left[2];	 /* buckets of each map that the last drain could not read */
	u32 max_keys;
	u32 batch_room;
	struct wick_key *keys;
	struct wick_columns *columns;
};

/* Before they are loaded. */
void counts_set_sizes(struct counts_maps maps, u32 max_keys);
/* When they are; `generation` is bpf/slots.h's. A negative errno. */
int counts_init(struct counts *c, struct counts_maps maps, u32 *generation, struct error *error);
typedef void counts_sink(void *ctx, const struct wick_key *key, const struct wick_columns *columns);

/*
 * 0: no program counts in the old map any more, and what it refers to has been sent. -EAGAIN, after
 * a few milliseconds: one still might; programs count in the new map, and the next call goes on
 * waiting.
 */
int counts_flip(struct counts *c);
/* The last flip has returned -EAGAIN. */
bool counts_wait(const struct counts *c);
/* How many programs are at work that can use the old map. */
u32 counts_used(const struct counts *c);
/* Hands on and removes what is in the old map; returns how many buckets it had to leave. */
u32 counts_drain(struct counts *c, counts_sink *count, void *ctx);
/* How many buckets of both maps hold something that has not been handed on. */
u32 counts_left(const struct counts *c);
void counts_release(struct counts *c);

#endif
