/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampling.h: which stretches off-CPU are worth a stack walk. Walks are most of what the
 * instrument costs.
 *
 * A stretch of T or longer is always walked. Shorter ones add up in the thread's account, and one
 * that is drawn by lot is walked and charged for all of them: lot.h.
 *
 * T begins at settings.walk_above, and doubles with each level of the budget (budget.h). It has no
 * upper end that matters. Therefore a stall is walked whatever T is: a stretch of LONG_NS or more
 * that is clearly longer than any of its thread so far. Those are few, and not in the budget.
 */
#ifndef SAMPLING_H
#define SAMPLING_H

#include "budget.h"
#include "lot.h"
#include "thread.h"

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
	u64 since = cpu->spending.period;
	u32 level = cpu->spending.level;

	if (!next_period(&cpu->spending, SPENDS_SCHED, now))
		return false;
	if (level < WICK_LEVELS)
		cpu->ruled[level] += now - (since ? since : window.begin);
	cpu->new_legs = 0;
	return true;
}

static __always_inline void spend(struct wick_sched_cpu *cpu, bool walked, u64 ns)
{
	u32 level = cpu->spending.level;

	spend_ns(&cpu->spending, walked, ns);
	if (cpu->spending.level == level)
		return;
	level = cpu->spending.level;
	barrier_var(level);
	if (level < WICK_LEVELS)
		cpu->ruled[level]++; /* so that it is known to have ruled at all */
}

/*
 * The end of a program's run that began `now`. The walk of a stall is outside of the budget, and so
 * is the run for a bystander that walks nothing (strangers.h).
 */
static __always_inline void end_run(struct wick_sched_cpu *cpu, u32 row, bool walked, bool is_stall,
				    u64 now)
{
	u64 ns = meter_end(row, walked, now);

	if (!is_stall && (walked || !cpu->for_bystander))
		spend(cpu, walked, ns);
}

/* May what is not necessary be done in this period? */
static __always_inline bool within_budget(const struct wick_sched_cpu *cpu)
{
	return !settings.walk_above || cpu->spending.walk_ns < cpu->spending.raise_at;
}

/*
 * The same of what no block depends on: it may have half of the share, so that it neither takes it
 * all nor raises T.
 */
static __always_inline bool has_time_to_spare(const struct wick_sched_cpu *cpu)
{
	return !settings.walk_above || cpu->spending.walk_ns < cpu->spending.left / 2;
}

/* And for threads that are most probably of no interest. */
static __always_inline bool has_time_for_bystanders(const struct wick_sched_cpu *cpu)
{
	return !settings.walk_above || cpu->spending.walk_ns < cpu->spending.left / 8;
}

static __always_inline u64 threshold(const struct wick_sched_cpu *cpu)
{
	u32 level = cpu->spending.level & 31;

	/* Not shifted out of 64 bits. */
	return settings.walk_above > WICK_MOST_WALK_ABOVE >> level ? WICK_MOST_WALK_ABOVE
								   : settings.walk_above << level;
}

/* Is a stretch clearly the longest of its thread so far? */
static __always_inline bool is_new_stall(struct thread *t, u64 length)
{
	u64 next = (length + length / 8) >> UNIT_BITS;

	if (length < LONG_NS || length >> UNIT_BITS < t->stall)
		return false;
	t->stall = next < (u32)-1 ? (u32)next : (u32)-1;
	t->is_stall = 1;
	return true;
}

/* What a thread was charged, and was not counted, goes back into the accounts. */
static __always_inline void take_back_block(struct thread *t)
{
	t->nr_short_sleeps += t->block.charge && t->block.charge == t->block.length;
	t->short_sleep += t->block.charge;
	t->block = (struct block){};
}

static __always_inline void take_back_wait(struct thread *t)
{
	if (t->wait_state == 'R')
		t->short_preempt += t->wait_charge;
	else
		t->short_queue += t->wait_charge;
	t->wait_charge = 0;
}

/*
 * A stretch of `length`: what it is charged, 0 when it went into the account. The account's
 * threshold is the thread's, for all of its accounts.
 */
static __always_inline u64 decide(struct thread *t, struct wick_sched_cpu *cpu, u64 *account,
				  u64 length)
{
	u64 t_now = threshold(cpu);
	bool is_long;

	t->is_stall = 0;
	is_long = length >= t_now || is_new_stall(t, length);
	return draw_charge(&t->above, account, length, is_long, t_now);
}

#endif
