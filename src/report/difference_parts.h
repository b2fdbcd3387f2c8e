/* SPDX-License-Identifier: GPL-2.0-or-later */
/* difference_parts.h: what words and JSON say of a difference. */
#ifndef REPORT_DIFFERENCE_PARTS_H
#define REPORT_DIFFERENCE_PARTS_H

#include "report_difference.h"

enum noise {
	NOISE_WITHIN,	/* a change that sampling alone may have made, 95 % */
	NOISE_EXCEEDED, /* more than that */
	NOISE_UNKNOWN,	/* values are sums of events whose number is not known */
};

enum noise difference_noise(const struct difference_report *r, const struct changed_value *value);
bool difference_knows_noise(const struct difference_report *r);
/* What percentages are of: now's total; of raw values, that of before, if there is one. */
u64 difference_all(const struct difference *d);
double difference_percent(const struct difference *d, double value);

static inline bool is_new(const struct changed_function *f)
{
	return !f->total.before && f->total.now;
}

static inline bool is_gone(const struct changed_function *f)
{
	return f->total.before && !f->total.now;
}

#endif
