/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "account.h"
#include "base/numbers.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

static void add_counters(struct wick_counters *sum, const struct wick_counters *cpu)
{
	for (int i = 0; i < WICK_NR_COUNTERS; i++)
		sum->at[i] += cpu->at[i];
	sum->idle_ran += cpu->idle_ran;
	for (int i = 0; i < MAX_COLUMNS; i++)
		sum->overflow.column[i] = saturated((unsigned __int128)sum->overflow.column[i] +
						    cpu->overflow.column[i]);
}

int account_read(struct account *a, int counters_fd, enum wick_kind kind)
{
	int nr = libbpf_num_possible_cpus();
	u32 key = kind;

	if (nr <= 0)
		return nr ? nr : -EINVAL;
	account_release(a);
	vec_reserve(&a->cpus, (size_t)nr);
	if (bpf_map_lookup_elem(counters_fd, &key, a->cpus.at))
		return -errno;
	a->cpus.nr = (size_t)nr;
	vec_for_each (&a->cpus, cpu)
		add_counters(&a->sum, cpu);
	return 0;
}

static u64 missing(u64 should, u64 is)
{
	return should > is ? should - is : 0;
}

/* /proc/stat counts in 10 ms, at both ends: an idle CPU's share is known to two periods or so. */
static u64 idle_periods(const struct sampler *sampler, const struct sampler_event *event)
{
	u64 doubt_ns = 2 * NSEC_PER_SEC / 100;

	return event->idle ? (event->idle + doubt_ns + sampler->period_ns - 1) / sampler->period_ns
			   : 0;
}

u64 account_skipped(const struct account *a, const struct sampler *sampler, u64 window_ns,
		    u64 self_ns)
{
	u64 skipped = 0;

	for (size_t i = 0; i < sampler->nr; i++) {
		const struct sampler_event *event = &sampler->at[i];
		const struct wick_counters *seen = &a->cpus.at[event->cpu];
		u64 gap;

		if (event->cpu >= a->cpus.nr)
			continue;
		gap = missing(min(event->clock, window_ns) / sampler->period_ns,
			      seen->at[WICK_RAN]);
		skipped += gap - min(gap, missing(idle_periods(sampler, event), seen->idle_ran));
	}
	return missing(skipped,
		       missing(self_ns / sampler->period_ns, a->sum.at[WICK_SELF_LEFT_OUT]));
}

/* What was missed before the filters could be asked. */
static void loss_of_all(const struct account *a, struct profile *profile, enum wick_kind kind,
			const char *cause, const char *of_the_host, u64 value)
{
	profile_loss(profile, a->filtered ? of_the_host : cause, NULL, kind, 0, value);
}

/* Of what was missed, the part that the filters would have kept, as far as it was like the rest. */
static u64 wanted_part(const struct account *a, u64 missed)
{
	double kept = (double)a->sum.at[WICK_KEPT], left_out = (double)a->sum.at[WICK_FILTERED];

	return left_out > 0 ? (u64)((double)missed * kept / (kept + left_out) + 0.5) : missed;
}

void account_close(const struct account *a, u64 skipped, struct profile *profile)
{
	u64 nested = a->sum.at[WICK_LOST_SCRATCH];

	profile->expected = a->sum.at[WICK_KEPT] + wanted_part(a, skipped + nested);
	loss_of_all(a, profile, WICK_CPU, "samples that the kernel skipped",
		    "samples of the whole host that the kernel skipped", skipped);
	loss_of_all(a, profile, WICK_CPU, "samples nested too deep",
		    "samples of the whole host nested too deep", nested);
	profile_loss(profile, "samples whose key found no room", "[lost keys]", WICK_CPU, 0,
		     a->sum.overflow.column[0]);
}

/* What the recording has is not lost. */
static u64 lost_blocks(const struct account *a, struct profile *profile)
{
	u64 lost = a->sum.at[WICK_LOST_BLOCK];

	if (profile->slice.wanted)
		return lost;
	add_to_sum(&lost, profile->dropped_blocks);
	profile->dropped_blocks = 0;
	return lost;
}

void account_close_sched(const struct account *a, struct profile *profile)
{
	profile_loss(profile, "time off-CPU whose key found no room", "[lost keys]", WICK_SCHED, 1,
		     a->sum.overflow.column[1]);
	profile_loss(profile, "switches that were not seen", NULL, WICK_SCHED, 0,
		     a->sum.at[WICK_HIDDEN_SWITCH]);
	loss_of_all(a, profile, WICK_SCHED, "switches or wakeups of threads without state",
		    "switches or wakeups, of the whole host, of threads without state",
		    a->sum.at[WICK_LOST_THREAD]);
	profile_loss(profile, "accounts of threads that ended while the ring was full", NULL,
		     WICK_SCHED, 0, a->sum.at[WICK_LOST_ACCOUNT]);
	profile_loss(profile, "blocks that are counted, but found no room in the log", NULL,
		     WICK_SCHED, 0, lost_blocks(a, profile));
	loss_of_all(a, profile, WICK_SCHED, "walks nested too deep",
		    "walks of the whole host nested too deep", a->sum.at[WICK_LOST_SCRATCH]);
}

void account_close_fault(const struct account *a, u64 expected, struct profile *profile)
{
	/* The programs count what is outside of the window, too: no edge is in this. */
	loss_of_all(a, profile, WICK_FAULT, "faults that the kernel skipped",
		    "faults of the whole host that the kernel skipped",
		    missing(expected, a->sum.at[WICK_RAN]));
	profile_loss(profile, "faults whose begin was not seen, so they have no time", NULL,
		     WICK_FAULT, 0, a->sum.at[WICK_NO_BEGIN]);
	profile->failed_faults = a->sum.at[WICK_NO_END];
	profile_loss(profile, "changes of a resident set of unknown size, taken for a page", NULL,
		     WICK_FAULT, 0, a->sum.at[WICK_LOST_RESIDENT]);
	profile_loss(profile, "faults whose key found no room", "[lost keys]", WICK_FAULT, 0,
		     a->sum.overflow.column[0]);
	profile_loss(profile, "bytes whose key found no room", "[lost keys]", WICK_FAULT, 1,
		     a->sum.overflow.column[1]);
	profile_loss(profile, "nanoseconds whose key found no room", "[lost keys]", WICK_FAULT, 2,
		     a->sum.overflow.column[2]);
	profile_loss(profile, "faults nested too deep", NULL, WICK_FAULT, 0,
		     a->sum.at[WICK_LOST_SCRATCH]);
	loss_of_all(a, profile, WICK_FAULT, "faults of threads without state",
		    "faults, of the whole host, of threads without state",
		    a->sum.at[WICK_LOST_THREAD]);
}

void account_close_calls(const struct account *a, enum wick_kind kind, struct profile *profile)
{
	profile_loss(profile, "calls whose key found no room", "[lost keys]", kind, 0,
		     a->sum.overflow.column[0]);
	profile_loss(profile, "bytes whose key found no room", "[lost keys]", kind, 1,
		     a->sum.overflow.column[1]);
	loss_of_all(a, profile, kind,
		    "changes that could not be followed, so what is held may be wrong",
		    "changes, of the whole host, that could not be followed, so what is held may "
		    "be wrong",
		    a->sum.at[WICK_LOST_CHANGE]);
	loss_of_all(a, profile, kind, "calls nested too deep",
		    "calls of the whole host nested too deep", a->sum.at[WICK_LOST_SCRATCH]);
	loss_of_all(a, profile, kind, "calls of threads without state",
		    "calls, of the whole host, of threads without state",
		    a->sum.at[WICK_LOST_THREAD]);
	profile->processes_32_bit += a->sum.at[WICK_32_BIT];
}

void account_close_plain(const struct account *a, enum wick_kind kind, struct profile *profile)
{
	static const char *const keys[MAX_COLUMNS] = {
		"events whose key found no room",
		"of the second sum, what found no room",
		"of the third sum, what found no room",
	};

	for (u32 i = 0; i < MAX_COLUMNS; i++)
		profile_loss(profile, keys[i], "[lost keys]", kind, i, a->sum.overflow.column[i]);
	profile_loss(profile, "events nested too deep", NULL, kind, 0,
		     a->sum.at[WICK_LOST_SCRATCH]);
	profile_loss(profile, "events of threads without state", NULL, kind, 0,
		     a->sum.at[WICK_LOST_THREAD]);
}

void account_release(struct account *a)
{
	vec_release(&a->cpus);
	a->sum = (struct wick_counters){};
}
