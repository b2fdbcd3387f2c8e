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
	u64 runs;		  /* that walked no stack */
	u64 timed_runs, timed_ns; /* of those, a part that stands for all */
	u64 walks, walk_ns;	  /* the other runs */
};

/*
 * How a run decided which blocks to walk: the threshold, and how long it ruled, in CPU time of all
 * CPUs.
 */
struct walk_threshold {
	u64 above_ns;
	u64 ruled_ns;
};

enum { MAX_THRESHOLDS = 20 };

/* Blocks that threads were in, by the filters, and how many of them were walked. */
struct walked_blocks {
	u64 blocks, walked;
	/* 1, 2, 4 ... times walk_above_ns; those that ruled for 0 ns did not. */
	struct walk_threshold thresholds[MAX_THRESHOLDS];
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
	bool unknown;	/* the profile was read, of a run that was killed or a part of one */
	u64 map_bytes;	/* memory of the BPF maps */
	u64 body_bytes; /* through the ring buffer */
	u64 bodies, sideband_records, mappings_read;
	u64 copies_refused; /* stacks beyond the bound on copies: walked by frame pointers */
	u64 remembered_user, remembered_kernel; /* stacks that were not walked, see bpf/memo.h */
	u64 misremembered; /* of those that were walked all the same, to check, the wrong ones */
	struct rows_cost rows;
	VEC(struct program_cost) programs;
	struct walked_blocks blocks; /* sched */
	u64 window_cpu_ns;	     /* of wick's process */
	u64 own_over_ns; /* how long walks and copies were turned down, since that was too much ... */
	u32 own_level;	 /* ... to 1 / 2^level of what they may be, at the lowest */
	/* Of wick itself, until its pictures are written. */
	u64 cpu_ns, max_resident_bytes;
	u64 start_ns, write_ns; /* from the command to the window, from its end to the files */
};

/* What came of naming the distinct addresses of a profile. */
struct naming_result {
	u64 resolved, unresolved;
	const char *kernel;	/* the source that named the kernel's frames; NULL: none could */
	int kernel_error;	/* why the last source failed, when none could */
	u64 files_without_time; /* whose lines of source were not all found in time */
};

#endif
