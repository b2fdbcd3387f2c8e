/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * family.bpf.c: keeps the map of members of `wick ... -- program`. Loaded only then. It begins with
 * what wick itself forks, which is the program, before that execs.
 */
#include "family.h"
#include "leg.h"
#include <bpf/bpf_tracing.h>

SEC("tp_btf/sched_process_fork")
int BPF_PROG(wick_family_fork, struct task_struct *parent, struct task_struct *child)
{
	struct task_struct *leader = BPF_CORE_READ(parent, group_leader);
	struct wick_counters *tally = counters_of(WICK_CPU);
	u32 tgid = (u32)BPF_CORE_READ(child, tgid);
	u64 start = BPF_CORE_READ(child, start_boottime);

	if (BPF_CORE_READ(child, group_leader) != child)
		return 0; /* a thread, of a process that is a member already */
	if (pid_here(BPF_CORE_READ(leader, thread_pid)) != filter.family_of && !in_family(leader))
		return 0;
	if (bpf_map_update_elem(&family, &tgid, &start, BPF_ANY) && tally)
		tally->at[WICK_LOST_MEMBER]++;
	return 0;
}

/* Runs when the last reference to a thread goes: no sample of it can follow. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(wick_family_free, struct task_struct *task)
{
	u32 tgid = (u32)BPF_CORE_READ(task, tgid);

	if (BPF_CORE_READ(task, pid) == (int)tgid && in_family(task))
		bpf_map_delete_elem(&family, &tgid);
	return 0;
}
