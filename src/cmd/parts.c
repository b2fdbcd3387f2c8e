/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parts.h"

/* In the order of their first instruments, before which they come. */
static const struct part combinations[] = {
	{"sched with chains", NEED_SCHED | NEED_WAKERS | NEED_CHAINS},
	{"sched with wakers", NEED_SCHED | NEED_WAKERS},
	{"brk and mmap", NEED_BRK | NEED_MMAP},
	{"threads", NEED_THREADS},
};
_Static_assert(ARRAY_SIZE(combinations) == NR_COMBINATIONS, "the number of parts");

struct part part_at(size_t i)
{
	const struct part *next = combinations, *end = next + NR_COMBINATIONS;

	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++) {
		for (; next < end && next->needs & 1u << kind; next++)
			if (!i--)
				return *next;
		if (!i--)
			return (struct part){instruments[kind].name, 1u << kind};
	}
	assert(next + i < end);
	return next[i];
}

bool view_needs_part(const struct view *view, size_t part)
{
	return needs_all_of(view->needs, part_at(part).needs);
}

bool part_includes(size_t part, size_t other)
{
	return part != other && needs_all_of(part_at(part).needs, part_at(other).needs);
}

struct collect_options family_options(const struct collect_options *options)
{
	struct collect_options o = *options;

	o.needs = 0;
	return o;
}

struct collect_options part_options(const struct collect_options *options, size_t part)
{
	struct collect_options o = *options;

	o.needs = part_at(part).needs;
	return o;
}

bool part_is_missing(size_t part, struct strbuf *why)
{
	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++)
		if (part_at(part).needs & 1u << kind && instrument_is_missing(kind, why))
			return true;
	return false;
}
