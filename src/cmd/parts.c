/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parts.h"

const struct part parts[] = {
	{"cpu", NEED_CPU},
	{"sched with chains", NEED_SCHED | NEED_WAKERS | NEED_CHAINS},
	{"sched with wakers", NEED_SCHED | NEED_WAKERS},
	{"sched", NEED_SCHED},
	{"fault", NEED_FAULT},
	{"brk and mmap", NEED_BRK | NEED_MMAP},
	{"brk", NEED_BRK},
	{"mmap", NEED_MMAP},
	{"threads", NEED_THREADS},
};
_Static_assert(ARRAY_SIZE(parts) == NR_PARTS, "the size of arrays that go with it");

bool view_needs_part(const struct view *view, const struct part *part)
{
	return needs_all_of(view->needs, part->needs);
}

bool part_includes(const struct part *part, const struct part *other)
{
	return part != other && needs_all_of(part->needs, other->needs);
}

struct collect_options family_options(const struct collect_options *options)
{
	struct collect_options o = *options;

	o.needs = 0;
	return o;
}

struct collect_options part_options(const struct collect_options *options, const struct part *part)
{
	struct collect_options o = *options;

	o.needs = part->needs;
	return o;
}

bool part_is_missing(const struct part *part, struct strbuf *why)
{
	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++)
		if (part->needs & 1u << kind && instrument_is_missing(kind, why))
			return true;
	return false;
}
