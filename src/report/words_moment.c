/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words_moment.c: what `wick why -t TID --at TIME` prints: what the thread was at, from which
 * thread to which the wait leads in that moment, and what all of the wait was for.
 */
#include <time.h>

#include "base/method_name.h"
#include "format.h"
#include "plumbing.h"
#include "why_text.h"
#include "words_delay.h"

enum { INDENT = 4, CLASS = 10, FRAMES = 12 };

struct telling {
	struct fitted lines;
	u32 room; /* lines in all */
	struct profile *p;
	struct why *why;
	const struct why_moment *m;
	struct strbuf line;
};

static void end_line(struct telling *t)
{
	fitted_add(&t->lines, &t->line);
}

static u64 after_begin(const struct telling *t, u64 time)
{
	return time - min(time, t->p->begin);
}

/* "14:05:30.250" */
static void add_clock(struct telling *t, u64 time)
{
	u64 wall = t->p->wall_start_ns + after_begin(t, time);
	time_t at = (time_t)(wall / NSEC_PER_SEC);
	struct tm local = {};

	localtime_r(&at, &local);
	strbuf_addf(&t->line, "%02d:%02d:%02d.%03u", local.tm_hour, local.tm_min, local.tm_sec,
		    (u32)(wall % NSEC_PER_SEC / NSEC_PER_MSEC));
}

static void add_ms(struct strbuf *b, u64 ns)
{
	strbuf_addf(b, "%.3f ms", (double)ns / 1e6);
}

/* ---- where */

/* "futex_wait < lock < main", in as many lines as it takes. */
static void add_stack(struct telling *t, const struct block *block)
{
	struct frames frames = {};

	frames_add_wait(&frames, t->p, block->user, block->kernel);
	strbuf_addf(&t->line, "%*s", INDENT, "");
	for (size_t i = frames.nr, nr = 0; i-- > 0 && nr < FRAMES;) {
		if (frame_is_plumbing(&t->p->names, &frames.at[i]))
			continue;
		strbuf_adds(&t->line, nr++ ? " < " : "");
		add_string(&t->line,
			   method_short_name(strings_get(&t->p->names, frames.at[i].name)));
	}
	if (!frames.nr)
		strbuf_adds(&t->line, "[not walked]");
	vec_release(&frames);
	fitted_add_advice(&t->lines, &t->line, INDENT);
}

/* ---- the first lines */

static void add_since(struct telling *t, const char *what)
{
	const struct why_moment *m = t->m;

	strbuf_adds(&t->line, what);
	strbuf_adds(&t->line, " from ");
	add_seconds(&t->line, after_begin(t, m->begin));
	strbuf_adds(&t->line, " to ");
	add_seconds(&t->line, after_begin(t, m->end));
	strbuf_adds(&t->line, ": ");
	add_ms(&t->line, m->end - m->begin);
}

static void add_wait(struct telling *t)
{
	const struct block *block = &t->p->blocks.at[t->m->block];

	strbuf_addf(&t->line, "%s: ", why_class_names[why_class(t->why, t->m->block)]);
	add_since(t, "waited");
	strbuf_adds(&t->line, ", of which ");
	add_ms(&t->line, t->m->at - t->m->begin);
	strbuf_adds(&t->line, " had passed");
	if (block->state & WICK_STATE_STILL)
		strbuf_adds(&t->line, "; that has not ended");
	end_line(t);
	add_stack(t, block);
}

static void add_series(struct telling *t)
{
	const struct block *block = &t->p->blocks.at[t->m->block];

	strbuf_addf(&t->line, "%s: ", why_class_names[why_class(t->why, t->m->block)]);
	add_since(t, "waited again and again");
	strbuf_addf(&t->line, ", in which are %llu waits, together ",
		    (unsigned long long)block_nr(block));
	add_ms(&t->line, block_ns(block));
	fitted_add_advice(&t->lines, &t->line, INDENT);
	add_stack(t, block);
}

static void add_no_cpu(struct telling *t)
{
	const struct block *block = &t->p->blocks.at[t->m->block];

	add_since(t, "cpu: ready, but without a CPU");
	if (block->before) {
		strbuf_adds(&t->line, "; then ");
		why_add_thread(&t->line, t->p, block->before);
		strbuf_adds(&t->line, " gave it up");
	}
	end_line(t);
}

static void add_busy(struct telling *t)
{
	strbuf_adds(&t->line, "ran ");
	add_ms(&t->line, t->m->ran);
	add_since(t, " of the time");
	strbuf_adds(&t->line, ", in which no wait was walked");
	end_line(t);
}

static void add_not_there(struct telling *t)
{
	strbuf_adds(&t->line, "it was not there then: it is known from ");
	add_seconds(&t->line, after_begin(t, t->m->begin));
	strbuf_adds(&t->line, " to ");
	add_seconds(&t->line, after_begin(t, t->m->end));
	end_line(t);
}

/* ---- steps */

static void add_blocked_step(struct telling *t, u32 leg, u32 ref)
{
	const struct block *block = &t->p->blocks.at[ref];
	const struct hop *hop = why_hop(t->p, block);
	struct why_label at = why_label_of_block(t->why, leg, ref, WHY_NR);

	strbuf_addf(&t->line, "%*s%-9s ", INDENT, "", why_class_names[at.class]);
	why_add_thread(&t->line, t->p, leg);
	why_add_function(&t->line, t->p, &at);
	strbuf_adds(&t->line, ", since ");
	add_seconds(&t->line, after_begin(t, block->begin));
	strbuf_adds(&t->line, ", ");
	add_ms(&t->line, block_ns(block));
	if (hop && why_by_interrupt(t->why, block))
		strbuf_addf(&t->line, "; ended by: %s", hop_interrupt(t->p, hop));
	fitted_add_advice(&t->lines, &t->line, INDENT + CLASS);
}

/* Why it goes no further. */
static void add_end(struct telling *t, const struct why_pieces *pieces,
		    const struct why_piece *last)
{
	struct why_label label = why_label_of_piece(t->why, pieces, last, t->m->leg);

	if (last->what == WHY_INTERRUPT)
		return;
	strbuf_addf(&t->line, "%*s%-9s ", INDENT, "",
		    last->what == WHY_RAN ? "ran" : why_class_names[label.class]);
	why_add_label(&t->line, t->p, &label);
	fitted_add_advice(&t->lines, &t->line, INDENT + CLASS);
}

static void add_steps(struct telling *t)
{
	_cleanup_(why_pieces_release) struct why_pieces pieces = {};
	u32 steps[WHY_MOST_STEPS];
	const struct why_piece *last;
	size_t nr;

	why_explain_block(t->why, t->m->block, &pieces);
	nr = why_steps_at(&pieces, t->m->at, steps, &last);
	strbuf_adds(&t->line, "what it led to in that moment");
	fitted_add(&t->lines, &t->line);
	for (size_t i = 0; i < nr; i++) {
		const struct why_step *step = &pieces.steps.at[steps[i]];
		u32 waits = i + 1 < nr ? pieces.steps.at[steps[i + 1]].block : last->block;

		if (waits != WHY_NO_BLOCK && (i + 1 < nr || last->what != WHY_NO_CPU))
			add_blocked_step(t, step->leg, waits);
	}
	if (last)
		add_end(t, &pieces, last);
}

static void add_all_of_it(struct telling *t)
{
	_cleanup_(why_delay_release) struct why_delay delay = {};

	why_delay_of_block(t->why, t->m->block, &delay);
	strbuf_adds(&t->line, "what all of that wait was for");
	fitted_add(&t->lines, &t->line);
	add_branches(&t->lines, t->p, &delay, 0, t->room - t->lines.nr);
}

/* ---- all of it */

static void add_doing(struct telling *t)
{
	switch (t->m->doing) {
	case WHY_WAITED:
		add_wait(t);
		add_steps(t);
		add_all_of_it(t);
		return;
	case WHY_WAITED_OFTEN:
		add_series(t);
		return;
	case WHY_HAD_NO_CPU:
		add_no_cpu(t);
		return;
	case WHY_WAS_BUSY:
		add_busy(t);
		return;
	default:
		add_not_there(t);
	}
}

void report_moment(FILE *to, struct profile *p, struct why *why, const struct why_moment *m,
		   struct page_size size)
{
	struct telling t = {.lines.width = size.columns, .room = size.lines, p, why, m};

	why_add_thread(&t.line, p, m->leg);
	strbuf_adds(&t.line, " at ");
	add_seconds(&t.line, after_begin(&t, m->at));
	strbuf_adds(&t.line, ", ");
	add_clock(&t, m->at);
	fitted_add(&t.lines, &t.line);
	add_doing(&t);
	fwrite(t.lines.text.s, 1, t.lines.text.size, to);
	strbuf_release(&t.line);
	fitted_release(&t.lines);
}
