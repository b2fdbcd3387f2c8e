/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfmap.h: the names that a runtime writes for code it made: /tmp/perf-PID.map, a line for each
 * function, `START SIZE NAME`, numbers in hexadecimal (Linux,
 * tools/perf/Documentation/jit-interface.txt).
 */
#ifndef FILES_PERFMAP_H
#define FILES_PERFMAP_H

#include "bytes.h"
#include "reply.h"

/* Names the reply's addresses, ascending virtual ones; sets its `cut`. Returns how many got a name.
 */
u64 perfmap_name(const struct bytes *map, struct files_symbols *reply);

#endif
