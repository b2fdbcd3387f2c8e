/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sched_cpus.h: what the sched programs know of each CPU. */
#ifndef COLLECT_KERNEL_SCHED_CPUS_H
#define COLLECT_KERNEL_SCHED_CPUS_H

#include "collect.h"
#include "collect/events/cpus.h"
#include "wick.h"

struct wick_bpf;

struct sched_cpus {
	VEC_FIELDS(struct wick_sched_cpu); /* by number */
};

/* A negative errno. */
int sched_cpus_read(struct sched_cpus *cpus, struct wick_bpf *skeleton);
static inline void sched_cpus_release(struct sched_cpus *cpus)
{
	vec_release(cpus);
}

/* How it was decided what to walk, over all CPUs. */
void sched_cpus_walked(const struct sched_cpus *cpus, u64 walk_above_ns,
		       struct walked_blocks *blocks);
/*
 * Adds each CPU's time to the profile, whose window is over and whose threads have come. How long
 * each was idle by the kernel's own account, from `begin` to `end`, stands for CPUs on which no
 * switch was seen.
 */
void sched_cpus_times(const struct sched_cpus *cpus, const struct idle_times *begin,
		      const struct idle_times *end, struct profile *profile);

#endif
