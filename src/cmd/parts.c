/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parts.h"

const struct part parts[] = {
	{"cpu", {.cpu = true}},
	{"sched with chains", {.sched = true, .wakers = true, .chains = true}},
	{"sched with wakers", {.sched = true, .wakers = true}},
	{"sched", {.sched = true}},
	{"fault", {.fault = true}},
	{"brk and mmap", {.brk = true, .mmap = true}},
	{"brk", {.brk = true}},
	{"mmap", {.mmap = true}},
	{"threads", {.threads = true}},
};
_Static_assert(ARRAY_SIZE(parts) == NR_PARTS, "the size of arrays that go with it");

static bool includes(const struct view_needs *all, const struct view_needs *some)
{
	return all->cpu >= some->cpu && all->sched >= some->sched && all->wakers >= some->wakers &&
	       all->chains >= some->chains && all->fault >= some->fault && all->brk >= some->brk &&
	       all->mmap >= some->mmap && all->threads >= some->threads;
}

bool view_needs_part(const struct view *view, const struct part *part)
{
	return includes(&view->needs, &part->needs);
}

bool part_includes(const struct part *part, const struct part *other)
{
	return part != other && includes(&part->needs, &other->needs);
}

struct collect_options family_options(const struct collect_options *options)
{
	struct collect_options o = *options;

	o.cpu = o.sched = o.wakers = o.chains = o.fault = o.brk = o.mmap = o.threads = false;
	return o;
}

struct collect_options part_options(const struct collect_options *options, const struct part *part)
{
	struct collect_options o = family_options(options);

	o.cpu = part->needs.cpu;
	o.sched = part->needs.sched;
	o.wakers = part->needs.wakers;
	o.chains = part->needs.chains;
	o.fault = part->needs.fault;
	o.brk = part->needs.brk;
	o.mmap = part->needs.mmap;
	o.threads = part->needs.threads;
	return o;
}

bool part_is_missing(const struct part *part, struct strbuf *why)
{
	const bool needed[WICK_NR_KINDS] = {
		[WICK_CPU] = part->needs.cpu,	  [WICK_SCHED] = part->needs.sched,
		[WICK_FAULT] = part->needs.fault, [WICK_BRK] = part->needs.brk,
		[WICK_MMAP] = part->needs.mmap,
	};

	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++)
		if (needed[kind] && instrument_is_missing(kind, why))
			return true;
	return false;
}
