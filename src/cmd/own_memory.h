/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own_memory.h: a run keeps what it has seen until it ends: its threads, stacks and samples. On a
 * host that starts processes without end that grows without end, so a run that would take more
 * memory than it may is ended, while there is room for names and pictures.
 */
#ifndef CMD_OWN_MEMORY_H
#define CMD_OWN_MEMORY_H

#include "options.h"
#include "profile.h"

/* Bytes that this process has allocated, also where they are swapped. 0: not known. */
u64 own_memory(void);
/* Says that this process takes more than --max-memory, and so the run ends; else false. */
bool own_memory_is_full(const struct run_options *o, const struct profile *p);

#endif
