/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words_why.c: what `wick why` prints: a line of sums, the largest delays with what each was for,
 * and where threads were idle.
 */
#include "format.h"
#include "why_text.h"
#include "words_delay.h"

enum {
	DELAYS = 8,
	IDLE_PLACES = 5,
	OF_ALL = 1000, /* what is less than 1 / 1000 of all is not in the first lines */
};

struct page {
	struct fitted lines;
	u32 room; /* lines in all */
	struct profile *p;
	struct why *why;
	const struct why_summary *summary;
};

/* ---- the first lines */

/* In as many lines as it takes; a class and its share stay together. */
static void add_classes(struct page *page, struct strbuf *line)
{
	const struct why_summary *summary = page->summary;
	bool said[NR_WHY_CLASSES] = {};

	for (size_t i = 0, nr = 0; i < NR_WHY_CLASSES; i++) {
		_cleanup_strbuf_ struct strbuf class = {};
		size_t largest = 0;

		while (said[largest])
			largest++;
		for (size_t k = largest; k < NR_WHY_CLASSES; k++)
			if (!said[k] && summary->class_ns[k] > summary->class_ns[largest])
				largest = k;
		said[largest] = true;
		if (largest != WHY_UNCLEAR && summary->class_ns[largest] <= summary->ns / OF_ALL)
			continue;
		strbuf_addf(&class, " %s %.1f %%", why_class_names[largest],
			    percent(summary->class_ns[largest], summary->ns));
		strbuf_addc(line, nr++ ? ',' : ':');
		if (line->size + class.size + 1 > page->lines.width) {
			fitted_add(&page->lines, line);
			strbuf_adds(line, "   ");
		}
		strbuf_add(line, class.s, class.size);
	}
	fitted_add(&page->lines, line);
}

static void add_sums(struct page *page)
{
	u64 off = profile_sum(page->p, WICK_SCHED, 1, 0, 0);
	u64 short_ns = off - min(off, page->summary->ns);
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, "waited ");
	add_seconds(&line, page->summary->ns);
	add_classes(page, &line);
	if (page->summary->estimated > page->summary->ns / OF_ALL) {
		add_seconds(&line, page->summary->estimated);
		strbuf_adds(&line, " of that in shorter waits, told as longer ones like them");
		fitted_add(&page->lines, &line);
	}
	strbuf_adds(&line, "and ");
	add_seconds(&line, short_ns);
	strbuf_addf(&line, " (%.1f %% of the time off-CPU) in waits too short to be told apart",
		    percent(short_ns, off));
	fitted_add(&page->lines, &line);
}

/* ---- where threads are idle */

static u32 nr_idle_lines(const struct page *page)
{
	size_t nr = page->summary->idle_places.nr;

	return (nr > 0) + (u32)min(nr, (size_t)IDLE_PLACES) + (nr > IDLE_PLACES);
}

static void add_idle(struct page *page)
{
	const struct why_summary *s = page->summary;
	_cleanup_strbuf_ struct strbuf line = {};

	if (s->idle_places.nr) {
		strbuf_adds(&line, "idle");
		fitted_add(&page->lines, &line);
	}
	for (size_t i = 0; i < min(s->idle_places.nr, (size_t)IDLE_PLACES); i++) {
		const struct why_idle *idle = &s->idle_places.at[i];

		strbuf_addf(&line, "%10.3f s   ", seconds(idle->ns));
		why_add_place(&line, page->p, &idle->at);
		strbuf_addf(&line, ", %llu time%s", (unsigned long long)idle->nr, plural(idle->nr));
		fitted_add(&page->lines, &line);
	}
	if (s->idle_places.nr > IDLE_PLACES) {
		strbuf_addf(&line, "%14s %zu more places", "", s->idle_places.nr - IDLE_PLACES);
		fitted_add(&page->lines, &line);
	}
}

/* ---- delays */

/* A few that are whole say more than many without their roots. */
static void add_delays(struct page *page)
{
	const struct why_summary *s = page->summary;
	u32 end = page->room - nr_idle_lines(page) - 1;
	_cleanup_strbuf_ struct strbuf line = {};
	size_t i = 0;

	for (; i < min(s->delays.nr, (size_t)DELAYS); i++) {
		u32 left = end - page->lines.nr;

		if (left < DELAY_FEWEST_LINES)
			break;
		add_delay_lines(&page->lines, page->why, page->p, &s->delays.at[i],
				min(left, (u32)DELAY_MOST_LINES));
	}
	if (s->delays.nr > i) {
		strbuf_addf(&line, "%14s %zu more delays: --json has them", "", s->delays.nr - i);
		fitted_add(&page->lines, &line);
	}
}

void report_why(FILE *to, struct profile *p, struct why *why, struct page_size size)
{
	struct why_summary summary;
	struct page page = {{.width = size.columns}, size.lines, p, why, &summary};

	assert(size.lines >= PAGE_FEWEST_LINES);
	why_summarize(why, &summary);
	add_sums(&page);
	add_delays(&page);
	add_idle(&page);
	fwrite(page.lines.text.s, 1, page.lines.text.size, to);
	fitted_release(&page.lines);
	why_summary_release(&summary);
}
