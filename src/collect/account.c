/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "account.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

int account_read(struct wick_counters *sum, int counters_fd, enum wick_kind kind)
{
	int nr = libbpf_num_possible_cpus();
	_cleanup_free_ struct wick_counters *cpus = NULL;
	u32 key = kind;

	if (nr <= 0)
		return nr ? nr : -EINVAL;
	cpus = xcalloc((size_t)nr, sizeof(*cpus));
	if (bpf_map_lookup_elem(counters_fd, &key, cpus))
		return -errno;
	*sum = (struct wick_counters){};
	for (int cpu = 0; cpu < nr; cpu++) {
		for (int i = 0; i < WICK_NR_COUNTERS; i++)
			sum->at[i] += cpus[cpu].at[i];
		sum->idle_ran += cpus[cpu].idle_ran;
		for (int i = 0; i < MAX_COLUMNS; i++)
			sum->overflow.column[i] += cpus[cpu].overflow.column[i];
	}
	return 0;
}

static u64 missing(u64 should, u64 is)
{
	return should > is ? should - is : 0;
}

u64 account_skipped(const struct account *a)
{
	u64 skipped = missing(a->clock_periods, a->counters.at[WICK_RAN]);

	skipped -= min(skipped, missing(a->idle_periods, a->counters.idle_ran));
	skipped -= min(skipped, missing(a->self_periods, a->counters.at[WICK_SELF_LEFT_OUT]));
	return skipped;
}

void account_close(const struct account *a, struct profile *profile)
{
	u64 skipped = account_skipped(a), nested = a->counters.at[WICK_LOST_SCRATCH];

	profile->expected = a->counters.at[WICK_KEPT] + skipped + nested;
	profile_loss(profile, "samples that the kernel skipped", NULL, WICK_CPU, skipped);
	profile_loss(profile, "samples nested too deep", NULL, WICK_CPU, nested);
	profile_loss(profile, "samples whose key found no room", "[lost keys]", WICK_CPU,
		     a->counters.overflow.column[0]);
	profile_loss(profile, "processes of the program that found no room", NULL, WICK_CPU,
		     a->counters.at[WICK_LOST_MEMBER]);
}
