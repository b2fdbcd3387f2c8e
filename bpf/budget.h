/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * budget.h: what walks may take of a CPU's time. Each CPU keeps budget_ns of every period for
 * itself. The instruments that choose what they walk (sched; fault; brk and mmap) tell each other
 * what they take. What is left for the walks of one is the budget less what its other runs and the
 * other instruments take, but at least a quarter of it.
 *
 * Each has a level, and walks half as often with each level. It rises when the mean of the last
 * periods is above what is left, and falls when it would not be with the next lower one; a burst
 * raises it within the period. It has no upper end that matters. What is not spent is saved, up to
 * a second's share, which a run begins with: so what is rare, and what is new, is walked each
 * time. Where wick's own process takes too much, the budget halves with each of limits.level.
 */
#ifndef BUDGET_H
#define BUDGET_H

#include "meter.h"
#include "share.h"

enum spender {
	SPENDS_SCHED,
	SPENDS_FAULT,
	SPENDS_CALLS,
	NR_SPENDERS,
};

enum {
	PERIODS_OF_MEAN = 8,
	BURST = 4, /* a period may take so many times its share */
	/* Periods' shares: sched's walks are many all the time, the others' come in bursts. */
	SCHED_SAVES = 25,
	MOST_SAVED = 100,
};

/* What a spender took of a period, when it said so last. */
struct share {
	u64 ns, at;
};

struct shares {
	struct share of[NR_SPENDERS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct shares);
} shares __weak SEC(".maps");

/* Tells the others what one takes of a period; returns what they take. */
static __always_inline u64 share(enum spender mine, u64 ns, u64 now)
{
	u32 zero = 0;
	struct shares *all = bpf_map_lookup_elem(&shares, &zero);
	u64 others = 0;

	if (!all)
		return 0;
	all->of[mine] = (struct share){.ns = ns, .at = now};
	for (u32 i = 0; i < NR_SPENDERS; i++)
		if (i != mine && now - all->of[i].at < PERIODS_OF_MEAN * WICK_PERIOD_NS)
			others += all->of[i].ns;
	return others;
}

/* What a budget of `ns` has left for walks when `taken` of it is taken. */
static __always_inline u64 left_for_walks(u64 ns, u64 taken)
{
	return taken < ns - ns / 4 ? ns - taken : ns / 4;
}

static __always_inline void set_level(struct wick_spending *s)
{
	u64 mean = s->mean_walk_ns;

	if (mean > s->left + s->left / 4 && s->level < WICK_LEVELS - 1) {
		s->level++;
		s->mean_walk_ns = mean / 2;
	} else if (mean < s->left * 2 / 5 && s->level) {
		s->level--;
		s->mean_walk_ns = mean * 2;
	}
}

/* The new period begins with what the last ones have left. */
static __always_inline void save(struct wick_spending *s, u64 periods, u64 most)
{
	u64 sum = s->saved + s->left * (periods < most ? periods : most);

	sum = sum > s->walk_ns ? sum - s->walk_ns : 0;
	s->saved = sum < most * s->left ? sum : most * s->left;
}

/*
 * Adapts the level once a period; true when one has begun. A period can be longer than
 * WICK_PERIOD_NS, where nothing happened.
 */
static __always_inline bool next_period(struct wick_spending *s, enum spender mine, u64 now)
{
	u64 since = now - s->period, periods, plain, over, budget;

	if (since < WICK_PERIOD_NS)
		return false;
	periods = since / WICK_PERIOD_NS;
	over = s->walk_ns > s->saved ? s->walk_ns - s->saved : 0;
	budget = budget_ns >> (limits.level & 31);
	if (!s->period)
		s->left = budget;
	save(s, periods, mine == SPENDS_SCHED ? SCHED_SAVES : MOST_SAVED);
	if (periods > PERIODS_OF_MEAN)
		periods = PERIODS_OF_MEAN;
	plain = s->plain_ns / periods;
	s->mean_walk_ns -= s->mean_walk_ns * periods / PERIODS_OF_MEAN;
	/* What it would have been, had the level ruled all through the period. */
	s->mean_walk_ns += (over >> (s->raised & 31)) / PERIODS_OF_MEAN;
	s->left = left_for_walks(budget, plain + share(mine, plain + s->mean_walk_ns, now));
	set_level(s);
	s->raise_at = BURST * s->left + s->saved;
	s->period = now;
	s->walk_ns = s->plain_ns = 0;
	s->raised = 0;
	return true;
}

/* A run has ended, which stands for so many ns: see meter_end(). */
static __always_inline void spend_ns(struct wick_spending *s, bool walked, u64 ns)
{
	if (!walked) {
		s->plain_ns += ns;
		return;
	}
	s->walk_ns += ns;
	if (s->walk_ns <= s->raise_at)
		return;
	s->raise_at += BURST * s->left << (s->raised & 31);
	if (s->level >= WICK_LEVELS - 1)
		return;
	s->level++;
	s->raised++;
}

#endif
