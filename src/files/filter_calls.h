/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter_calls.h: which system calls a parser may make (seccomp). */
#ifndef FILES_FILTER_CALLS_H
#define FILES_FILTER_CALLS_H

/* From now on, any other ends the process. A negative errno where the kernel refuses. */
int filter_calls(void);

#endif
