/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits.h: the views that tell idle time from other waits. A sample's time is drawn in parts, one
 * for each class of wait that it has (why.h). Idle time is one box of each process, unless the
 * options want it in full, or not at all.
 */
#ifndef VIEW_WAITS_H
#define VIEW_WAITS_H

#include "sched.h"
#include "why.h"

/* A part of a sample. */
struct wait {
	u32 sample; /* row of p->samples */
	u32 class;  /* enum why_class, or WHY_UNTOLD */
	u64 ns;
	u64 value; /* in the metric that is drawn */
};

struct waits {
	struct profile *p;
	const struct view_options *options;
	const struct stack_sink *sink;
	const char *part;	 /* a note after the group frame; NULL: none */
	frames_of_sample *frame; /* of a wait that is not split any further */
	void (*draw)(struct waits *w, const struct wait *wait); /* NULL: as `frame` says */
	struct frames frames;
	u32 class; /* of what is drawn: as of a weighted stack */
};

/* Draws all waits that the options leave in. Releases the frames. */
void waits_project(struct waits *w);
/* Gives w->frames to the sink, as a part of the sample, and empties them. */
void waits_give(struct waits *w, const struct sample *sample, u64 value);
/* The group frame, the note, [idle]: of a process, not of each of its threads. */
void frames_add_idle(struct frames *f, struct profile *p, u32 leg,
		     const struct view_options *options, const char *part);

#endif
