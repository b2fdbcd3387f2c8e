/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cost.h: what the BPF programs cost, by the kernel's own statistics (BPF_ENABLE_STATS, held by a
 * descriptor and for a part of the run only, since the statistics cost too; never the sysctl, which
 * would outlive us).
 */
#ifndef COLLECT_COST_H
#define COLLECT_COST_H

#include "collect.h"

struct wick_bpf;

struct cost_meter {
	int stats_fd; /* -1: off */
};

void cost_meter_on(struct cost_meter *m);
void cost_meter_off(struct cost_meter *m);
/* Fills cost->programs; `runs` is how often the sampling program ran in all. */
void cost_read(struct wick_bpf *skeleton, u64 runs, struct collect_cost *cost);

#endif
