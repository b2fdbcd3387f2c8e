/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * difference.h: two profiles side by side: before and now.
 *
 *	struct difference d;
 *
 *	difference_init(&d, names);
 *	difference_add(&d, &before, true);		finished trees over these names
 *	difference_add(&d, &now, false);
 *	difference_finish(&d, normalise);
 *	... difference_functions(&d, &functions), difference_draw(&d, &drawing) ...
 *	difference_release(&d);
 *
 * Profiles are seldom of the same length. So what was before is multiplied with `factor`, by which
 * both have the same total, unless the caller says that raw values are to be compared.
 */
#ifndef WICK_DIFFERENCE_H
#define WICK_DIFFERENCE_H

#include "tree.h"
#include "unit.h"

struct difference {
	struct call_tree tree; /* self values are now's; before as it was, not multiplied */
	u64 before, now;       /* totals */
	unsigned int kinds[2]; /* of the frames of both: bits (1 << kind) */
	bool normalised;
	double factor; /* 1: raw values, or one of the two is empty */
};

void difference_init(struct difference *d, const struct strings *names);
void difference_release(struct difference *d);
/*
 * Adds a finished tree to what was before, or to what there is now. Where only one of both tells
 * what its frames are, as a recording does and folded text often does not, names alone say which
 * frames of a caller are the same. An inlined function is the same as one that is called. A frame
 * is of the kind that it had where it was added first, with the lines of both.
 */
void difference_add(struct difference *d, const struct call_tree *tree, bool is_before);
/*
 * Of times and bytes: how many events the values of a profile are sums of, as a finished tree of
 * the same stacks. Both profiles have one, or noise is not known.
 */
void difference_add_events(struct difference *d, const struct call_tree *counts);
void difference_finish(struct difference *d, bool normalise);

/* A value before, as it was, and now. Of sums: of how many events in both; else 0. */
struct changed_value {
	u64 before, now;
	u64 events;
};

/*
 * More than sampling noise? Samples are counts of independent events, so that, of n seen in both
 * profiles together, now's are binomially distributed if nothing has changed (Przyborowski and
 * Wilenski, "Homogeneity of results in testing samples from Poisson series", 1940): true where
 * they are outside of 95 % of that, by the normal approximation with continuity correction.
 * `before` and `now` are counts as they were seen; `factor` is the difference's.
 */
bool difference_is_significant(double before, double now, double factor);
/*
 * The same of sums over events, such as blocks, which come by chance and are long by chance: a
 * compound Poisson process, whose variance is the number of events times the mean square of one
 * (Feller, "An Introduction to Probability Theory", volume 1, XII.2). The lengths are taken to be
 * distributed exponentially, so that the mean square is twice the square of the mean. Without an
 * event nothing has changed.
 */
bool difference_of_sums_is_significant(const struct changed_value *value, double factor);

/* A function wherever it is called from; recursion counts once. */
struct changed_function {
	struct tree_frame frame;
	struct changed_value self;
	struct changed_value total; /* all whose stack has it */
};

struct changed_functions {
	VEC_FIELDS(struct changed_function);
};

/*
 * All functions and notes, no groups; those first whose self values have changed most, then by
 * total. To be released with vec_release().
 */
void difference_functions(const struct difference *d, struct changed_functions *functions);
/* Of one of them, with the factor. */
double difference_change(const struct difference *d, const struct changed_value *value);

/* The note above which a differential draws what is gone. */
extern const char difference_gone[]; /* "[gone]" */

enum difference_part {
	DIFFERENCE_ALL,	 /* what there is now, and above the note what is gone */
	DIFFERENCE_NOW,	 /* without what is gone */
	DIFFERENCE_GONE, /* only that, as it was */
};

/*
 * A finished tree to be drawn, over `names`, which are those of the profiles: before is multiplied,
 * rounded so that each box is right to one in its last digit. Where values are plain counts there
 * are three digits more: *unit is changed to that. What is gone is as wide as it was.
 */
void difference_draw(const struct difference *d, enum difference_part part, struct strings *names,
		     struct call_tree *drawing, struct unit *unit);

#endif
