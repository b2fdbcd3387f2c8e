/* SPDX-License-Identifier: GPL-2.0-or-later */
/* of_view.h: which events of perf, and which sample types of pprof, are what a view shows. */
#ifndef INPUT_OF_VIEW_H
#define INPUT_OF_VIEW_H

#include "input.h"

/* "cycles" of "cycles:u": what is in front of the letters that say when it counts. */
bool view_has_event(const struct view *view, struct string event);
/* Is its width the sum of an event's periods, and not how often one was seen? */
bool view_wants_periods(const struct view *view);
/* The i-th best type for a metric of the view; NULL: there are no more. */
const char *view_type(const struct view *view, const char *metric, size_t i);

#endif
