/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sizes.h: how large the buffers and tables of a run are, by the host's CPUs, what is observed, and
 * the memory that wick's cgroup may use: of that the kernel counts BPF maps and rings as well.
 */
#ifndef COLLECT_HOST_SIZES_H
#define COLLECT_HOST_SIZES_H

#include "collect.h"

struct sizes {
	u64 memory; /* that wick may use; UINT64_MAX: no cgroup bounds it */
	u32 keys;   /* distinct ones, of a slice */
	u32 ring;   /* bytes, a power of two: of bodies */
	/* Bytes that may wait in user space: of bodies, of side-band records, of copied stacks. */
	u64 bodies, records, copies;
	u64 blocks;	/* entries of the log of blocks */
	u64 tables;	/* bytes of unwind tables, half of them in the kernel */
	u64 table_file; /* bytes of a file that has one, at most; 0: no bound */
};

/*
 * The smallest bound on the memory of this process's cgroup and those above it, version 2 or 1;
 * UINT64_MAX: none.
 */
u64 memory_limit(void);

/* `memory`: as memory_limit() has it. */
struct sizes sizes_for(const struct collect_options *o, u64 memory);

#endif
