/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wakers.h: the threads and interrupts that ended waits, above the stacks that waited. */
#ifndef VIEW_WAKERS_H
#define VIEW_WAKERS_H

#include "stacks.h"

/* Did a wakeup end it, that may be known? */
bool sched_ended_by_wakeup(u32 state);
/* Where a thread did a wakeup: its user stack, then its kernel stack down to that. */
void frames_add_woke(struct frames *f, struct profile *p, u32 user, u32 kernel);
/* `--`, and a waker from leaf to root. */
void frames_add_cause(struct frames *f, struct profile *p, const struct hop *hop,
		      const struct view_options *options);
/*
 * The first `depth` wakers of a chain, and why that has no more. It ends with an interrupt, which
 * no task causes: the one that it came upon is a bystander, and so are the hops of that.
 */
void frames_add_causes(struct frames *f, struct profile *p, u32 chain,
		       const struct view_options *options, u32 depth);

#endif
