/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java_open.h: finding the memory of a process that runs a Java VM. In an opener.
 */
#ifndef FILES_JAVA_OPEN_H
#define FILES_JAVA_OPEN_H

#include "perf_map_open.h"

/*
 * FILES_OK with *look set, a descriptor to look through (O_PATH) of /proc/PID/mem, and where the
 * process has mapped libjvm.so. FILES_NO_MAP where it has not, FILES_GONE where it has ended.
 */
enum files_state java_find_memory(const struct jit_process *process, u64 *libjvm, int *look);

#endif
