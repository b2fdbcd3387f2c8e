/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * load.h: the instruments' BPF object: sized for this host, given its settings, loaded. Everything
 * is held by descriptors of this process, nothing is pinned, so that nothing is left after
 * any death.
 */
#ifndef COLLECT_KERNEL_LOAD_H
#define COLLECT_KERNEL_LOAD_H

#include "collect.h"
#include "collect/events/cpus.h"
#include "collect/host/sizes.h"
#include "counts.h"
#include "wick.h"

struct wick_bpf; /* the skeleton, generated: build/wick.skel.h */

/*
 * Loads what the options need; `cpus`: those that -C names, empty for all; `log_level`: of the
 * verifier, 0 for what it refuses only. -EPERM, -ENOTSUP (no BTF, too old) or -ENOEXEC (refused),
 * with a text of a line or two; the whole story is in load_log() (load_log.h) then.
 */
int load_open(struct wick_bpf **skeleton, const struct collect_options *options,
	      const struct sizes *sizes, const struct cpu_list *cpus, u32 log_level,
	      struct error *error);
struct counts_maps load_counts_maps(struct wick_bpf *skeleton);
/* Attaches what was loaded, but for the sampling programs, which take events: sampler.h. */
int load_attach(struct wick_bpf *skeleton, struct error *error);
/* The object file. */
const void *load_elf(size_t *size);
/* The memory of all maps of the object, as the kernel accounts it. */
u64 load_map_bytes(struct wick_bpf *skeleton);

#endif
