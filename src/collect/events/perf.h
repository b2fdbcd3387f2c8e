/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf.h: perf_event_open(), and what to say when it is refused. */
#ifndef COLLECT_EVENTS_PERF_H
#define COLLECT_EVENTS_PERF_H

#include <linux/perf_event.h>

#include "base/base.h"

/* For all tasks on one CPU. The descriptor, or a negative errno. */
int perf_open_on_cpu(struct perf_event_attr *attr, u32 cpu);
/* Fills *error for a perf_event_open() that failed with `code`, and returns that. */
int perf_refused(struct error *error, int code, const char *what);

#endif
