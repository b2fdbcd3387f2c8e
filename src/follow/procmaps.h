/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * procmaps.h: the executable mappings of a process that is older than the run, from the text of
 * /proc/PID/maps.
 */
#ifndef FOLLOW_PROCMAPS_H
#define FOLLOW_PROCMAPS_H

#include "files.h"

/*
 * Calls `mapping` for each; what it is given is good until it returns. The text is changed.
 */
void procmaps_parse(u32 pid, char *text,
		    void (*mapping)(void *ctx, const struct files_mapping *m, u64 offset),
		    void *ctx);

#endif
