/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf_names.h: what perf script calls frames, events and threads, as wick calls it.
 */
#ifndef INPUT_PERF_NAMES_H
#define INPUT_PERF_NAMES_H

#include "perf_line.h"
#include "tree.h"
#include "unit.h"

struct perf_frames {
	VEC_FIELDS(struct tree_frame);
};

/*
 * Appends a frame, leaf first; of a perf map whose functions tell what was inlined into them
 * ("a->b->c"), one for each.
 */
void perf_add_frame(struct perf_frames *frames, struct strings *names,
		    const struct perf_frame *frame);

/* "cycles" of "cycles:u": without the letters that say when it counts. */
struct string perf_event_base(struct string event);
/* What periods of that event are. Its name lives as long as `names`. */
struct unit perf_period_unit(struct string event, struct strings *names);

/* comm, pid, tid, none, or NULL, which is comm. */
bool perf_group_exists(const char *group);
/* The name of an event's root frame; 0: there is none. */
u32 perf_group(const struct perf_event *event, const char *group, struct strings *names);

#endif
