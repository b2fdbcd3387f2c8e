/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost.h: what the BPF programs cost, by the kernel's own statistics (BPF_ENABLE_STATS, held by a
 * descriptor, never the sysctl, which would outlive us). The statistics themselves cost as much as
 * a small program, at each of its runs: so they are on for the first second or two; what they say
 * stands for the rest.
 */
#ifndef COLLECT_KERNEL_COST_H
#define COLLECT_KERNEL_COST_H

#include "collect.h"

struct wick_bpf;

struct cost_meter {
	int stats_fd; /* -1: off */
	u64 since;    /* on */
	u64 until;
	u64 on_ns; /* for how long it has been on, in all */
};

/* Times are CLOCK_MONOTONIC. */
void cost_meter_on(struct cost_meter *m, u64 now, u64 until);
/* Turns it off when its time has come. */
void cost_meter_follow(struct cost_meter *m, u64 now);
void cost_meter_off(struct cost_meter *m, u64 now);
/*
 * Fills cost->programs for a window of that length; `samples` is how often the sampling program ran
 * in all.
 */
void cost_read(const struct cost_meter *m, struct wick_bpf *skeleton, u64 window_ns, u64 samples,
	       struct run_cost *cost);

#endif
