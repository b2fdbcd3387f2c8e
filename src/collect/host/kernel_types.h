/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel_types.h: questions to the kernel's type information (BTF), which says more than a version:
 * distributions backport.
 */
#ifndef COLLECT_HOST_KERNEL_TYPES_H
#define COLLECT_HOST_KERNEL_TYPES_H

#include "base/base.h"

struct btf;
struct btf_type;
struct error;

/* Where it is. */
extern const char kernel_btf[];

/* Does anything in it have this name? A look through all names, without libbpf. */
bool kernel_has_name(const char *name);
bool has_tracepoint(const char *name);
/* Does the kernel have a helper for BPF programs? "task_pt_regs" for bpf_task_pt_regs(). */
bool has_helper(const char *name);

/* The type of a struct's member, also inside of unnamed structs and unions; NULL: there is none. */
const struct btf_type *member_of(const struct btf *types, const char *name, const char *member);

/*
 * Does the kernel have the tracepoints of bpf/locked_calls.bpf.c, and do they cost little? Before
 * 6.14 they tell of the process's cgroup by its path, which is made each time.
 */
bool has_lock_tracepoints(void);

/* Does the kernel have counters of the resident set that bpf/rss.h can read? */
bool has_rss_counters(const struct btf *types);

/*
 * Linux 5.10 and older are too old. 5.14, which RHEL 9 has, is the first with task_struct.__state.
 * -ENOTSUP, with a sentence that says what this kernel is. `types`: the kernel's, or a part of
 * them; NULL: they could not be read.
 */
int kernel_check_age(const struct btf *types, struct error *error);

#endif
