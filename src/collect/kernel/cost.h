/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cost.h: what the BPF programs cost, as they have measured it themselves: bpf/meter.h. */
#ifndef COLLECT_KERNEL_COST_H
#define COLLECT_KERNEL_COST_H

#include "collect.h"

struct wick_bpf;

/* Fills cost->programs, with those that ran. */
void cost_read(struct wick_bpf *skeleton, struct run_cost *cost);

#endif
