/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpus.h: which CPUs there are, and for how long each was idle. */
#ifndef COLLECT_EVENTS_CPUS_H
#define COLLECT_EVENTS_CPUS_H

#include "base/vec.h"

struct error;

struct cpu_list {
	VEC_FIELDS(u32);
};

static inline void cpu_list_release(struct cpu_list *cpus)
{
	vec_release(cpus);
}

#define _cleanup_cpu_list_ _cleanup_(cpu_list_release)

/* The CPUs that are online now, ascending. With an error, of why not, unless that is NULL. */
int cpus_online(struct cpu_list *cpus, struct error *error);
/* -ENOENT, with a text, if one of them is not online. */
int cpus_check(const struct cpu_list *cpus, struct error *error);
/* Idle and I/O-wait time of a CPU since boot, in ns, to 10 ms; 0 for a CPU that is not there. */
struct idle_times {
	VEC_FIELDS(u64); /* by CPU number */
};
int cpus_idle(struct idle_times *idle);

#endif
