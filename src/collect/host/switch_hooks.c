/* SPDX-License-Identifier: GPL-2.0-or-later */
/* switch_hooks.c: the ladder of hooks at the end of a switch. */
#include "collect.h"

const struct switch_hook switch_hooks[] = {
	{"sched_exit", "at the switch's end, by its own tracepoint (since 6.18)"},
	{"finish_task_switch", "at the switch's end, by a kprobe"},
	{"switch-out", "before the switch, in the thread that leaves: every block is walked"},
};

const size_t nr_switch_hooks = ARRAY_SIZE(switch_hooks);
