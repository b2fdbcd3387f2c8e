/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_names.h: a kernel_namer (symbolize.h) that asks the kernel itself, by a BPF program. */
#ifndef COLLECT_KERNEL_KERNEL_NAMES_H
#define COLLECT_KERNEL_KERNEL_NAMES_H

#include "symbolize.h"

struct names_bpf; /* the skeleton, generated: build/names.skel.h */

/* As load_open(): load.h. */
int names_load(struct names_bpf **skeleton, u32 log_level, struct error *error);
/* The object file. */
const void *names_elf(size_t *size);

/* Loads the program, asks, and unloads it. Fits kernel_namer.names; self is not used. */
int kernel_prints_names(void *self, const u64 *addresses, size_t nr,
			void (*answer)(void *ctx, size_t i, const char *name, const char *module),
			void *ctx);

#endif
