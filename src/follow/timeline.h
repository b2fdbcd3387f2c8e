/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timeline.h: puts what comes through three channels in order.
 *
 *	ring buffer --bodies--.
 *	                       >-- by time --> processes, profile <-- by id -- counts
 *	perf rings --records--'
 *
 * Bodies mean something at once, to those that come behind them and name their ids. But what a user stack outside of files,
 * or a copy of one, is in depends on what was mapped at its time: it waits for the side-band records up to
 * then, and since those of another CPU can come late, for the horizon.
 */
#ifndef FOLLOW_TIMELINE_H
#define FOLLOW_TIMELINE_H

#include "holdings.h"
#include "processes.h"
#include "profile.h"
#include "copies.h"

struct follow;

struct follow *follow_new(struct profile *profile, struct processes *processes, struct walks *walks,
			  struct holdings *holdings);
void follow_free(struct follow *f);

/* Copies what a BPF program sent. A record that makes no sense is -EINVAL and ignored. */
int follow_body(struct follow *f, const void *body, size_t size);
void follow_record(struct follow *f, const struct sideband_record *record);
/* Adds a count; one whose bodies have not come yet waits for them. */
void follow_count(struct follow *f, const struct wick_key *key, const struct wick_columns *columns);

/* A copy waits for its time: it may be of a file that BPF does not know yet. */
bool follow_hurries(const struct follow *f);
/* Applies everything older than `horizon`, in order. */
void follow_until(struct follow *f, u64 horizon);
/*
 * Bodies are kept by id for as long as counts can name them. True when there are so many that the window's
 * epoch should be changed; they are forgotten one call later.
 */
bool follow_rotate(struct follow *f);
/* After the last follow_until(): what still waits for its bodies is counted without them. */
void follow_finish(struct follow *f);

u64 follow_nr_bodies(const struct follow *f);
u64 follow_body_bytes(const struct follow *f);
/* Samples that ended without a stack that they named. */
u64 follow_lost_stacks(const struct follow *f);

#endif
