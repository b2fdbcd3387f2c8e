/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bodies.h: what the ids mean that BPF programs count by: a body tells it once, and makes a row of
 * the profile.
 *
 * What a body refers to has come before it, whatever their times say: another CPU may have sent
 * that. So ids mean something at once. Only what a user stack outside of files is in, and a copy of
 * one, depends on what was mapped at its time: those have a row that is filled later.
 */
#ifndef FOLLOW_BODIES_H
#define FOLLOW_BODIES_H

#include "holdings.h"
#include "processes.h"
#include "profile.h"
#include "copies.h"

struct bodies;

struct bodies *bodies_new(struct profile *profile, struct processes *processes,
			  struct copies *walks, struct holdings *holdings);
void bodies_free(struct bodies *b);

/*
 * Takes a body of `size` bytes; what is used of them comes back in it. -EINVAL: it makes no sense.
 * 1: its stack's row, *row, is to be filled when its time has come.
 */
int bodies_take(struct bodies *b, const struct wick_body *body, size_t *size, u32 *row);
/* `exec_pending`: its process execs between the body's time and now. */
void bodies_fill(struct bodies *b, const struct wick_body *body, u32 row, bool exec_pending);
/* The process that it is about, for bodies_fill(). */
u32 bodies_pid(const struct wick_body *body);

/*
 * A hop, a chain, a block or a thread's account that names a body which has not come waits for it.
 * The first applies those that are complete by now, the second all; returns how many of those that
 * it has applied lack something.
 */
void bodies_retry(struct bodies *b);
u64 bodies_finish(struct bodies *b);

/*
 * Adds a count to the profile. False when it names what has not come yet; at the last chance it is
 * counted without that, and *lost_stacks says how many there were.
 */
bool bodies_count(struct bodies *b, const struct wick_key *key, const struct wick_columns *columns,
		  bool last_chance, u64 *lost_stacks);

/* True when so many are known that a new epoch should begin; they are forgotten one call later. */
bool bodies_rotate(struct bodies *b);

#endif
