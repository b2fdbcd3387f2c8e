/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls.bpf.c: the brk and mmap instruments, by the two tracepoints of all system calls, the only
 * ones on older kernels that need neither kprobes nor tracefs; and address spaces that go.
 *
 * Other calls pass them too, so the first thing that is done is to leave. What counts is what a
 * call has returned. While anyone is attached there, every system call of the host takes the
 * kernel's longer way.
 */
#include "calls.h"

SEC("?tp_btf/sys_enter")
int BPF_PROG(wick_call_begins, struct pt_regs *regs, long number)
{
	struct task_struct *task;
	u64 begun;

	if (!is_memory_call((u64)number) && !IS_32_BIT_MMAP(number))
		return 0;
	task = bpf_get_current_task_btf();
	if (IS_32_BIT_CALL(task)) {
		if (IS_32_BIT_MMAP(number))
			meet_32_bit(task);
		return 0;
	}
	if (!is_memory_call((u64)number) || !is_watched((u64)number))
		return 0;
	begun = meter_begin(WICK_METER_CALL_BEGINS);
	call_begins(task, (u64)number);
	end_run(SPENDS_CALLS, WICK_METER_CALL_BEGINS, NOT_WALKED, begun, 0);
	return 0;
}

SEC("?tp_btf/sys_exit")
int BPF_PROG(wick_call_ends, struct pt_regs *regs, long ret)
{
	struct call call = {.regs = regs, .number = CALL_NUMBER(regs), .ret = ret};
	struct task_struct *task;
	enum outcome outcome;
	u64 begun;

	if (!is_memory_call(call.number))
		return 0;
	task = bpf_get_current_task_btf();
	if (!is_watched(call.number) || IS_32_BIT_CALL(task))
		return 0;
	begun = meter_begin(WICK_METER_CALL_ENDS);
	outcome = call_ends(&call, task);
	end_run(SPENDS_CALLS, WICK_METER_CALL_ENDS, outcome, begun, call.now);
	return 0;
}

/* ---- address spaces that go */

static __always_inline void send_gone(u64 mm)
{
	struct wick_counters *tally = common_counters();
	struct wick_mapping_body b = {.kind = WICK_MMAP, .gone = 1, .mm = mm};
	u64 now = bpf_ktime_get_ns();

	if (!tally || !in_window(now))
		return;
	body_begin(&b.body, WICK_BODY_MAPPING, 0, 0, now);
	if (bpf_ringbuf_output(&bodies, &b, sizeof(b), wakeup_flag()))
		tally->at[WICK_LOST_CHANGE]++;
}

/* The last user of an address space has ended, or has become another program. */
SEC("?tp_btf/exit_mmap")
int BPF_PROG(wick_memory_gone, struct mm_struct *mm)
{
	u64 address = 0;

	bpf_probe_read_kernel(&address, sizeof(address), &ctx[0]);
	send_gone(address);
	return 0;
}

/*
 * Before 6.1 no tracepoint says so. There, a process's first thread remembers the address space of
 * its last call, which goes when the process ends or becomes another program; but for one that is
 * still used by another process (vfork).
 */
static __always_inline void process_gone(struct task_struct *task)
{
	struct memory_thread *first =
		bpf_task_storage_get(&memory_threads, task->group_leader, NULL, 0);

	if (!first || !first->mm)
		return;
	send_gone(first->mm);
	first->mm = 0;
}

SEC("?tp_btf/sched_process_exit")
int BPF_PROG(wick_process_ends, struct task_struct *task)
{
	if (!BPF_CORE_READ(task, signal, live.counter)) /* its last thread */
		process_gone(task);
	return 0;
}

SEC("?tp_btf/sched_process_exec")
int BPF_PROG(wick_process_execs, struct task_struct *task)
{
	process_gone(task);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
