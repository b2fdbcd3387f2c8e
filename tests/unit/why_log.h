/* SPDX-License-Identifier: GPL-2.0-or-later */
/* why_log.h: a log of blocks, made by hand or by lot. */
#ifndef WICK_WHY_LOG_H
#define WICK_WHY_LOG_H

#include "view_fixture.h"
#include "why.h"

#define _cleanup_pieces_ _cleanup_(why_pieces_release)
#define _cleanup_why_	 _cleanup_(free_why)

enum { THREADS = 40 };

struct log {
	struct profile p;
	u32 leg[THREADS];
	u32 by[THREADS];      /* chains: woken by that thread */
	u32 timer, forked_by; /* by an interrupt; by a fork of thread 1's */
};

static inline void free_why(struct why **why)
{
	why_free(*why);
}

static inline u32 chain_of(struct log *l, enum wick_cause cause, u32 leg)
{
	u32 hop = profile_hop(&l->p, &(struct hop){.cause = cause, .leg = leg});

	return profile_chain(&l->p, &hop, 1, WICK_CHAIN_RUNNING);
}

/* A window from 0 to 1000, and threads that exist all through it. */
static inline void log_init(struct log *l)
{
	profile_init(&l->p);
	l->p.end = 1000;
	for (u32 i = 0; i < THREADS; i++) {
		l->leg[i] = profile_leg(&l->p, &(struct leg){.tid = i + 1});
		l->by[i] = chain_of(l, WICK_BY_TASK, l->leg[i]);
	}
	l->timer = chain_of(l, WICK_BY_INTERRUPT, 0);
	l->forked_by = chain_of(l, WICK_BY_FORK, l->leg[1]);
}

static inline void log_release(struct log *l)
{
	profile_release(&l->p);
}

#define _cleanup_log_ _cleanup_(log_release)

static inline void lives(struct log *l, u32 thread, u64 begin, u64 end, u64 running)
{
	profile_thread(&l->p, &(struct thread_time){.leg = l->leg[thread],
						    .begin = begin,
						    .end = end,
						    .running = running,
						    .ran = running});
}

static inline void blocks(struct log *l, u32 thread, u32 chain, u64 begin, u64 woken, u64 end,
			  u64 ran)
{
	profile_block(&l->p, &(struct block){.leg = l->leg[thread],
					     .chain = chain,
					     .state = 'S',
					     .begin = begin,
					     .woken = woken,
					     .end = end,
					     .ran = ran});
}

#endif
