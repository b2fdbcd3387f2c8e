/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * account.h: what should have been seen = what was counted + the named losses.
 *
 * The kernel skips a sampling program, and counts that nowhere, while another BPF program or a map
 * operation runs on the same CPU. So the number of samples that should have come is taken from each
 * event's own clock, CPU by CPU. Two kinds of missing samples are no loss: those of idle CPUs
 * whose timer slept (as many as their idle time lacks), and those of wick's own map operations (as
 * many as its own CPU time lacks), which would have been left out anyway.
 *
 * Of an event that was not seen, no thread is known: with filters, it may have been one that they
 * leave out. Such losses are said to be of the whole host.
 */
#ifndef COLLECT_KERNEL_ACCOUNT_H
#define COLLECT_KERNEL_ACCOUNT_H

#include "profile.h"
#include "collect/events/sampler.h"
#include "wick.h"

/* Counters of a kind, CPU by CPU and summed. */
struct account {
	VEC(struct wick_counters) cpus;
	struct wick_counters sum;
	bool filtered; /* some threads are left out: set by the caller */
};

int account_read(struct account *a, int counters_fd, enum wick_kind kind);
/*
 * Samples that the kernel skipped and that could have been a thread's. `self_ns` is wick's own CPU
 * time in the window, 0 where wick is not left out.
 */
u64 account_skipped(const struct account *a, const struct sampler *sampler, u64 window_ns,
		    u64 self_ns);
/* Sets profile->expected and the losses of the cpu instrument. */
void account_close(const struct account *a, u64 skipped, struct profile *profile);
/* The losses of the sched instrument, as read with WICK_SCHED. */
void account_close_sched(const struct account *a, struct profile *profile);
/*
 * Those of the fault instrument; `expected`: faults that were done, since the events were opened.
 */
void account_close_fault(const struct account *a, u64 expected, struct profile *profile);
/* Those of brk or mmap. */
void account_close_calls(const struct account *a, enum wick_kind kind, struct profile *profile);
/* Those of an instrument that only counts. */
void account_close_plain(const struct account *a, enum wick_kind kind, struct profile *profile);
void account_release(struct account *a);

#endif
