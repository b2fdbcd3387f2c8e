/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * memory_settings.h: which maps of the memory instruments (fault, brk, mmap) a run takes, which
 * programs beside those of their rows, and their settings.
 */
#ifndef COLLECT_KERNEL_MEMORY_SETTINGS_H
#define COLLECT_KERNEL_MEMORY_SETTINGS_H

#include "collect.h"

struct wick_bpf;
struct btf;

/*
 * `types`: the part of the kernel's that the programs use; NULL where it could not be cut out.
 * -ENOTSUP: the hook that the options ask for is not there.
 */
int memory_choose(struct wick_bpf *skeleton, const struct collect_options *options,
		  const struct btf *types, struct error *error);

#endif
