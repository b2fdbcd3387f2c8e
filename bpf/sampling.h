/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampling.h: which stretches off-CPU are worth a stack walk. Walks are most of what the instrument
 * costs.
 *
 * A stretch of T or longer is always walked, and charged its own time: no stall is missed. Shorter
 * ones add up in the thread's account. When the sum passes a sampling point, the stretch that
 * crossed it is walked and charged the distance between two points; the rest stays in the account.
 * So a stretch is met with a probability that is proportional to its length, and sums are exact.
 * The distance is drawn anew each time, between T / 2 and 3 T / 2, so that periodic work cannot
 * alias.
 *
 * T begins at settings.walk_above and doubles, on each CPU for itself, when the walks of a period
 * exceed a budget, up to 16 times; it comes back when they stay below half of it.
 */
#ifndef SAMPLING_H
#define SAMPLING_H

#include "thread.h"

enum {
	PERIOD_NS = 10 * 1000 * 1000,
	WALKS_A_PERIOD = 20, /* 2,000 a second: 1 to 2 % of a CPU */
};

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

/* Adapts this CPU's T once a period; true when one has begun. */
static __always_inline bool follow_budget(struct wick_sched_cpu *cpu, u64 now)
{
	u32 level = cpu->level;

	if (now - cpu->period < PERIOD_NS)
		return false;
	cpu->period = now;
	cpu->new_legs = 0;
	if (!settings.walk_above)
		return true;
	if (cpu->walks > WALKS_A_PERIOD && level < WICK_THRESHOLDS - 1)
		cpu->level = level + 1;
	else if (cpu->walks < WALKS_A_PERIOD / 2 && level)
		cpu->level = level - 1;
	cpu->walks = 0;
	if (level < WICK_THRESHOLDS)
		cpu->ruled[level] += now - (cpu->level_since ? cpu->level_since : window.begin);
	cpu->level_since = now;
	return true;
}

static __always_inline u64 threshold(const struct wick_sched_cpu *cpu)
{
	return settings.walk_above << (cpu->level & 7);
}

static __always_inline u64 draw(u64 t_now)
{
	return t_now / 2 + (t_now * (bpf_get_prandom_u32() >> 8) >> 24);
}

/*
 * A stretch of `length`: what it is charged, 0 when it went into the account. The account's
 * threshold is the thread's, for all of its accounts.
 */
static __always_inline u64 decide(struct thread *t, struct wick_sched_cpu *cpu, u32 *account,
				  u64 length)
{
	u64 t_now = threshold(cpu), sum, charge;

	if (length >= t_now) {
		cpu->walks++;
		return length;
	}
	sum = *account + length;
	if (!t->above)
		t->above = draw(t_now);
	if (sum < t->above) {
		*account = (u32)sum;
		return 0;
	}
	charge = t->above;
	t->above = draw(t_now);
	/* The next point may be in the same stretch. */
	if (sum - charge >= t->above) {
		charge += t->above;
		t->above = draw(t_now);
	}
	*account = (u32)(sum - charge);
	cpu->walks++;
	return charge;
}

#endif
