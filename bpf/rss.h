/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rss.h: by how many pages a resident set has just changed.
 *
 * The tracepoint rss_stat says whose set and which of its counters, not by how much. A counter is a
 * sum that all CPUs share and a part of each CPU (lib/percpu_counter.c): an addition goes to the
 * CPU's part, and when that has become large, all of it goes to the sum. Every addition on a CPU
 * passes by here, on that CPU, so what the part was before is what was seen last time:
 *
 *	part is not 0			it has grown by the difference
 *	part is 0, the sum has moved	all of it went to the sum, with what was added
 *
 * In the second case another CPU may have moved the sum as well, and most often the thread itself
 * has, before it came from there: so a thread keeps the sums that it saw last, and brings them
 * along. What other threads have added meanwhile is left. No more than a huge page comes at once,
 * so what seems to be more is taken for the least that moves a part; so a set that many threads
 * fill at once can be a few pages off.
 *
 * Each CPU keeps the sets that it saw last; a fault's begin makes sure that its own is among them.
 */
#ifndef RSS_H
#define RSS_H

#include "memory.h"

enum {
	RSS_CELLS = 64, /* a CPU: sets that it remembers */
	MAP_HEAD = 512, /* bytes of a kernel's struct bpf_array up to its pointers, at most */
};

#if defined(__TARGET_ARCH_arm64)
enum { MOST_PAGES_AT_ONCE = 8192 }; /* 512 MB of 64 KB */
#else
enum { MOST_PAGES_AT_ONCE = 512 }; /* 2 MB of 4 KB */
#endif

struct rss_cell {
	u64 set;	   /* see rss_set() */
	u32 tgid, exec_id; /* whose: memory is used again */
	s64 sum[NR_MM_COUNTERS];
	u64 at[NR_MM_COUNTERS]; /* the addresses of the parts */
	s32 part[NR_MM_COUNTERS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, RSS_CELLS);
	__type(key, u32);
	__type(value, struct rss_cell);
} rss_cells __weak SEC(".maps");

struct rss_cpu {
	u64 base; /* + a pointer to memory of each CPU = this CPU's; 0: not known yet */
	u8 head[MAP_HEAD];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct rss_cpu);
} rss_cpus __weak SEC(".maps");

/*
 * From a pointer to memory of each CPU to this CPU's. The kernel has that in a variable that
 * programs do not get at; but a map of arrays, one a CPU, is such memory: the kernel has the
 * pointer in the map, and gives us the address.
 */
VERIFIED_ONCE u64 this_cpu_base(void)
{
	u64 at = bpf_core_field_offset(struct bpf_array, pptrs), pointer = 0, address = 0;
	struct rss_cpu *cpu, *found;
	u32 zero = 0;

	cpu = found = bpf_map_lookup_elem(&rss_cpus, &zero);
	if (!cpu)
		return 0;
	if (cpu->base)
		return cpu->base;
	if (at > MAP_HEAD - sizeof(u64) || bpf_probe_read_kernel(cpu->head, MAP_HEAD, &rss_cpus) ||
	    bpf_probe_read_kernel(&pointer, sizeof(pointer), cpu->head + at))
		return 0;
	/* The address as a number. */
	bpf_probe_read_kernel(&address, sizeof(address), &found);
	cpu->base = address - pointer;
	return cpu->base;
}

static __always_inline void read_counter(struct rss_cell *cell, u32 i, s64 sum)
{
	cell->sum[i] = sum;
	if (bpf_probe_read_kernel(&cell->part[i], sizeof(cell->part[i]), (void *)cell->at[i]))
		cell->part[i] = 0;
}

/*
 * Macros: the index has to be a number in the source, or the kernel's layout is not what is
 * relocated to.
 */
#define RSS_READ(cell, mm, i) read_counter(cell, i, (mm)->rss_stat[i].count)

#define RSS_MEET(cell, mm, i, base)                                                                \
	do {                                                                                       \
		(cell)->at[i] = (u64)(mm)->rss_stat[i].counters + (base);                          \
		RSS_READ(cell, mm, i);                                                             \
	} while (0)

/* What a set is known by: the pointer to its parts, read as a number. */
static __always_inline u64 rss_set(struct mm_struct *mm)
{
	return (u64)BPF_CORE_READ(mm, rss_stat[0].counters);
}

/*
 * The same without a helper: what is read from a map's value is a number, whatever was written.
 * `at` is the thread's own, since a program can be preempted.
 */
static __always_inline u64 rss_set_by(volatile u64 *at, struct mm_struct *mm)
{
	*at = (u64)mm->rss_stat[0].counters;
	return *at;
}

static __always_inline struct rss_cell *rss_cell(u64 set)
{
	u32 slot = (u32)(set * 0x9e3779b97f4a7c15ull >> 32) % RSS_CELLS;

	return bpf_map_lookup_elem(&rss_cells, &slot);
}

/*
 * Whether the CPU knows the set. `execs`: of the program that the current task is about to become.
 */
static __always_inline bool rss_is_known(const struct rss_cell *cell, u64 set,
					 struct task_struct *task, u32 execs)
{
	return cell->set == set && cell->tgid == (u32)task->tgid &&
	       cell->exec_id == (u32)task->self_exec_id + execs;
}

/* From now on it does. */
static __always_inline void rss_meet(struct rss_cell *cell, u64 set, struct mm_struct *mm,
				     struct task_struct *task, u32 execs)
{
	u64 base = this_cpu_base();

	cell->set = set;
	cell->tgid = (u32)task->tgid;
	cell->exec_id = (u32)task->self_exec_id + execs;
	RSS_MEET(cell, mm, MM_FILEPAGES, base);
	RSS_MEET(cell, mm, MM_ANONPAGES, base);
	RSS_MEET(cell, mm, MM_SWAPENTS, base);
	RSS_MEET(cell, mm, MM_SHMEMPAGES, base);
}

/* The thread looks at the sums, and its CPU with it: both know the set. */
static __always_inline void rss_look(struct rss_cell *cell, struct seen_sums *sums, u64 set,
				     struct mm_struct *mm)
{
	sums->set = set;
	sums->cpu = bpf_get_smp_processor_id();
	cell->sum[MM_FILEPAGES] = sums->sum[MM_FILEPAGES] = mm->rss_stat[MM_FILEPAGES].count;
	cell->sum[MM_ANONPAGES] = sums->sum[MM_ANONPAGES] = mm->rss_stat[MM_ANONPAGES].count;
	cell->sum[MM_SWAPENTS] = sums->sum[MM_SWAPENTS] = mm->rss_stat[MM_SWAPENTS].count;
	cell->sum[MM_SHMEMPAGES] = sums->sum[MM_SHMEMPAGES] = mm->rss_stat[MM_SHMEMPAGES].count;
}

/* A thread that saw the set last on another CPU knows more of its sums than this one. */
static __always_inline void rss_come(struct rss_cell *cell, struct seen_sums *sums, u64 set)
{
	u32 cpu = bpf_get_smp_processor_id();

	if (sums->set == set && sums->cpu != cpu)
		__builtin_memcpy(cell->sum, sums->sum, sizeof(cell->sum));
	sums->cpu = cpu;
}

/* After a change. */
static __always_inline void rss_note(const struct rss_cell *cell, struct seen_sums *sums, u64 set)
{
	sums->set = set;
	__builtin_memcpy(sums->sum, cell->sum, sizeof(cell->sum));
}

/* By how many pages a counter has changed since this CPU looked at it last. */
static __always_inline s64 rss_change(struct rss_cell *cell, struct mm_struct *mm, u32 member)
{
	s64 sum, pages;
	u32 i = member;
	s32 part;

	/* The verifier has to see it, where the compiler knows it already. */
	barrier_var(i);
	i %= NR_MM_COUNTERS;
	sum = cell->sum[i];
	part = cell->part[i];
	if (i == MM_FILEPAGES)
		RSS_READ(cell, mm, MM_FILEPAGES);
	else if (i == MM_ANONPAGES)
		RSS_READ(cell, mm, MM_ANONPAGES);
	else if (i == MM_SWAPENTS)
		RSS_READ(cell, mm, MM_SWAPENTS);
	else
		RSS_READ(cell, mm, MM_SHMEMPAGES);
	if (cell->part[i] || cell->sum[i] == sum)
		return cell->part[i] - part;
	pages = cell->sum[i] - sum - part;
	return pages > MOST_PAGES_AT_ONCE ? 1 : pages;
}

#endif
