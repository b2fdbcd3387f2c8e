/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched.h: what the views of the sched instrument's samples share. A sample is one thread's time
 * off-CPU in one state; its stacks are where it waited.
 */
#ifndef VIEW_SCHED_H
#define VIEW_SCHED_H

#include "stacks.h"

/* Asleep or stopped: it takes a wakeup. If not, it is runnable and waits for a CPU. */
bool sched_is_blocked(u32 state);
/* Do the options leave it in? */
bool sched_is_shown(const struct sample *sample, const struct view_options *options);
/*
 * The whole of an off-CPU line: group frame, notes, stacks. `part` is a note after the group
 * frame, or NULL.
 */
void frames_add_sleeper(struct frames *f, struct profile *p, const struct sample *sample,
			const struct view_options *options, const char *part);

/* The name of who ended a sleep; 0: none, or not known. */
u32 sched_waker(struct profile *p, u32 chain);
/* The thread that did, a leg; 0: none, or not known. */
u32 sched_waker_leg(const struct profile *p, u32 chain);
/* Why: a letter of --state. */
char sched_letter(u32 state);

/* Makes the frames of a sample; false: the view does not draw it. */
typedef bool frames_of_sample(struct frames *f, struct profile *p, const struct sample *sample,
			      const struct view_options *options);
/* Adds all samples that the options leave in. */
void sched_project(struct profile *p, const struct view_options *options,
		   const struct stack_sink *sink, frames_of_sample *make);

#endif
