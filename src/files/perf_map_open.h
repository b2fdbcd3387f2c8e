/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_map_open.h: finding the perf map of a process that makes code at run time. In an opener.
 */
#ifndef FILES_PERF_MAP_OPEN_H
#define FILES_PERF_MAP_OPEN_H

#include "open.h"

/* What must be known of a process before it is gone. */
struct jit_process {
	u32 pid;       /* in wick's pid namespace */
	u32 inner_pid; /* in its own: what its runtime writes into the file's name; 0: not known */
	u64 start_ns;  /* CLOCK_BOOTTIME; 0: not known */
	uid_t uid;     /* effective, as is ... */
	gid_t gid;
	s64 started; /* CLOCK_REALTIME, seconds */
};

/* Whose process is it (effective)? -1 where it is gone. Waits for nothing. */
uid_t process_owner(u32 pid);

/*
 * Fills what is missing in *process and opens its root directory; a descriptor, or -ESRCH when the
 * process is gone or is another one that got its pid.
 */
int jit_announce(struct jit_process *process);
/*
 * Opens the directory of the process in /proc, by which only it can be seen, and no other that gets
 * its pid; -ESRCH where it is gone.
 */
int jit_open_process(const struct jit_process *process);
/*
 * Looks for the process's perf map inside of `root`. FILES_OK with *look set, a descriptor to look
 * through (O_PATH), or why not.
 */
enum files_state jit_find(const struct jit_process *process, int root, int *look);

#endif
