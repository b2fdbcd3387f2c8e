/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hooks.c: the ladders of hooks. */
#include "collect.h"

const struct hook switch_hooks[] = {
	{"sched_exit", "at the switch's end, by its own tracepoint (since 6.18)"},
	{"finish_task_switch", "at the switch's end, by a kprobe"},
	{"switch-out", "before the switch, in the thread that leaves: every block is walked"},
};

const size_t nr_switch_hooks = ARRAY_SIZE(switch_hooks);

const struct hook call_hooks[] = {
	{"mmap_lock", "when the lock of the process's mappings is taken and released (since 6.14)"},
	{"sys_exit", "by the tracepoints of all system calls, which makes each take longer"},
};

const size_t nr_call_hooks = ARRAY_SIZE(call_hooks);
