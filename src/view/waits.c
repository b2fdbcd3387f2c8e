/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "waits.h"

#include "base/numbers.h"

enum { NS = 1 }; /* column */

void frames_add_idle(struct frames *f, struct profile *p, u32 leg,
		     const struct view_options *options, const char *part)
{
	frames_add_group(f, p, leg, options->group);
	if (options->group == GROUP_PROCESS)
		f->nr = 1;
	if (part)
		frames_add_note(f, p, part);
	frames_add_note(f, p, "[idle]");
}

void waits_give(struct waits *w, const struct sample *sample, u64 value)
{
	frames_give(&w->frames, w->p, w->options,
		    (struct weighted_stack){
			    .leg = sample->leg,
			    .waker = w->sink->wakers ? sched_waker(w->p, sample->chain) : 0,
			    .state = sched_letter(sample->state),
			    .value = value,
			    .class = w->class},
		    w->sink);
	w->frames.nr = 0;
}

static void draw_part(struct waits *w, const struct wait *wait)
{
	const struct sample *sample = &w->p->samples.at[wait->sample];

	w->class = w->options->why ? 1 + wait->class : 0;
	if (wait->class == WHY_IDLE && !w->options->idle) {
		if (w->options->no_idle)
			return;
		frames_add_idle(&w->frames, w->p, sample->leg, w->options, w->part);
	} else if (w->draw) {
		w->draw(w, wait);
		return;
	} else {
		w->frame(&w->frames, w->p, sample, w->options);
	}
	waits_give(w, sample, wait->value);
}

/* Parts of the value sum to the value, whatever it is. */
static u64 value_until(const struct sample *sample, u32 column, u64 ns)
{
	u64 all = sample->column[NS], value = sample->column[column];

	return all ? (u64)((unsigned __int128)value * ns / all) : value;
}

static void draw_sample(struct waits *w, u32 ref)
{
	const struct sample *sample = &w->p->samples.at[ref];
	u32 column = w->options->metric->column;
	u64 ns[WHY_UNTOLD + 1] = {[WHY_UNTOLD] = sample->column[NS]}, until = 0;

	if (w->options->why)
		why_sample_classes(w->options->why, ref, ns);
	for (u32 class = 0; class <= WHY_UNTOLD; class ++) {
		u64 before = until;

		until += ns[class];
		if (ns[class] || (class == WHY_UNTOLD && !until))
			draw_part(w, &(struct wait){
					     .sample = ref,
					     .class = class,
					     .ns = ns[class],
					     .value = value_until(sample, column, until) -
						      (before ? value_until(sample, column, before)
							      : 0),
				     });
	}
}

void waits_project(struct waits *w)
{
	for (u32 i = 0; i < w->p->samples.nr; i++)
		if (sched_is_shown(&w->p->samples.at[i], w->options))
			draw_sample(w, i);
	vec_release(&w->frames);
}
