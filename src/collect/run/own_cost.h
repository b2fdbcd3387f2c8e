/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_cost.h: what wick's own processes may take of the host, and what is turned down when it takes
 * more. (What its BPF programs take, they see to themselves: bpf/budget.h.)
 *
 * Each slice, the CPU time of all of wick's threads is held against ALLOWED_PERCENT of the host's.
 * What a slice does not use is saved, up to a bound, and a run begins with something saved, since
 * it has to read what is there. When nothing is left, the level rises. With each level, BPF walks
 * and copies half as many stacks, and a process that goes on making new stacks, names and mappings
 * may have half as many of them sent (bpf/share.h). When half of the bound is saved again, the
 * level falls.
 *
 * The time after the window depends on how much there is to draw. So the same rates also halve each
 * time when half of the room that is left for the run's rows is taken. What an honest process can
 * bring grows with CPUs, frequency and time, and so do its share and that room.
 */
#ifndef COLLECT_RUN_OWN_COST_H
#define COLLECT_RUN_OWN_COST_H

#include "base/base.h"
#include "files.h"
#include "profile.h"
#include "wick.h"

struct own_cost {
	u64 room;	     /* bytes of the profile's rows, at most about so many by now ... */
	u64 most_room;	     /* ... and at all */
	u64 process_rate;    /* of new bodies, bytes in 2^20 ns */
	u64 cpu_ns, at_ns;   /* of the last look */
	s64 saved_ns;	     /* CPU time */
	u32 level;	     /* for the CPU time */
	u32 highest, filled; /* levels: of all, and the last one for want of room */
	u64 over_ns;	     /* how long the level was above 0 */
};

/* User and system time of all threads, those that have ended too, and of the helper processes. */
u64 self_cpu_ns(struct files *files);

/*
 * `cpu`: self_cpu_ns() now. `memory`: bytes that wick may use; UINT64_MAX: no bound. `frequency`:
 * samples a second and CPU.
 */
void own_cost_begin(struct own_cost *o, u64 cpu, u64 memory, u32 frequency,
		    struct wick_limits *limits);
/* The end of a slice: sets the limits for the next one. */
void own_cost_slice(struct own_cost *o, u64 cpu, const struct profile *p,
		    struct wick_limits *limits);

#endif
