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

/* A part that has all of another one comes before it. */
extern const struct part parts[];
enum { NR_PARTS = 9 };

bool view_needs_part(const struct view *view, const struct part *part);
/* One that has all of this, and more; where it works, this does. */
bool part_includes(const struct part *part, const struct part *other);
/* The options of a run of this part alone. */
struct collect_options part_options(const struct collect_options *options, const struct part *part);
/* The same without any instrument: what follows a program and its children. */
struct collect_options family_options(const struct collect_options *options);
/*
 * Whether the host lacks what the part takes, apart from its programs being refused; why is
 * appended.
 */
bool part_is_missing(const struct part *part, struct strbuf *why);

#endif
