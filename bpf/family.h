/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * family.h: the members of `wick ... -- program`: the program and what it forked, at any depth.
 * Filled by family.bpf.c.
 */
#ifndef FAMILY_H
#define FAMILY_H

#include "maps.h"

/*
 * The kernel's own tgid -> start time of the process: a pid that was given to another process after
 * its owner had gone is no member.
 */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, u32);
	__type(value, u64);
} family __weak SEC(".maps");

static __always_inline bool in_family(struct task_struct *leader)
{
	u32 tgid = (u32)BPF_CORE_READ(leader, tgid);
	u64 *start = bpf_map_lookup_elem(&family, &tgid);

	return start && *start == BPF_CORE_READ(leader, start_boottime);
}

#endif
