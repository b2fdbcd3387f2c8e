/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts.h: what of the kernel side can be had without the rest: an instrument, or the sched
 * instrument with what some of its views ask for. A kernel may refuse one of them and take the
 * others.
 */
#ifndef CMD_PARTS_H
#define CMD_PARTS_H

#include "collect.h"
#include "view.h"

struct part {
	const char *name;
	u32 needs;
};

/* Each instrument is a part; those that are none are combinations. */
enum { NR_COMBINATIONS = 4, NR_PARTS = WICK_NR_KINDS + NR_COMBINATIONS };

/* A part that has all of another one comes before it. */
struct part part_at(size_t i);

bool view_needs_part(const struct view *view, size_t part);
/* Has it all of the other, and more? Where it works, the other does. */
bool part_includes(size_t part, size_t other);
/* The options of a run of this part alone. */
struct collect_options part_options(const struct collect_options *options, size_t part);
/* The same without any instrument: what follows a program and its children. */
struct collect_options family_options(const struct collect_options *options);
/*
 * Whether the host lacks what the part takes, apart from its programs being refused; why is
 * appended.
 */
bool part_is_missing(size_t part, struct strbuf *why);

#endif
