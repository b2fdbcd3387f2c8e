/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subtitle.c: what a picture says of the run that it is of: where and when that was, what the
 * view's instruments saw, and what the picture lacks of it.
 */
#include "subtitle.h"
#include "base/numbers.h"

#include <time.h>

#include "format.h"

void cpu_subtitle(struct strbuf *b, const struct facts *f, const struct picture_facts *picture)
{
	(void)picture;
	strbuf_adds(b, ", ");
	strbuf_add_number(b, f->cpu.samples);
	strbuf_addf(b, " samples at %u Hz ", f->cpu.frequency);
	add_string(b, f->cpu.event);
	add_losses(b, f, WICK_CPU, ", lost: ");
}

/* A picture from which something was left out says what, and how much. */
static void add_left_out(struct strbuf *b, u64 ns, const char *what)
{
	if (!ns)
		return;
	strbuf_adds(b, ", without ");
	add_seconds(b, ns);
	strbuf_addf(b, " %s", what);
}

void waits_subtitle(struct strbuf *b, const struct facts *f, const struct picture_facts *picture)
{
	const struct left_out *left = &picture->left;
	u64 outside =
		saturated((unsigned __int128)left->states + left->never_ran + left->still_blocked);
	u64 rest = f->waits.all - min(f->waits.all, outside);

	strbuf_adds(b, ", ");
	add_seconds(b, f->waits.all);
	strbuf_adds(b, " off-CPU");
	add_left_out(b, left->states, "in other states than --state asks for");
	add_left_out(b, left->never_ran, "of threads that never ran");
	add_left_out(b, left->still_blocked, "that had not ended");
	if (!picture->view->only_woken)
		add_left_out(b, left->idle, "idle");
	if (picture->view->only_woken && picture->options->metric->unit.time &&
	    rest > picture->drawn)
		add_left_out(b, rest - picture->drawn, "that no waker ended");
	add_losses(b, f, WICK_SCHED, ", lost: ");
	if (f->waits.walked_blocks == f->waits.blocks)
		return;
	strbuf_addf(b, ", %.1f %% of the blocks walked, for all",
		    percent(f->waits.walked_blocks, f->waits.blocks));
}

void faults_subtitle(struct strbuf *b, const struct facts *f, const struct picture_facts *picture)
{
	(void)picture;
	strbuf_adds(b, ", ");
	add_faults(b, &f->faults);
	add_losses(b, f, WICK_FAULT, ", lost: ");
}

void brk_subtitle(struct strbuf *b, const struct facts *f, const struct picture_facts *picture)
{
	strbuf_adds(b, ", ");
	strbuf_add_bytes(b, f->brk.mapped);
	strbuf_adds(b, " grown, ");
	strbuf_add_bytes(b, f->brk.unmapped);
	strbuf_adds(b, " shrunk, ");
	add_held(b, &f->brk);
	strbuf_adds(b, picture->options->outstanding ? ": only that is drawn" : "");
	add_32_bit(b, f);
	add_losses(b, f, WICK_BRK, ", lost: ");
}

void mmap_subtitle(struct strbuf *b, const struct facts *f, const struct picture_facts *picture)
{
	_cleanup_strbuf_ struct strbuf reserved = {};

	strbuf_adds(b, ", ");
	strbuf_add_bytes(b, f->mmap.mapped);
	strbuf_adds(b, " mapped, ");
	strbuf_add_bytes(b, f->mmap.unmapped + f->mmap.gone);
	strbuf_adds(b, " unmapped, ");
	add_held(b, &f->mmap);
	strbuf_adds(b, picture->options->outstanding ? ": only that is drawn" : "");
	add_reserved(&reserved, f);
	if (reserved.size)
		strbuf_addf(b, ", %s%s", picture->options->reserved ? "with " : "without ",
			    reserved.s);
	add_32_bit(b, f);
	add_losses(b, f, WICK_MMAP, ", lost: ");
}

void standing_subtitle(struct strbuf *b, const struct facts *f, const struct picture_facts *picture)
{
	u64 all = f->standing.all;

	if (picture->options->states && !picture->options->metric->unit.time)
		strbuf_addf(b, ", without %llu threads in other states than --state asks for",
			    (unsigned long long)(all - min(all, picture->drawn)));
}

static void add_run(struct strbuf *b, const struct run_facts *run)
{
	time_t start = (time_t)(run->started_ns / NSEC_PER_SEC);
	struct tm local;
	char when[64];

	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %Z", localtime_r(&start, &local));
	add_string(b, run->host);
	strbuf_adds(b, ", Linux ");
	add_string(b, run->kernel);
	strbuf_addf(b, ", %s, %.1f s, %u CPU%s, ", when, seconds(run->length_ns), run->nr_cpus,
		    plural(run->nr_cpus));
	if (run->filters.size)
		add_string(b, run->filters);
	else
		strbuf_adds(b, "all processes");
}

char *report_subtitle(const struct facts *f, const struct profile *p, const struct view *view,
		      const struct view_options *options, const struct call_tree *tree)
{
	const struct picture_facts picture = {
		.view = view,
		.options = options,
		.left = view_left_out(p, options),
		.drawn = options->operations ? options->operations->total : tree->sum,
	};
	struct strbuf b = {};

	add_run(&b, &f->run);
	for (size_t i = 0; i < NR_TOPICS; i++)
		if (topic_is_in(i, view->needs))
			topic_subtitle(i, &b, f, &picture);
	add_largest_sums(&b, ", ", f);
	return strbuf_detach(&b);
}
