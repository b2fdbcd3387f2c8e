/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.h: what a run cost and how its frames were named, beside what it saw. Plain data, a part of a
 * profile.
 */
#ifndef WICK_RUN_H
#define WICK_RUN_H

#include "base/base.h"
#include "base/vec.h"

/* What a BPF program cost. */
struct program_cost {
	char name[32];
	u64 runs;		  /* in the whole run */
	u64 timed_runs, timed_ns; /* while the kernel's statistics were on: a part of the run */
};

/*
 * How a run decided which blocks to walk: the threshold, and how long it ruled, in CPU time of all
 * CPUs.
 */
struct walk_threshold {
	u64 above_ns; /* 1, 2, 4, 8 or 16 times walk_above_ns */
	u64 ruled_ns;
};

/* Unwind tables at the end of a run, and what their bounds cost. */
struct rows_cost {
	u64 kernel_files, kernel_bytes, kernel_max_bytes;
	u64 user_bytes, user_max_bytes;
	u64 evicted_files, evicted_regions,
		evicted_tables; /* in the kernel; of files in it; in user space */
	u64 pending;		/* being made */
	u64 copies;		/* of stacks that were sent */
};

/* What the run itself cost, and what came to user space. */
struct run_cost {
	u64 map_bytes;	/* memory of the BPF maps */
	u64 body_bytes; /* through the ring buffer */
	u64 bodies, sideband_records, mappings_read;
	u64 copies_refused; /* stacks beyond the bound on copies: walked by frame pointers */
	u64 remembered_user, remembered_kernel; /* stacks that were not walked, see bpf/memo.h */
	u64 misremembered; /* of those that were walked all the same, to check, the wrong ones */
	struct rows_cost rows;
	VEC(struct program_cost) programs;
	struct walk_threshold thresholds[5]; /* sched; those that ruled for 0 ns did not */
	/* Of wick itself, until its pictures are written. */
	u64 cpu_ns, max_resident_bytes;
	u64 start_ns, write_ns; /* from the command to the window, from its end to the files */
};

/* What came of naming the distinct addresses of a profile. */
struct naming_result {
	u64 resolved, unresolved;
	const char *kernel; /* the source that named the kernel's frames; NULL: none could */
	int kernel_error;   /* why the last source failed, when none could */
};

#endif
