/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account.h: what should have been seen = what was counted + the named losses.
 *
 * The kernel skips a sampling program, and counts that nowhere, while another BPF program or a map
 * operation runs on the same CPU. So the number of samples that should have come is taken from each
 * event's own clock. Two kinds of missing samples are nobody's loss: those of idle CPUs whose timer
 * slept (as many as their idle time lacks), and those of wick's own map operations (as many as
 * its own CPU time lacks), which would have been left out anyway.
 */
#ifndef COLLECT_ACCOUNT_H
#define COLLECT_ACCOUNT_H

#include "profile.h"
#include "wick.h"

struct account {
	u64 clock_periods;      /* by the events' clocks, in the window */
	u64 idle_periods;       /* of the CPUs' idle time */
	u64 self_periods;       /* of wick's own CPU time; 0 where wick is not left out */
	struct wick_counters counters; /* summed over the CPUs */
};

/* Sums a per-CPU row of the map of counters. */
int account_read(struct wick_counters *sum, int counters_fd, enum wick_kind kind);
/* Samples that the kernel skipped and that could have been somebody's. */
u64 account_skipped(const struct account *a);
/* Sets profile->expected and the losses of the cpu instrument. */
void account_close(const struct account *a, struct profile *profile);

#endif
