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

bool difference_knows_noise(const struct difference_report *r)
{
	return difference_has_counts(&r->unit) || r->difference->tree.events.nr;
}

enum noise difference_noise(const struct difference_report *r, const struct changed_value *value)
{
	double divisor = (double)r->unit.divisor, factor = r->difference->factor;
	bool more;

	if (!difference_knows_noise(r))
		return NOISE_UNKNOWN;
	more = difference_has_counts(&r->unit)
		       ? difference_is_significant((double)value->before / divisor,
						   (double)value->now / divisor, factor)
		       : difference_of_sums_is_significant(value, factor);
	return more ? NOISE_EXCEEDED : NOISE_WITHIN;
}

/* By how many percent of all a value has grown, if that is more than noise; else 0. */
static double growth(const struct difference_report *r, const struct changed_value *value)
{
	const struct difference *d = r->difference;

	if (difference_noise(r, value) == NOISE_WITHIN)
		return 0;
	return difference_percent(d, difference_change(d, value));
}

size_t difference_grown(const struct difference_report *r, const struct changed_function **most,
			double *percent)
{
	const struct difference *d = r->difference;
	const struct changed_value sum = {
		.before = d->before, .now = d->now, .events = tree_events(&d->tree, 0)};
	double all = d->normalised ? 0 : growth(r, &sum);
	size_t nr = all > r->fail_above;

	*most = NULL;
	*percent = nr ? all : 0;
	vec_for_each (r->functions, f) {
		double grown = growth(r, &f->total);

		nr += grown > r->fail_above;
		if (grown > r->fail_above && grown > *percent) {
			*percent = grown;
			*most = f;
		}
	}
	return nr;
}
