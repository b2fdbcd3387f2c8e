/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h: what the memory instruments (fault, brk, mmap) share: settings, and what they remember
 * of each thread.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include "count.h"
#include "capture_thread.h"
#include "places.h"

const volatile struct wick_memory_settings memory __weak = {};

/* What walks found: by faults, by calls that made memory resident, by calls for memory. */
enum { BY_FAULT, BY_RESIDENT, BY_CALL, NR_WAYS };

/* A fault that is done: what it has come to. */
struct fault {
	u64 ip, sp;
	struct wick_columns columns;
	u32 state; /* enum wick_memory_state */
	u32 pad;
};

/* The sums of its process's resident set (rss.h), as a thread saw them last. */
struct seen_sums {
	u64 set;
	s64 sum[NR_MM_COUNTERS];
	u32 cpu; /* where that was */
	u32 pad;
};

struct memory_thread {
	struct known_leg known;
	u64 last_mark; /* see quick_mark() */
	u32 unchecked; /* events since known.mark was looked at */
	u32 is_32_bit; /* of a process's first thread: counted as one of 32 bits */
	/* The fault that is under way. */
	u64 fault_began;	/* 0: none */
	u64 fault_ip, fault_sp; /* of the thread in user mode, when it began */
	s64 fault_pages;	/* by which the resident set has changed since */
	u64 rss_set;		/* see rss_set_by() */
	u32 fault_guessed;	/* how many of those changes were of unknown size */
	u32 pad;
	struct seen_sums seen;
	u64 found_in;	    /* the image and epoch of what is remembered below: see image_mark() */
	struct fault fault; /* here, since programs that walk have no stack to spare */
	/* The call that is under way. */
	u64 call_began;
	u64 old_break;
	u64 old_pages;	     /* where memory.by_lock: of all mappings */
	u64 room, room_size; /* what the kernel has found for it; a size of 0: it has not looked */
	u64 mm; /* of a process's first thread, where memory.no_exit_mmap: that of its last call */
	/* Faults and calls have ips of their own. */
	struct places places;
	struct stand_in stand_in[NR_WAYS];
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct memory_thread);
} memory_threads __weak SEC(".maps");

/* A thread's memory, made when it is first met; NULL, counted, when there is none to be had. */
static __always_inline struct memory_thread *memory_of(struct task_struct *task,
						       struct wick_counters *tally)
{
	struct memory_thread *m =
		bpf_task_storage_get(&memory_threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!m)
		tally->at[WICK_LOST_THREAD]++;
	return m;
}

static __always_inline bool on_wanted_cpu(void)
{
	return !filter.by_cpu || in_set(&cpus, bpf_get_smp_processor_id());
}

/* ---- the filters */

enum { CHECK_EVERY = 64 };

/* Of what leg_mark() is made from, what can be had without a helper: name and image. */
static __always_inline u64 quick_mark(struct task_struct *task)
{
	const u64 *comm = (const u64 *)task->comm;

	return comm[0] ^ (comm[1] << 13 | comm[1] >> 51) ^ (u64)task->self_exec_id << 32;
}

/* Of what stacks that were found depend on: a name is none of it. */
static __always_inline u64 image_mark(struct task_struct *task)
{
	return (window.epoch << 32 | task->self_exec_id) + 1;
}

/*
 * What is known of a thread goes when it is another program's, or bears another name; that it has
 * been moved to another cgroup is seen some events late. Places stay when it is only the name, or a
 * thread that renames itself all the time would be walked all the time.
 */
static __always_inline void check_thread(struct memory_thread *m, struct task_struct *task)
{
	u64 mark = quick_mark(task);

	if (mark == m->last_mark && ++m->unchecked % CHECK_EVERY)
		return;
	m->last_mark = mark;
	if (m->known.wanted == WANTED_UNKNOWN || m->known.mark == leg_mark(task))
		return;
	m->known.wanted = WANTED_UNKNOWN;
	mark = image_mark(task);
	if (m->found_in == mark)
		return;
	m->found_in = mark;
	forget_places(&m->places);
	for (u32 i = 0; i < NR_WAYS; i++)
		m->stand_in[i].is_there = 0;
}

/* After check_thread(). */
static __always_inline bool is_left_out(const struct memory_thread *m)
{
	return is_unwanted(&m->known) || !on_wanted_cpu();
}

/* ---- the budget */

/* What fault, and brk and mmap, spend of it: a row a spender. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NR_SPENDERS);
	__type(key, u32);
	__type(value, struct wick_spending);
} memory_spending __weak SEC(".maps");

static __always_inline struct wick_spending *spending_of(u32 spender)
{
	return bpf_map_lookup_elem(&memory_spending, &spender);
}

/* What a run has come to. */
enum outcome {
	NOT_WALKED,
	SAMPLED, /* walked, at the choice of the budget */
	OBLIGED, /* walked in any case: the budget has less left for the others */
};

/*
 * The end of a run. `begun` is what meter_begin() has said; a run that walks is timed in any case,
 * from `now` on.
 */
static __always_inline void end_run(u32 spender, u32 row, enum outcome outcome, u64 begun, u64 now)
{
	bool walked = outcome != NOT_WALKED;
	u64 ns = walked ? meter_end(row, true, now) : meter_end_begun(row, begun);
	struct wick_spending *s;

	if (!ns)
		return;
	s = spending_of(spender);
	if (s)
		spend_ns(s, outcome == SAMPLED, ns);
}

/* ---- places */

/*
 * Where the current task left user mode. A function, or the compiler reads the registers of a perf
 * event by the same instructions, which the verifier refuses.
 */
OWN_FRAME void user_place(struct task_struct *task, u64 *ip, u64 *sp)
{
	struct pt_regs *regs = task_user_regs(task);

	if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_task_pt_regs)) {
		*ip = REGS_IP(regs);
		*sp = REGS_SP(regs);
		return;
	}
	*ip = BPF_CORE_READ(regs, USER_IP);
	*sp = BPF_CORE_READ(regs, USER_SP);
}

/*
 * The stacks in the scratch's key are of an event of such a kind, at such a place.
 */
static __always_inline void note_walk(struct memory_thread *m, u32 way,
				      const struct wick_spending *s, const struct scratch *scratch,
				      enum choice choice, u64 ip, u64 sp, u32 state)
{
	const struct wick_key *key = &scratch->key;

	note_place(&m->places, s, ip, sp, state, key->user, key->kernel, scratch->walk.is_cut);
	if (choice == WALK_FOR_OTHERS || !m->stand_in[way].is_there)
		note_stand_in(&m->stand_in[way], s, key->user, key->kernel);
}

#endif
