/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * visit_threads.h: the end's pass over all threads (bpf/threads.bpf.c).
 */
#ifndef COLLECT_KERNEL_VISIT_THREADS_H
#define COLLECT_KERNEL_VISIT_THREADS_H

#include "collect.h"
#include "wick.h"

struct wick_bpf;

/* Where goes what a pass brings. `drain` empties the ring; the accounts come after it. */
struct pass_sink {
	void (*drain)(void *ctx);
	void (*account)(void *ctx, const struct wick_thread_body *account);
	void *ctx;
};

/*
 * Visits every thread once, and looks at their stacks for `walk_ns`; the threads that are reached
 * later go without. What BPF sends of them goes through the ring buffer; a thread that finds it
 * full is visited again. A negative errno: some threads were not visited.
 */
int pass_run(struct wick_bpf *skeleton, u64 walk_ns, const struct pass_sink *sink);

#endif
