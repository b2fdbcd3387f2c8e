/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * switch_hook.h: the sched instrument's settings, and on which rung of the ladder of hooks it
 * stands.
 */
#ifndef COLLECT_KERNEL_SWITCH_HOOK_H
#define COLLECT_KERNEL_SWITCH_HOOK_H

#include "collect.h"

struct wick_bpf;

/*
 * Before loading: which of its programs are loaded, and how they work. -ENOTSUP: the kernel has not
 * the hook that was asked for.
 */
int hooks_choose(struct wick_bpf *skeleton, const struct collect_options *o, struct error *error);
/* The kprobe on the end of a switch; -ENOTSUP. */
int hooks_attach_finish(struct wick_bpf *skeleton);

#endif
