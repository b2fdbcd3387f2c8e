/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * procmaps.h: the executable mappings of a process that is older than the run, from /proc/PID/maps.
 */
#ifndef FOLLOW_PROCMAPS_H
#define FOLLOW_PROCMAPS_H

#include "files.h"

/*
 * Calls `mapping` for each; what it is given is good until it returns. -ENOENT and others where
 * there is nothing to read: the process is gone, or is a kernel thread.
 */
int procmaps_read(u32 pid, void (*mapping)(void *ctx, const struct files_mapping *m, u64 offset),
		  void *ctx);
/* The same of what stands in such a file, a string, which is cut into pieces. */
void procmaps_parse(u32 pid, char *text,
		    void (*mapping)(void *ctx, const struct files_mapping *m, u64 offset),
		    void *ctx);

#endif
