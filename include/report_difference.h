/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_difference.h: the functions that have changed most, in words and as JSON. */
#ifndef WICK_REPORT_DIFFERENCE_H
#define WICK_REPORT_DIFFERENCE_H

#include <stdio.h>

#include "difference.h"
#include "operation_sums.h"

struct difference_report {
	const struct difference *difference;
	const struct changed_functions *functions;
	const char *before, *now; /* what was read, for people */
	/* Of those, by operations; empty where none were given. */
	const struct operation_sums *left_out[2];
	struct unit unit;  /* of the values, before they were made finer */
	size_t top;	   /* so many functions */
	double fail_above; /* percent; negative: nothing fails */
};

/*
 * Are values counts of independent events? Times and bytes are sums over events; how many those
 * are, the difference's tree may say.
 */
bool difference_has_counts(const struct unit *unit);
/*
 * How many functions have grown by more than fail_above percent of all, with what they call, and
 * not by noise alone; of raw values, all together count as one, too. Fills *most in with that which
 * has grown most, NULL: all together.
 */
size_t difference_grown(const struct difference_report *report,
			const struct changed_function **most, double *percent);
/* Returns 0, or a negative errno of the write. */
int report_difference_words(FILE *to, const struct difference_report *report);
int report_difference_json(FILE *to, const struct difference_report *report);

#endif
