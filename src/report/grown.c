/* SPDX-License-Identifier: GPL-2.0-or-later */
/* grown.c: what has changed, function by function, and whether that is too much. */
#include "difference_parts.h"

bool difference_has_counts(const struct unit *unit)
{
	return !unit->time && !unit->bytes;
}

u64 difference_all(const struct difference *d)
{
	return d->normalised || !d->before ? d->now : d->before;
}

double difference_percent(const struct difference *d, double value)
{
	u64 all = difference_all(d);

	return all ? 100 * value / (double)all : 0;
}

enum noise difference_noise(const struct difference_report *r, u64 before, u64 now)
{
	double divisor = (double)r->unit.divisor;

	if (!difference_has_counts(&r->unit))
		return NOISE_UNKNOWN;
	return difference_is_significant((double)before / divisor, (double)now / divisor,
					 r->difference->factor)
		       ? NOISE_EXCEEDED
		       : NOISE_WITHIN;
}

/* By how many percent of all a value has grown, if that is more than noise; else 0. */
static double growth(const struct difference_report *r, u64 before, u64 now)
{
	const struct difference *d = r->difference;

	if (difference_noise(r, before, now) == NOISE_WITHIN)
		return 0;
	return difference_percent(d, difference_change(d, before, now));
}

size_t difference_grown(const struct difference_report *r, const struct changed_function **most,
			double *percent)
{
	const struct difference *d = r->difference;
	double all = d->normalised ? 0 : growth(r, d->before, d->now);
	size_t nr = all > r->fail_above;

	*most = NULL;
	*percent = nr ? all : 0;
	vec_for_each (r->functions, f) {
		double grown = growth(r, f->total_before, f->total_now);

		nr += grown > r->fail_above;
		if (grown > r->fail_above && grown > *percent) {
			*percent = grown;
			*most = f;
		}
	}
	return nr;
}
