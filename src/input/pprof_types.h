/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pprof_types.h: which of a profile's sample types is read, and in which unit it is.
 */
#ifndef INPUT_PPROF_TYPES_H
#define INPUT_PPROF_TYPES_H

#include "input.h"
#include "pprof_tables.h"

struct pprof_choice {
	size_t type; /* the index of the values */
	struct unit unit;
	u64 scale; /* values are multiplied with it: microseconds become the tree's nanoseconds */
};

/* By options.metric, else the profile's default; -EINVAL: it has no type of that name. */
int pprof_choose(const struct pprof_tables *t, struct input *in, struct pprof_choice *choice);

#endif
