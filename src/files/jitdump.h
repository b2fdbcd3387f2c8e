/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jitdump.h: what a runtime writes of code it made, as jit-PID.dump: a head, then records of code
 * that was loaded, each with its address, size, name and bytes (Linux,
 * tools/perf/Documentation/jitdump-specification.txt). The runtime maps the file as if it were
 * code, so that profilers see where it is.
 *
 * Code that was moved has its name in both places, unless later code is there; where it was moved
 * from may have samples of before. Lines and unwind tables are passed over.
 */
#ifndef FILES_JITDUMP_H
#define FILES_JITDUMP_H

#include "bytes.h"
#include "reply.h"

/* Whether a file of that name may be the dump of a process, by its own number for itself. */
bool jitdump_is_name(const char *path, u32 pid);

/*
 * Names the reply's addresses, ascending virtual ones; sets its `cut`. Returns how many got a name.
 * The file may end in the middle of a record, which its process is writing.
 */
u64 jitdump_name(const struct bytes *dump, struct files_symbols *reply);

#endif
