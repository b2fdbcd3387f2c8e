/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads.c: every thread as it is, once: what it is doing, by stack.
 *
 *	comm;user...;kernel...			asleep or stopped
 *	comm;user...;kernel...;[runqueue]	waiting for a CPU
 *	comm;[running]				its stack changes while one looks
 */
#include "metrics.h"
#include "sched.h"

static bool thread_frames(struct frames *f, struct profile *p, const struct sample *sample,
			  const struct view_options *options)
{
	frames_add_group(f, p, sample->leg, options->group);
	frames_add_wait(f, p, sample->user, sample->kernel);
	if (sample->state & WICK_STATE_ON_CPU)
		frames_add_note(f, p, "[running]");
	else if (sample->state & WICK_STATE_NOT_WALKED)
		frames_add_note(f, p, "[not walked]");
	if ((sample->state & WICK_STATE_LETTER) == 'Q')
		frames_add_note(f, p, "[runqueue]");
	return true;
}

static void project_threads(struct profile *p, const struct view_options *options,
			    const struct stack_sink *sink)
{
	sched_project(p, options, sink, thread_frames);
}

const struct view threads_view = {
	.name = "threads",
	.title = "Threads",
	.summary = "what every thread is doing now, by stack; width: threads",
	.needs = NEED_THREADS,
	.metrics = {PLAIN("threads", 0), MICROSECONDS(1), NANOSECONDS(1)},
	.project = project_threads,
};
