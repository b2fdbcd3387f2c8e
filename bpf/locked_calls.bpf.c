/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locked_calls.bpf.c: the brk and mmap instruments, by the lock that their calls take, where other
 * calls come by seldom:
 *
 *	mmap_lock_acquire_returned	for writing: nothing is changed yet
 *	vm_unmapped_area		the kernel has looked for room
 *	mmap_lock_released		all is changed; no other thread can change it again before
 *
 * So nothing is added to system calls that do not lock the mappings of their process, as sys_enter
 * and sys_exit do. The call has not returned yet when it is looked at: see find_result(). Since
 * 6.14: before, these tracepoints make the name of the process's cgroup each time.
 *
 * A munmap(), brk() or mremap() that gives back can go on as a reader, and releases the lock as
 * such.
 */
#include "calls.h"

/* The call that the current task is in, if its own mappings are locked. */
static __always_inline struct pt_regs *call_under_lock(struct task_struct *task,
						       struct mm_struct *mm)
{
	if (task->mm != mm || task->flags & (PF_KTHREAD | PF_IO_WORKER))
		return NULL;
	return task_user_regs(task);
}

static __always_inline bool is_watched_call(u64 number)
{
	return is_memory_call(number) && is_watched(number);
}

static __always_inline void lock_taken(struct task_struct *task, u64 number)
{
	u64 begun;

	if (!is_memory_call(number) && !IS_32_BIT_MMAP(number))
		return;
	if (IS_32_BIT_CALL(task)) {
		if (IS_32_BIT_MMAP(number))
			meet_32_bit(task);
		return;
	}
	if (!is_watched_call(number))
		return;
	begun = meter_begin(WICK_METER_LOCK_TAKEN);
	call_begins(task, number);
	end_run(SPENDS_CALLS, WICK_METER_LOCK_TAKEN, NOT_WALKED, begun, 0);
}

SEC("?tp_btf/mmap_lock_acquire_returned")
int BPF_PROG(wick_lock_taken, struct mm_struct *mm, bool write, bool success)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct pt_regs *regs;

	if (!write || !success)
		return 0;
	regs = call_under_lock(task, mm);
	if (regs)
		lock_taken(task, (u64)CALL_NUMBER(regs));
	return 0;
}

SEC("?tp_btf/vm_unmapped_area")
int BPF_PROG(wick_room_found, unsigned long address, struct vm_unmapped_area_info *wanted)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 begun = meter_begin(WICK_METER_ROOM_FOUND);
	struct memory_thread *m = bpf_task_storage_get(&memory_threads, task, NULL, 0);

	if (m && m->call_began) {
		m->room = address;
		m->room_size = wanted->length;
	}
	end_run(SPENDS_CALLS, WICK_METER_ROOM_FOUND, NOT_WALKED, begun, 0);
	return 0;
}

SEC("?tp_btf/mmap_lock_released")
int BPF_PROG(wick_lock_released, struct mm_struct *mm, bool write)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct call call = {.regs = call_under_lock(task, mm)};
	enum outcome outcome;
	u64 begun;

	(void)write;
	if (!call.regs)
		return 0;
	call.number = (u64)CALL_NUMBER(call.regs);
	if (!is_watched_call(call.number) || IS_32_BIT_CALL(task))
		return 0;
	begun = meter_begin(WICK_METER_LOCK_RELEASED);
	if (is_brk(call.number))
		call.ret = (long)BPF_CORE_READ(mm, brk);
	outcome = call_ends(&call, task);
	end_run(SPENDS_CALLS, WICK_METER_LOCK_RELEASED, outcome, begun, call.now);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
