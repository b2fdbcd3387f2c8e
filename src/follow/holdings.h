/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holdings.h: which of the memory that processes have asked for they still hold.
 *
 * Every address space has its pieces: ranges that a call has made, by brk() or mmap(), with the
 * sample that the call was counted in. Giving back takes whole pieces, parts, or many at once; a
 * new mapping takes the place of what is there; mremap() moves pieces; an exit or exec drops all of
 * them. Memory from before the window is no piece, and giving it back is nothing.
 *
 * Changes come in the order in which calls returned, which is not quite that in which they were
 * done: the kernel may have handed out memory again that another thread's munmap() has freed and
 * not yet told of. So giving back takes only pieces that are older than the call.
 *
 * The number of pieces is bounded, over all processes; what finds no room is counted as not
 * followed.
 */
#ifndef FOLLOW_HOLDINGS_H
#define FOLLOW_HOLDINGS_H

#include "profile.h"
#include "wick.h"

struct holdings;

/*
 * The profile is the caller's and must outlive it. `max_pieces`: at most; 0: a default, some 20 MB
 * of memory.
 */
struct holdings *holdings_new(struct profile *profile, size_t max_pieces);
void holdings_free(struct holdings *h);

/* Applies a change; `leg` and `user` are the rows of what it names. */
void holdings_change(struct holdings *h, const struct wick_mapping_body *change, u32 leg, u32 user);
/*
 * After the last change: what is held goes into the samples' column HELD_COLUMN, the sums into
 * profile->memory, bytes that were not followed into the losses. Once.
 */
void holdings_finish(struct holdings *h);

#endif
