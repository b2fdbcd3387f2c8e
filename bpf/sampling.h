/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampling.h: which stretches off-CPU are worth a stack walk. Walks are most of what the
 * instrument costs.
 *
 * A stretch of T or longer is always walked, and charged its own time. Shorter ones add up in the
 * thread's account. When the sum passes a sampling point, the stretch that crossed it is walked
 * and charged the distance between two points; the rest stays in the account. So a stretch is met
 * with a probability that is proportional to its length, and sums are exact. The distance is drawn
 * anew each time, between T / 2 and 3 T / 2, so that periodic work cannot alias.
 *
 * T begins at settings.walk_above. Each CPU keeps a budget of time for itself: what walks take is
 * held against what the runs that do not walk have left of it, but at least against a quarter. T
 * doubles when the mean of the last periods is above that, and comes back when it would not be
 * with half of T; a burst doubles it within the period. It has no upper end that matters.
 * Therefore a stall is walked whatever T is: a stretch of LONG_NS or more that is clearly longer
 * than any of its thread so far. Those are few, and not in the budget.
 */
#ifndef SAMPLING_H
#define SAMPLING_H

#include "meter.h"
#include "thread.h"

enum { LONG_NS = 100 * 1000 * 1000 };

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct wick_sched_cpu);
} sched_cpus __weak SEC(".maps");

static __always_inline struct wick_sched_cpu *this_sched_cpu(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&sched_cpus, &zero);
}

/* What a budget of `ns` has left for walks when the other runs took `plain` of it. */
static __always_inline u64 left_for_walks(u64 ns, u64 plain)
{
	return plain < ns - ns / 4 ? ns - plain : ns / 4;
}

enum {
	PERIODS_OF_MEAN = 8,
	BURST = 4, /* a period may take so many times its share */
};

static __always_inline void set_level(struct wick_sched_cpu *cpu, u64 left)
{
	u64 mean = cpu->mean_walk_ns;

	if (mean > left + left / 4 && cpu->level < WICK_LEVELS - 1) {
		cpu->level++;
		cpu->mean_walk_ns = mean / 2;
	} else if (mean < left * 2 / 5 && cpu->level) {
		cpu->level--;
		cpu->mean_walk_ns = mean * 2;
	}
}

/*
 * Adapts this CPU's T once a period; true when one has begun. It can be longer than a period,
 * where nothing happened.
 */
static __always_inline bool follow_budget(struct wick_sched_cpu *cpu, u64 now)
{
	u64 periods = (now - cpu->period) / WICK_PERIOD_NS, left;
	u32 level = cpu->level;

	if (!periods)
		return false;
	if (level < WICK_LEVELS)
		cpu->ruled[level] += now - (cpu->period ? cpu->period : window.begin);
	if (periods > PERIODS_OF_MEAN)
		periods = PERIODS_OF_MEAN;
	left = left_for_walks(settings.budget, cpu->plain_ns / periods);
	cpu->mean_walk_ns -= cpu->mean_walk_ns * periods / PERIODS_OF_MEAN;
	/* What it would have been, had the level ruled all through the period. */
	cpu->mean_walk_ns += (cpu->walk_ns >> (cpu->raised & 31)) / PERIODS_OF_MEAN;
	set_level(cpu, left);
	cpu->raise_at = BURST * left;
	cpu->period = now;
	cpu->walk_ns = cpu->plain_ns = 0;
	cpu->new_legs = cpu->raised = 0;
	return true;
}

/* A run has ended, which stands for so many ns: see meter_end(). */
static __always_inline void spend(struct wick_sched_cpu *cpu, bool walked, u64 ns)
{
	u32 level;

	if (!walked) {
		cpu->plain_ns += ns;
		return;
	}
	cpu->walk_ns += ns;
	if (cpu->walk_ns <= cpu->raise_at)
		return;
	cpu->raise_at *= 2;
	level = cpu->level + 1;
	barrier_var(level);
	if (level >= WICK_LEVELS)
		return;
	cpu->level = level;
	cpu->raised++;
	cpu->ruled[level]++; /* so that it is known to have ruled at all */
}

/* May what is not necessary be done in this period? */
static __always_inline bool within_budget(const struct wick_sched_cpu *cpu)
{
	return !settings.walk_above || cpu->walk_ns < cpu->raise_at;
}

static __always_inline u64 threshold(const struct wick_sched_cpu *cpu)
{
	u64 most = 1ull << 38; /* 275 s; what is drawn below has 64 bits */
	u64 t = settings.walk_above << (cpu->level & 31);

	return t < most ? t : most;
}

static __always_inline u64 draw(u64 t_now)
{
	return t_now / 2 + (t_now * (bpf_get_prandom_u32() >> 8) >> 24);
}

/* Is a stretch clearly the longest of its thread so far? */
static __always_inline bool is_new_stall(struct thread *t, u64 length)
{
	if (length < LONG_NS || length < t->stall)
		return false;
	t->stall = length + length / 8;
	t->is_stall = 1;
	return true;
}

/*
 * A stretch of `length`: what it is charged, 0 when it went into the account. The account's
 * threshold is the thread's, for all of its accounts.
 */
static __always_inline u64 decide(struct thread *t, struct wick_sched_cpu *cpu, u64 *account,
				  u64 length)
{
	u64 t_now = threshold(cpu), sum, charge;

	t->is_stall = 0;
	if (length >= t_now || is_new_stall(t, length))
		return length;
	sum = *account + length;
	if (!t->above || t->above > 2 * t_now) /* T has fallen since it was drawn */
		t->above = draw(t_now);
	if (sum < t->above) {
		*account = sum;
		return 0;
	}
	charge = t->above;
	t->above = draw(t_now);
	/* The next point may be in the same stretch. */
	if (sum - charge >= t->above) {
		charge += t->above;
		t->above = draw(t_now);
	}
	/* What has come together under a higher T is charged as a whole. */
	if (sum - charge > 2 * t_now)
		charge = sum;
	*account = sum - charge;
	return charge;
}

#endif
