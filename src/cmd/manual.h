/* SPDX-License-Identifier: GPL-2.0-or-later */
/* manual.h: how to read each graph, for the man page. */
#ifndef CMD_MANUAL_H
#define CMD_MANUAL_H

#include "base/base.h"

struct manual {
	const char *view;
	const char *reading; /* paragraphs, separated by empty lines */
	/* A few lines of folded text, and what they say. */
	const char *example;
	const char *meaning;
};

extern const struct manual manuals[];
extern const size_t nr_manuals;

#endif
