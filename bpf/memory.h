/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory.h: what the memory instruments (fault, brk, mmap) share: settings, and what they remember
 * of each thread.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include "count.h"
#include "capture_thread.h"

const volatile struct wick_memory_settings memory __weak = {};

enum { FAULT_PLACES = 4 };

/* Where faults have been walked, and what that has found. */
struct fault_place {
	u64 ip, sp; /* 0: none */
	u64 user, kernel;
	u32 state;   /* enum wick_memory_state */
	u32 walk_in; /* how many faults until it is walked again */
};

struct memory_thread {
	struct known_leg known;
	/* The fault that is under way. */
	u64 fault_began; /* 0: none */
	s64 fault_pages; /* by which the resident set has changed since */
	/* See fault.bpf.c. */
	struct fault_place places[FAULT_PLACES];
	u64 last_ip, last_sp; /* of the fault before */
	u32 latest;	      /* of the places */
	u32 walk_in;	      /* how many faults at other places until one of them is walked */
	u32 is_32_bit;	      /* of a process's first thread: counted as one of 32 bits */
	u32 fault_guessed;    /* how many of those changes were of unknown size */
	/* The call that is under way. */
	u64 call_began;
	u64 old_break;
	u64 mm; /* of a process's first thread, where memory.no_exit_mmap: that of its last call */
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

#endif
