/* SPDX-License-Identifier: GPL-2.0-or-later */
/* instruments.c: the table of instruments, each a file in bpf/. */
#include "instrument.h"

#include <linux/perf_event.h>

const struct instrument instruments[] = {
	[WICK_CPU] =
		{
			.name = "cpu",
			.summary = "running threads: samples of each CPU (perf event cpu-clock)",
			.columns = {{"samples", "samples"}},
			.event = "cpu-clock",
			.event_config = PERF_COUNT_SW_CPU_CLOCK,
			.programs = {"wick_cpu"},
		},
	[WICK_SCHED] =
		{
			.name = "sched",
			.summary = "waiting threads: every switch and wakeup (BTF tracepoints)",
			.columns = {{"count", "count"},
				    {"time", "ns"},
				    {"longest", "ns", MERGE_MAX}},
			.tracepoints = {"sched_switch", "sched_waking", "sched_wakeup_new"},
			.programs = {"wick_switch", "wick_waking", "wick_wakeup_new"},
		},
	[WICK_FAULT] =
		{
			.name = "fault",
			.summary = "resident memory: every page fault (perf events, rss_stat)",
			.columns = {{"faults", "faults"}, {"resident", "bytes"}, {"time", "ns"}},
			.event = "page-faults",
			.event_config = PERF_COUNT_SW_PAGE_FAULTS,
			.programs = {"wick_fault_begins", "wick_fault_ends"},
		},
	[WICK_BRK] =
		{
			.name = "brk",
			.summary = "growth of the heap: every brk() (tracepoints: see call hooks)",
			.columns = {{"calls", "calls"},
				    {"grown", "bytes"},
				    {"held", "bytes", MERGE_END}},
			.tracepoints = {"sys_enter", "sys_exit"},
			.programs = {"wick_call_begins", "wick_call_ends"},
		},
	[WICK_MMAP] =
		{
			.name = "mmap",
			.summary =
				"mappings: every mmap(), mremap(), munmap() (tracepoints: see call hooks)",
			.columns = {{"calls", "calls"},
				    {"mapped", "bytes"},
				    {"held", "bytes", MERGE_END}},
			.tracepoints = {"sys_enter", "sys_exit"},
			.programs = {"wick_call_begins", "wick_call_ends"},
		},
};

const size_t nr_instruments = ARRAY_SIZE(instruments);
_Static_assert(ARRAY_SIZE(instruments) == WICK_NR_KINDS, "an instrument for each kind of sample");

bool needs_perf_event(u32 needs)
{
	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++)
		if (needs & 1u << kind && instruments[kind].event)
			return true;
	return false;
}
