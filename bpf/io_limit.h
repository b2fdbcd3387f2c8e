/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * io_limit.h: was a request for a disk held back by a limit of its cgroup: io.max, or
 * blkio.throttle.* of cgroup version 1? The thread waits as for the disk. But the cgroup has a
 * queue for such requests, one a disk (block/blk-throttle.c), and keeps the time at which the next
 * one leaves it, or the last one did, which it sets only for a request that has to wait. So a
 * thread has been held back, as far as can be told, if its cgroup, or one above it, has such a time
 * that is later than the begin of the wait.
 *
 * A cgroup has data of several policies for a disk, and which are those of the limits only the
 * kernel knows: they are those that lead back to the disk's own queue.
 */
#ifndef IO_LIMIT_H
#define IO_LIMIT_H

#include "thread.h"

enum { LIMITED_DISKS = 8, LIMITED_LEVELS = 6 };

static __always_inline bool has_io_limits(void)
{
	struct throtl_grp *group = NULL;

	return bpf_core_field_exists(group->disptime) &&
	       bpf_core_enum_value_exists(enum cgroup_subsys_id, io_cgrp_id);
}

/* Of a cgroup's data for the disk with that queue, those of the policy `i`. */
VERIFIED_ONCE int held_by_policy(u64 of_disk, u32 i, u64 begin)
{
	struct throtl_grp *group = NULL;
	struct blkcg_gq *disk = (void *)of_disk;
	u64 at, queue;

	if (!has_io_limits() || i >= bpf_core_field_size(disk->pd) / sizeof(u64))
		return false;
	at = of_disk + bpf_core_field_offset(struct blkcg_gq, pd) + i * sizeof(u64);
	bpf_probe_read_kernel(&group, sizeof(group), (void *)at);
	if (!group)
		return false;
	queue = (u64)BPF_CORE_READ(disk, q);
	if (!queue || (u64)BPF_CORE_READ(group, td, queue) != queue)
		return false;
	return BPF_CORE_READ(group, disptime) >= begin;
}

/* Of a cgroup's data for a disk, or those above it. */
VERIFIED_ONCE int held_at_disk(u64 of_disk, u64 begin)
{
	if (!has_io_limits())
		return false;
	for (u32 level = 0; level < LIMITED_LEVELS && of_disk; level++) {
		for (u32 i = 0; i < IO_POLICIES; i++)
			if (held_by_policy(of_disk, i, begin))
				return true;
		of_disk = (u64)BPF_CORE_READ((struct blkcg_gq *)of_disk, parent);
	}
	return false;
}

/* The thread has waited until now, for `ns`. */
OWN_FRAME bool was_held_back(struct task_struct *task, u64 ns)
{
	u64 begin, css = 0, node, at;

	if (!has_io_limits() || !settings.tick_ns)
		return false;
	begin = bpf_jiffies64() - ns / settings.tick_ns - 1;
	at = (u64)BPF_CORE_READ(task, cgroups) + bpf_core_field_offset(struct css_set, subsys) +
	     bpf_core_enum_value(enum cgroup_subsys_id, io_cgrp_id) * sizeof(u64);
	bpf_probe_read_kernel(&css, sizeof(css), (void *)at);
	if (!css)
		return false;
	node = (u64)BPF_CORE_READ((struct blkcg *)css, blkg_list.first);
	for (u32 i = 0; i < LIMITED_DISKS && node; i++) {
		if (held_at_disk(node - bpf_core_field_offset(struct blkcg_gq, blkcg_node), begin))
			return true;
		node = (u64)BPF_CORE_READ((struct hlist_node *)node, next);
	}
	return false;
}

#endif
