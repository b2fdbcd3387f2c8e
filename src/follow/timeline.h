/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h: puts what comes through three channels in order.
 *
 *	ring buffer --bodies--.
 *	                       >-- by time --> processes, profile <-- by id -- counts
 *	perf rings --records--'
 *
 * A body has a meaning at once, for those that come after it and name its id. But the mapping that
 * a user stack outside of files, or a copy of one, is in depends on its time: it waits for the
 * side-band records up to then, and since those of another CPU can come late, for a horizon.
 */
#ifndef FOLLOW_TIMELINE_H
#define FOLLOW_TIMELINE_H

#include "holdings.h"
#include "processes.h"
#include "profile.h"
#include "copies.h"

struct timeline;

struct timeline *timeline_new(struct profile *profile, struct processes *processes,
			      struct copies *walks, struct holdings *holdings);
void timeline_free(struct timeline *t);

/* Copies what a BPF program sent. A record that makes no sense is -EINVAL and ignored. */
int timeline_body(struct timeline *t, const void *body, size_t size);
void timeline_record(struct timeline *t, const struct sideband_record *record);
/* Adds a count; one whose bodies have not come yet waits for them. */
void timeline_count(struct timeline *t, const struct wick_key *key,
		    const struct wick_columns *columns);

/* A copy waits for its time: it may be of a file that BPF does not know yet. */
bool timeline_hurries(const struct timeline *t);
/* Applies everything older than `horizon`, in order. */
void timeline_until(struct timeline *t, u64 horizon);
/*
 * Bodies are kept by id for as long as counts can name them. True when there are so many that the
 * window's epoch should be changed; they are forgotten one call later.
 */
bool timeline_rotate(struct timeline *t);
/* After the last timeline_until(): what still waits for its bodies is counted without them. */
void timeline_finish(struct timeline *t);

u64 timeline_nr_bodies(const struct timeline *t);
u64 timeline_body_bytes(const struct timeline *t);
/* Samples that ended without a stack that they named. */
u64 timeline_lost_stacks(const struct timeline *t);

#endif
