/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calls.bpf.c: the brk and mmap instruments: memory that a process asks the kernel for, and gives
 * back.
 *
 * The two tracepoints of all system calls are the only ones that need neither kprobes nor tracefs.
 * Other calls pass them too, so the first thing that is done is to leave. What counts is what a
 * call has returned. Each change is sent as well: user space follows which of it is still there in
 * the end.
 *
 * When a call returns, the kernel may already have handed the memory that it gave back to another
 * thread. So memory that is given back bears the time when the call was entered, and new memory the
 * time when the call returned.
 */
#include "memory.h"
#include <bpf/bpf_tracing.h>

static __always_inline bool is_memory_call(u64 number)
{
	const u64 calls = 1ull << (CALL_MMAP - FIRST_CALL) | 1ull << (CALL_MUNMAP - FIRST_CALL) |
			  1ull << (CALL_BRK - FIRST_CALL) | 1ull << (CALL_MREMAP - FIRST_CALL);

	return number - FIRST_CALL < 64 && calls >> (number - FIRST_CALL) & 1;
}

static __always_inline bool is_brk(u64 number)
{
	return number == CALL_BRK;
}

/* The instrument is at work. */
static __always_inline bool is_watched(u64 number)
{
	return is_brk(number) ? memory.brk : memory.mmap;
}

/* Counters of events that belong to no sample. */
static __always_inline struct wick_counters *common_counters(void)
{
	return counters_of(memory.mmap ? WICK_MMAP : WICK_BRK);
}

/* A process of which nothing is seen here: its calls have other numbers. */
static __always_inline void meet_32_bit(struct task_struct *task)
{
	struct wick_counters *tally = common_counters();
	struct memory_thread *first;

	if (!tally || !in_window(bpf_ktime_get_ns()))
		return;
	first = bpf_task_storage_get(&memory_threads, task->group_leader, NULL,
				     BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (first && !first->is_32_bit) {
		first->is_32_bit = 1;
		tally->at[WICK_32_BIT]++;
	}
}

/* See process_gone(). */
static __always_inline void remember_mm(struct task_struct *task)
{
	struct memory_thread *first = bpf_task_storage_get(&memory_threads, task->group_leader,
							   NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (first)
		first->mm = (u64)BPF_CORE_READ(task, mm);
}

SEC("?tp_btf/sys_enter")
int BPF_PROG(wick_call_begins, struct pt_regs *regs, long number)
{
	struct task_struct *task;
	struct wick_counters *tally;
	struct memory_thread *m;

	if (!is_memory_call((u64)number) && !IS_32_BIT_MMAP(number))
		return 0;
	task = bpf_get_current_task_btf();
	if (IS_32_BIT_CALL(task)) {
		if (IS_32_BIT_MMAP(number))
			meet_32_bit(task);
		return 0;
	}
	tally = common_counters();
	if (!tally || !is_memory_call((u64)number) || !is_watched((u64)number))
		return 0;
	m = memory_of(task, tally);
	if (!m)
		return 0;
	if (memory.no_exit_mmap)
		remember_mm(task);
	m->call_began = bpf_ktime_get_ns();
	m->old_break = is_brk((u64)number) ? BPF_CORE_READ(task, mm, brk) : 0;
	return 0;
}

/* ---- what a call has done */

static __always_inline u64 round_up(u64 size, u32 bits)
{
	u64 mask = (1ull << bits) - 1;

	return (size + mask) & ~mask;
}

static __always_inline u64 in_pages(u64 size)
{
	return round_up(size, filter.page_bits);
}

static __always_inline void read_mmap(struct wick_mapping_body *b, struct pt_regs *regs, u64 ret)
{
	u64 size = CALL_SECOND(regs), flags = CALL_FOURTH(regs), protection = CALL_THIRD(regs);
	u32 bits = flags >> MAP_HUGE_SHIFT & MAP_HUGE_MASK;

	b->to = ret;
	b->to_size = flags & MAP_HUGETLB ? round_up(size, bits ? bits : memory.huge_page_bits)
					 : in_pages(size);
	b->state = flags & MAP_ANONYMOUS ? 0 : WICK_MEMORY_FILE;
	if (!protection)
		b->state |= WICK_MEMORY_RESERVED;
}

static __always_inline void read_munmap(struct wick_mapping_body *b, struct pt_regs *regs)
{
	b->from = CALL_FIRST(regs);
	b->from_size = in_pages(CALL_SECOND(regs));
}

static __always_inline void read_mremap(struct wick_mapping_body *b, struct pt_regs *regs, u64 ret)
{
	u64 from = CALL_FIRST(regs), flags = CALL_FOURTH(regs);
	u64 old = in_pages(CALL_SECOND(regs)), new = in_pages(CALL_THIRD(regs));

	b->to = ret;
	b->to_size = new;
	/* The old one stays; for a size of 0, the new one is another view of it. */
	if (flags & MREMAP_DONTUNMAP || !old)
		return;
	b->from = from;
	b->from_size = old;
	b->moved = old < new ? old : new;
}

static __always_inline void read_brk(struct wick_mapping_body *b, u64 old, u64 new)
{
	if (new > old) {
		b->to = old;
		b->to_size = new - old;
	} else {
		b->from = new;
		b->from_size = old - new;
	}
}

/* True when the call has changed something. */
static __always_inline bool read_call(struct wick_mapping_body *b, struct pt_regs *regs, u64 number,
				      u64 old_break, long ret)
{
	if (ret < 0 && ret >= -4095) /* -MAX_ERRNO */
		return false;
	if (is_brk(number))
		read_brk(b, old_break, (u64)ret);
	else if (number == CALL_MMAP)
		read_mmap(b, regs, (u64)ret);
	else if (number == CALL_MUNMAP)
		read_munmap(b, regs);
	else
		read_mremap(b, regs, (u64)ret);
	return b->from_size || b->to_size;
}

static __always_inline void send_change(struct wick_mapping_body *b, struct task_struct *task,
					u64 now, struct wick_counters *tally)
{
	b->mm = (u64)BPF_CORE_READ(task, mm);
	body_begin(&b->body, WICK_BODY_MAPPING, 0, 0, now);
	if (bpf_ringbuf_output(&bodies, b, sizeof(*b), wakeup_flag()))
		tally->at[WICK_LOST_CHANGE]++;
}

/* Counts what is new, with the stack of the call, and tells user space of it. */
static __always_inline void count_new(void *ctx, struct wick_mapping_body *b,
				      struct task_struct *task, struct memory_thread *m,
				      struct scratch *s, u64 now, struct wick_counters *tally)
{
	struct wick_columns columns = {.column = {1, b->to_size - b->moved}};
	struct wick_key *key = &s->key;

	if (!take_leg(s, task, &m->known, now, tally))
		return;
	if (!filter.no_user_stack && has_user_stack(task)) {
		walk_begin_in_kernel(&s->walk, task);
		key->user = walked_user_stack(task, s, now, tally);
		/* Only the kernel knows whether what mremap() has made larger is of a file. */
		if (b->moved && mapping_at(&s->walk.mappings, b->to)->has_file)
			b->state |= WICK_MEMORY_FILE;
	}
	key->kind = b->kind;
	key->state = b->state;
	b->leg = key->leg;
	b->user = key->user;
	count(key, &columns, tally);
}

/* What others give back counts too, where the filters pick threads out of a process. */
static __always_inline bool picks_threads(void)
{
	return filter.by_tid || filter.by_comm || filter.by_cgroup;
}

/* What the call has done, into s->change, counted and sent. */
static __always_inline void take_change(void *ctx, struct scratch *s, struct pt_regs *regs,
					u64 number, long ret, struct task_struct *task,
					struct memory_thread *m, u64 now,
					struct wick_counters *tally)
{
	struct wick_mapping_body *b = &s->change;

	__builtin_memset(b, 0, sizeof(*b));
	b->kind = is_brk(number) ? WICK_BRK : WICK_MMAP;
	b->since = m->call_began;
	if (!read_call(b, regs, number, m->old_break, ret))
		return;
	tally->at[WICK_RAN]++;
	look_again(&m->known, task);
	if (b->to_size > b->moved && m->known.wanted != UNWANTED && on_wanted_cpu())
		count_new(ctx, b, task, m, s, now, tally);
	b->wanted = m->known.wanted != UNWANTED;
	if (b->wanted || picks_threads())
		send_change(b, task, now, tally);
}

static __always_inline void call_ends(void *ctx, struct pt_regs *regs, u64 number, long ret,
				      struct task_struct *task)
{
	struct memory_thread *m = bpf_task_storage_get(&memory_threads, task, NULL, 0);
	struct wick_counters *tally = counters_of(is_brk(number) ? WICK_BRK : WICK_MMAP);
	u64 now = bpf_ktime_get_ns();

	if (!tally || !m || !m->call_began)
		return;
	if (in_window(now)) {
		_cleanup_(scratch_give_back) struct scratch *s = scratch_take(tally);

		if (s)
			take_change(ctx, s, regs, number, ret, task, m, now, tally);
	}
	m->call_began = 0;
}

SEC("?tp_btf/sys_exit")
int BPF_PROG(wick_call_ends, struct pt_regs *regs, long ret)
{
	u64 number = CALL_NUMBER(regs);
	struct task_struct *task;

	if (!is_memory_call(number))
		return 0;
	task = bpf_get_current_task_btf();
	if (is_watched(number) && !IS_32_BIT_CALL(task))
		call_ends(ctx, regs, number, ret, task);
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
