/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * visit_threads.h: the end's pass over all threads (bpf/threads.bpf.c).
 */
#ifndef COLLECT_KERNEL_VISIT_THREADS_H
#define COLLECT_KERNEL_VISIT_THREADS_H

#include "collect.h"
#include "wick.h"

struct wick_bpf;

/*
 * Visits every thread once, and looks at their stacks for `walk_ns`; the threads that are reached
 * later go without. What BPF sends of them goes through the ring buffer, which `drain` empties now
 * and then. A negative errno.
 */
int pass_run(struct wick_bpf *skeleton, u64 walk_ns, void (*drain)(void *ctx), void *ctx);

#endif
