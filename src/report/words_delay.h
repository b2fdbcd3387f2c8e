/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words_delay.h: a delay of `wick why` in lines: how much, what it was for, its worst case. */
#ifndef REPORT_WORDS_DELAY_H
#define REPORT_WORDS_DELAY_H

#include "fit.h"
#include "why.h"

enum { DELAY_FEWEST_LINES = 6, DELAY_MOST_LINES = 12 };

/* Adds at most `most` lines, DELAY_FEWEST_LINES or more. */
void add_delay_lines(struct fitted *lines, struct why *why, const struct profile *p,
		     const struct why_delay *delay, u32 most);
/*
 * The largest branches of a delay's tree, at most `most`, each below what it is a part of and
 * indented by two columns more. The milliseconds of the first ones begin at `indent`.
 */
void add_branches(struct fitted *lines, const struct profile *p, const struct why_delay *delay,
		  u32 indent, u32 most);

#endif
