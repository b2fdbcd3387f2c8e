/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probes.h: what the kernel has, asked without loading anything large: for hosts that lack a part,
 * and for `wick doctor`.
 */
#ifndef COLLECT_HOST_PROBES_H
#define COLLECT_HOST_PROBES_H

#include "collect.h"

/* Does the kernel have this tracepoint, in its types? */
bool has_tracepoint(const char *name);
/* Do its BPF programs have atomic operations that return a value? */
bool has_atomic_exchange(void);
/* Does the kernel have a helper for BPF programs? "task_pt_regs" for bpf_task_pt_regs(). */
bool has_helper(const char *name);

#endif
