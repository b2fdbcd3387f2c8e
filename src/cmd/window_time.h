/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window_time.h: moments of a run's window, as a user names them. */
#ifndef CMD_WINDOW_TIME_H
#define CMD_WINDOW_TIME_H

#include "base/base.h"

/*
 * Nanoseconds after the window's begin: of seconds after it, "12.5", or of a time of day, "14:05"
 * or "14:05:30.5", the first one after `wall_start_ns`, the CLOCK_REALTIME of the begin. -EINVAL:
 * it is neither; `which` is what the message calls it: "begin of a part".
 */
int time_in_window(const char *which, const char *text, u64 wall_start_ns, u64 *ns,
		   struct error *error);

#endif
