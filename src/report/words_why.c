/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words_why.c: what `wick why` prints: a line of sums, the largest delays with what each was for,
 * and where threads were idle. It fits a screen of 100 columns.
 */
#include "format.h"
#include "why.h"
#include "why_text.h"

enum {
	COLUMNS = 100,
	WORD = 18, /* columns of a class and its share, or more */
	DELAYS = 6,
	NODES = 4,	   /* of a delay's tree, at each level */
	LEVELS = 4,	   /* of it */
	LEAST_PERCENT = 3, /* of its delay: what is less is not said */
	IDLE_PLACES = 5,
	OF_IDLE = 1000, /* a class of less than 1 / 1000 of all is not in the first line */
};

struct page {
	FILE *to;
	struct profile *p;
	const struct why *why;
	const struct why_summary *summary;
};

/* Cut where the screen ends, between characters. */
static void put_line(const struct page *page, struct strbuf *line)
{
	size_t at = 0, columns = 0;

	while (at < line->size && columns < COLUMNS) {
		size_t length = utf8_length(line->s + at, line->size - at);

		at += length ? length : 1;
		columns++;
	}
	fprintf(page->to, "%.*s\n", (int)at, line->s ? line->s : "");
	strbuf_clear(line);
}

static double ms(u64 ns)
{
	return (double)ns / 1e6;
}

/* ---- the first line */

static void add_classes(const struct page *page, struct strbuf *line)
{
	bool said[NR_WHY_CLASSES] = {};

	for (size_t i = 0; i < NR_WHY_CLASSES; i++) {
		size_t largest = 0;

		while (said[largest])
			largest++;
		for (size_t k = largest; k < NR_WHY_CLASSES; k++)
			if (!said[k] &&
			    page->summary->class_ns[k] > page->summary->class_ns[largest])
				largest = k;
		said[largest] = true;
		if (largest != WHY_UNCLEAR &&
		    page->summary->class_ns[largest] <= page->summary->ns / OF_IDLE)
			continue;
		strbuf_addf(line, "%s %s %.1f %%", i ? "," : ":", why_class_names[largest],
			    percent(page->summary->class_ns[largest], page->summary->ns));
		if (line->size + WORD < COLUMNS)
			continue;
		put_line(page, line);
		strbuf_addf(line, "   ");
	}
}

static void put_sums(const struct page *page)
{
	u64 off = profile_sum(page->p, WICK_SCHED, 1, 0, 0);
	u64 short_ns = off - min(off, page->summary->ns);
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, "waited ");
	add_seconds(&line, page->summary->ns);
	add_classes(page, &line);
	put_line(page, &line);
	strbuf_adds(&line, "and ");
	add_seconds(&line, short_ns);
	strbuf_addf(&line, " (%.1f %% of the time off-CPU) in waits too short to be told apart",
		    percent(short_ns, off));
	put_line(page, &line);
}

/* ---- a delay */

static bool is_worth_saying(const struct why_delay *delay, u64 ns)
{
	return ns * 100 >= delay->ns * LEAST_PERCENT;
}

static void put_nodes(const struct page *page, const struct why_delay *delay, u32 parent, u32 level)
{
	u64 below = UINT64_MAX;
	u32 last = 0;

	for (u32 n = 0; n < NODES && level < LEVELS; n++) {
		_cleanup_strbuf_ struct strbuf line = {};
		u32 next = WHY_NO_STEP;

		/* The largest that was not printed yet; of equal ones, the first. */
		for (u32 i = 0; i < delay->nodes.nr; i++) {
			const struct why_node *node = &delay->nodes.at[i];

			if (node->parent == parent &&
			    (node->ns < below || (node->ns == below && i > last)) &&
			    (next == WHY_NO_STEP || node->ns > delay->nodes.at[next].ns))
				next = i;
		}
		if (next == WHY_NO_STEP || !is_worth_saying(delay, delay->nodes.at[next].ns))
			return;
		below = delay->nodes.at[next].ns;
		last = next;
		strbuf_addf(&line, "    %*s%10.1f ms  ", (int)level * 2, "", ms(below));
		why_add_label(&line, page->p, &delay->nodes.at[next].label);
		put_line(page, &line);
		put_nodes(page, delay, next, level + 1);
	}
}

/* Is there more to say than that the thread waited? */
static bool has_steps(const struct why_delay *delay)
{
	return delay->nodes.nr > 1 ||
	       (delay->nodes.nr && delay->nodes.at[0].label.what != WHY_INTERRUPT &&
		delay->nodes.at[0].label.what != WHY_UNKNOWN);
}

static void put_delay(const struct page *page, const struct why_delay *delay)
{
	const struct block *worst = &page->p->blocks.at[delay->worst];
	size_t nr = delay->lengths.nr;
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_addf(&line, "%10.1f ms  %-9s ", ms(delay->ns), why_class_names[delay->waiter.class]);
	why_add_place(&line, page->p, &delay->waiter);
	put_line(page, &line);
	strbuf_addf(&line, "    %zu time%s: median %.1f, p99 %.1f, longest %.1f ms, at ", nr,
		    plural(nr), ms(delay->lengths.at[nr / 2]),
		    ms(delay->lengths.at[nr - 1 - nr / 100]), ms(delay->longest));
	add_seconds(&line, worst->begin - min(worst->begin, page->p->begin));
	strbuf_adds(&line, " in ");
	why_add_thread(&line, page->p, worst->leg);
	put_line(page, &line);
	if (has_steps(delay))
		put_nodes(page, delay, WHY_NO_STEP, 0);
}

static void put_idle(const struct page *page)
{
	const struct why_summary *s = page->summary;

	if (s->idle_places.nr)
		fputs("idle\n", page->to);
	for (size_t i = 0; i < min(s->idle_places.nr, (size_t)IDLE_PLACES); i++) {
		const struct why_idle *idle = &s->idle_places.at[i];
		_cleanup_strbuf_ struct strbuf line = {};

		strbuf_addf(&line, "%10.3f s   ", seconds(idle->ns));
		why_add_place(&line, page->p, &idle->at);
		strbuf_addf(&line, ", %llu time%s", (unsigned long long)idle->nr, plural(idle->nr));
		put_line(page, &line);
	}
	if (s->idle_places.nr > IDLE_PLACES)
		fprintf(page->to, "%14s %zu more places\n", "", s->idle_places.nr - IDLE_PLACES);
}

void report_why(FILE *to, struct profile *p)
{
	struct why *why = why_new(p);
	struct why_summary summary;
	struct page page = {to, p, why, &summary};

	why_classify(why);
	why_summarize(why, &summary);
	put_sums(&page);
	for (size_t i = 0; i < min(summary.delays.nr, (size_t)DELAYS); i++)
		put_delay(&page, &summary.delays.at[i]);
	if (summary.delays.nr > DELAYS)
		fprintf(to, "%14s %zu more delays: --json has them\n", "",
			summary.delays.nr - DELAYS);
	put_idle(&page);
	why_summary_release(&summary);
	why_free(why);
}
