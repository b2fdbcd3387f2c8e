/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * words_locks.c: what `wick locks` prints: a line of sums, then the locks with the longest waiting:
 * where each is waited for, and what its holders did meanwhile.
 */
#include "fit.h"
#include "format.h"
#include "why_text.h"

enum { WAITERS = 3, HOLDERS = 4, LOCKS = 10, LEAST_PERCENT = 3, LOCK_LINES = 3 };

struct page {
	struct fitted lines;
	struct profile *p;
	struct strbuf line;
};

static double ms(u64 ns)
{
	return (double)ns / 1e6;
}

static u64 class_ns(const struct profile *p, const struct why *why, bool all)
{
	u64 sum = 0;

	for (u32 ref = 0; ref < profile_nr_chosen(p); ref++)
		if (all || why_class(why, ref) != WHY_IDLE)
			sum += why_stands_for(why, ref);
	return sum;
}

static void add_sums(struct page *page, const struct why *why, const struct why_locks *locks)
{
	strbuf_adds(&page->line, "waited ");
	add_seconds(&page->line, locks->ns);
	strbuf_addf(
		&page->line,
		" for %zu lock%s, %llu time%s: %.1f %% of all waiting, %.1f %% without idle threads",
		locks->all.nr, plural(locks->all.nr), (unsigned long long)locks->nr,
		plural(locks->nr), percent(locks->ns, class_ns(page->p, why, true)),
		percent(locks->ns, class_ns(page->p, why, false)));
	fitted_add_advice(&page->lines, &page->line, 4);
}

/* ---- a lock */

static void add_lock_line(struct page *page, const struct why_lock *lock)
{
	_cleanup_strbuf_ struct strbuf name = {};

	why_lock_name(page->p, lock, &name);
	strbuf_addf(&page->line, "%10.1f ms %7llu %7.1f ms %7u  ", ms(lock->ns),
		    (unsigned long long)lock->nr, ms(lock->longest), lock->at_once);
	strbuf_add_safe_utf8(&page->line, name.s, name.size);
	fitted_add(&page->lines, &page->line);
}

static bool is_worth_saying(const struct why_lock *lock, const struct why_lock_part *part, size_t i)
{
	return !i || part->ns * 100 >= lock->ns * LEAST_PERCENT;
}

static void add_waiters(struct page *page, const struct why_lock *lock, size_t most)
{
	for (size_t i = 0; i < min(lock->waiters.nr, most); i++) {
		const struct why_lock_part *part = &lock->waiters.at[i];

		if (!is_worth_saying(lock, part, i))
			return;
		strbuf_addf(&page->line, "%10.1f ms   %s ", ms(part->ns), i ? "      " : "waited");
		why_add_place(&page->line, page->p, &part->label);
		strbuf_addf(&page->line, ", %llu time%s", (unsigned long long)part->nr,
			    plural(part->nr));
		fitted_add(&page->lines, &page->line);
	}
}

static void add_holders(struct page *page, const struct why_lock *lock, size_t most)
{
	for (size_t i = 0; i < min(lock->holders.nr, most); i++) {
		const struct why_lock_part *part = &lock->holders.at[i];

		if (!is_worth_saying(lock, part, i))
			return;
		strbuf_addf(&page->line, "%10.1f ms   %s ", ms(part->ns), i ? "      " : "  held");
		if (part->label.comm)
			why_add_label(&page->line, page->p, &part->label);
		else
			strbuf_adds(&page->line, "it is not known by whom");
		fitted_add(&page->lines, &page->line);
	}
}

/* At most `most` lines. */
static void add_lock(struct page *page, const struct why_lock *lock, u32 most)
{
	u32 end = page->lines.nr + most, left;

	add_lock_line(page, lock);
	add_waiters(page, lock, min((u32)WAITERS, most - LOCK_LINES + 1));
	left = end - page->lines.nr;
	add_holders(page, lock, min((u32)HOLDERS, left));
}

void report_locks(FILE *to, struct profile *p, struct why *why, struct page_size size)
{
	struct page page = {.lines.width = size.columns, .p = p};
	struct why_locks locks;
	size_t i = 0;

	why_locks_find(&locks, why);
	why_locks_sum(&locks, why);
	add_sums(&page, why, &locks);
	if (locks.all.nr) {
		strbuf_adds(&page.line, "       waited   waits    longest at once");
		fitted_add(&page.lines, &page.line);
	}
	for (; i < min(locks.all.nr, (size_t)LOCKS); i++) {
		u32 left = size.lines - 1 - page.lines.nr;

		if (left < LOCK_LINES)
			break;
		add_lock(&page, &locks.all.at[i], left);
	}
	if (locks.all.nr > i) {
		strbuf_addf(&page.line, "%14s%zu more locks: --json has them", "",
			    locks.all.nr - i);
		fitted_add(&page.lines, &page.line);
	}
	fwrite(page.lines.text.s, 1, page.lines.text.size, to);
	strbuf_release(&page.line);
	fitted_release(&page.lines);
	why_locks_release(&locks);
}
