/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sched_cpus.h"
#include "base/numbers.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "wick.skel.h"

_Static_assert((int)WICK_LEVELS == (int)MAX_THRESHOLDS, "a threshold for each level");

int sched_cpus_read(struct sched_cpus *cpus, struct wick_bpf *skeleton)
{
	int nr = libbpf_num_possible_cpus();
	u32 zero = 0;

	cpus->nr = 0;
	if (nr <= 0)
		return nr ? nr : -EINVAL;
	vec_reserve(cpus, (size_t)nr);
	if (bpf_map_lookup_elem(bpf_map__fd(skeleton->maps.sched_cpus), &zero, cpus->at))
		return -errno;
	cpus->nr = (size_t)nr;
	return 0;
}

void sched_cpus_walked(const struct sched_cpus *cpus, u64 walk_above_ns,
		       struct walked_blocks *blocks)
{
	vec_for_each (cpus, cpu) {
		add_to_sum(&blocks->blocks, cpu->blocks);
		add_to_sum(&blocks->walked, cpu->walked_blocks);
	}
	for (u32 level = 0; walk_above_ns && level < WICK_LEVELS; level++) {
		struct walk_threshold *t = &blocks->thresholds[level];

		t->above_ns = min(WICK_MOST_WALK_ABOVE,
				  saturated((unsigned __int128)walk_above_ns << level));
		vec_for_each (cpus, cpu)
			add_to_sum(&t->ruled_ns, cpu->ruled[level]);
	}
}

/* From the last switch to the window's end. What a thread has run then is in its account. */
static void add_rest(struct cpu_time *time, const struct wick_sched_cpu *cpu, u64 ns)
{
	if (!cpu->current)
		add_to_sum(&time->idle, ns);
	else if (cpu->current_has_no_account)
		add_to_sum(&time->running, ns);
}

/* What the kernel's own account says of a CPU in the window. */
static u64 idle_between(const struct idle_times *begin, const struct idle_times *end, u32 cpu)
{
	if (cpu >= begin->nr || cpu >= end->nr)
		return 0;
	return end->at[cpu] - min(begin->at[cpu], end->at[cpu]);
}

void sched_cpus_times(const struct sched_cpus *cpus, const struct idle_times *begin,
		      const struct idle_times *end, struct profile *profile)
{
	for (u32 i = 0; i < cpus->nr; i++) {
		const struct wick_sched_cpu *cpu = &cpus->at[i];
		u64 idle = cpu->last_switch ? cpu->idle : idle_between(begin, end, i);
		struct cpu_time *time;

		if (!cpu->last_switch && !idle)
			continue;
		time = profile_cpu(profile, i);
		add_to_sum(&time->running, cpu->ran);
		add_to_sum(&time->idle, idle);
		if (cpu->last_switch)
			add_rest(time, cpu, profile->end - min(cpu->last_switch, profile->end));
	}
}
