/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_line.h: the lines that `perf script` prints (process_event() and perf_sample__fprintf_*() in
 * Linux's tools/perf). Which fields are there depends on the event and on -F:
 *
 *	[comm] PID[/TID] [CPU] [flags] [time:] [period] event: [what a tracepoint says | a frame]
 *		[address] symbol[+offset] (module)
 *
 * Strings point into the line.
 */
#ifndef INPUT_PERF_LINE_H
#define INPUT_PERF_LINE_H

#include "base/strings.h"

struct perf_event {
	struct string comm;	/* "": not printed */
	struct string pid, tid; /* `pid` is "" where there is one number only */
	bool has_time, has_period;
	u64 period;
	struct string event; /* "cycles:u", "sched:sched_switch"; "": not printed */
	struct string rest;  /* behind that */
};

struct perf_frame {
	struct string symbol, module; /* "": not printed; [unknown]: perf does not know it */
	u64 address;
	bool inlined;
};

/* False: the line is none. */
bool perf_event_parse(struct string line, struct perf_event *event);
bool perf_frame_parse(struct string line, struct perf_frame *frame);

#endif
