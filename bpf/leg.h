/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leg.h: the thread that a sample is about, and whether the filters want it.
 *
 * Both take any task, not just the current one, so that wakers and sleepers pass through the same
 * code. Fields are read with probe reads, which work on any pointer to a task and since 5.5.
 */
#ifndef LEG_H
#define LEG_H

#include "family.h"
#include "intern.h"
#include "maps.h"

enum { PID_LEVELS = 8 }; /* pid namespaces are nested to 32 (MAX_PID_NS_LEVEL), in life to 2 or 3 */

/* The number of `pid` in the namespace wick lives in; 0 where it has none there. */
static __always_inline u32 pid_here(struct pid *pid)
{
	u32 level = BPF_CORE_READ(pid, level);

	for (u32 i = 0; i < PID_LEVELS; i++) {
		struct upid upid;

		if (i > level)
			break;
		if (bpf_core_read(&upid, sizeof(upid), &pid->numbers[i]))
			break;
		if (BPF_CORE_READ(upid.ns, ns.inum) == filter.pid_namespace)
			return (u32)upid.nr;
	}
	return 0;
}

/* The first namespace: include/linux/proc_ns.h, an interface. */
enum { INIT_PID_NAMESPACE = 0xeffffffc };

/*
 * The number of a thread. On its last way out it has lost its struct pid, but not what it was
 * called at first.
 */
static __always_inline u32 number_here(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);

	if (!pid && filter.pid_namespace == INIT_PID_NAMESPACE)
		return (u32)BPF_CORE_READ(task, pid);
	return pid_here(pid);
}

/* The number of `pid` in its own, innermost namespace. */
static __always_inline u32 pid_inside(struct pid *pid)
{
	u32 level = BPF_CORE_READ(pid, level);
	int nr = 0;

	if (level < 32)
		bpf_core_read(&nr, sizeof(nr), &pid->numbers[level].nr);
	return (u32)nr;
}

static __always_inline u32 thread_kind(struct task_struct *task)
{
	u32 flags = BPF_CORE_READ(task, flags);

	if (!BPF_CORE_READ(task, pid))
		return WICK_IDLE;
	if (flags & PF_IO_WORKER)
		return WICK_IO_WORKER;
	return flags & PF_KTHREAD ? WICK_KERNEL_THREAD : WICK_USER_THREAD;
}

/* `task_address` is that of a struct task_struct. */
VERIFIED_ONCE int leg_capture(struct wick_leg *leg, u64 task_address, u32 kind)
{
	struct task_struct *task = (void *)task_address, *leader;
	struct pid *leader_pid;

	if (!leg)
		return 0;
	leader = BPF_CORE_READ(task, group_leader);
	leader_pid = BPF_CORE_READ(leader, thread_pid);

	leg->kind = kind;
	leg->tid = number_here(task);
	leg->tgid = number_here(leader);
	leg->inner_tgid = pid_inside(leader_pid);
	leg->start_ns = BPF_CORE_READ(task, start_boottime);
	leg->process_start_ns = BPF_CORE_READ(leader, start_boottime);
	leg->exec_id = (u32)BPF_CORE_READ(task, self_exec_id);
	leg->cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	leg->left_out = 0;
	/*
	 * The kernel pads comm with zeros (strscpy_pad in set_task_comm), so it can be hashed
	 * whole.
	 */
	bpf_core_read(leg->comm, sizeof(leg->comm), &task->comm);
	return 0;
}

static __always_inline u64 leg_hash(const struct wick_leg *leg)
{
	struct hash_state h;

	hash_begin(&h, WICK_BODY_LEG, 0);
	hash_step(&h, (const u64 *)leg);
	return hash_end(&h);
}

static __always_inline bool in_set(void *set, u32 id)
{
	return bpf_map_lookup_elem(set, &id) != NULL;
}

/*
 * The id of the ancestor of the task's cgroup at the filter's level; 0 where it is not that deep.
 */
static __always_inline u64 cgroup_at_level(struct task_struct *task)
{
	struct cgroup *cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp), *ancestor = NULL;
	u32 level = filter.cgroup_level;
	u64 id = 0;

	if ((u32)BPF_CORE_READ(cgroup, level) < level)
		return 0;
	if (bpf_core_field_exists(cgroup->ancestors)) {
		bpf_core_read(&ancestor, sizeof(ancestor), &cgroup->ancestors[level]);
		return BPF_CORE_READ(ancestor, kn, id);
	}
	bpf_core_read(&id, sizeof(id),
		      &((struct cgroup___before_6_0 *)cgroup)->ancestor_ids[level]);
	return id;
}

/* wick, the process that makes its helpers, or one of these; `task_address` is the leg's. */
static __always_inline bool is_self(const struct wick_leg *leg, u64 task_address)
{
	struct task_struct *task = (void *)task_address;

	if (!filter.self_tgid)
		return false;
	return leg->tgid == filter.self_tgid || leg->tgid == filter.forker_tgid ||
	       (filter.forker_tgid &&
		number_here(BPF_CORE_READ(task, group_leader, real_parent)) == filter.forker_tgid);
}

static __always_inline bool wanted_kind(u32 kind)
{
	if (filter.user_only)
		return kind == WICK_USER_THREAD;
	if (filter.kernel_only)
		return kind == WICK_KERNEL_THREAD || kind == WICK_IO_WORKER;
	return true;
}

static __always_inline bool in_process(struct task_struct *task)
{
	char comm[WICK_COMM_SIZE];

	BPF_CORE_READ_INTO(&comm, task, group_leader, comm);
	return wick_glob_match(&process_glob, comm);
}

/* Every filter of the command line but the list of CPUs, which has no events elsewhere. */
VERIFIED_ONCE int wanted(const struct wick_leg *leg, u64 task_address)
{
	struct task_struct *task = (void *)task_address;

	if (!leg)
		return false;
	if (leg->kind == WICK_IDLE)
		return filter.idle;
	if (!wanted_kind(leg->kind))
		return false;
	if (filter.by_pid && !in_set(&pids, leg->tgid))
		return false;
	if (filter.by_tid && !in_set(&tids, leg->tid))
		return false;
	if (filter.family_of && !in_family(BPF_CORE_READ(task, group_leader)))
		return false;
	if (filter.by_comm && !wick_glob_match(&glob, leg->comm))
		return false;
	if (filter.by_process && !in_process(task))
		return false;
	if (filter.by_cgroup && cgroup_at_level(task) != filter.cgroup)
		return false;
	return true;
}

#endif
