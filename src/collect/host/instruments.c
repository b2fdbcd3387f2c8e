/* SPDX-License-Identifier: GPL-2.0-or-later */
/* instruments.c: the table of instruments, each a file in bpf/. */
#include "collect.h"

const struct instrument instruments[] = {
	[WICK_CPU] = {"cpu", "running threads: samples of each CPU (perf event cpu-clock)"},
	[WICK_SCHED] = {"sched", "waiting threads: every switch and wakeup (BTF tracepoints)"},
	[WICK_FAULT] = {"fault", "resident memory: every page fault (perf events, rss_stat)"},
	[WICK_BRK] = {"brk", "growth of the heap: every brk() (system call tracepoints)"},
	[WICK_MMAP] = {"mmap",
		       "mappings: every mmap(), mremap(), munmap() (system call tracepoints)"},
};

const size_t nr_instruments = ARRAY_SIZE(instruments);
_Static_assert(ARRAY_SIZE(instruments) == WICK_NR_KINDS, "an instrument for each kind of sample");

const struct switch_hook switch_hooks[] = {
	{"sched_exit", "at the switch's end, by its own tracepoint (since 6.18)"},
	{"finish_task_switch", "at the switch's end, by a kprobe"},
	{"switch-out", "before the switch, in the thread that leaves: every block is walked"},
};

const size_t nr_switch_hooks = ARRAY_SIZE(switch_hooks);
