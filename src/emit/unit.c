/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unit.h"

#include "base/numbers.h"

/* As far as doubles are exact; what is larger than any number of ours is that. */
static u64 scaled(u64 value, double factor)
{
	double product = (double)value * factor;

	if (factor == 0 || factor == 1)
		return value;
	return product < 0x1p64 ? (u64)(product + 0.5) : UINT64_MAX;
}

void strbuf_add_value(struct strbuf *b, u64 value, const struct unit *unit)
{
	u64 all = scaled(value, unit->factor), rest = all % unit->divisor;

	strbuf_add_number(b, all / unit->divisor + (rest >= unit->divisor - rest));
}

void strbuf_add_amount(struct strbuf *b, u64 value, const struct unit *unit)
{
	if (unit->time)
		strbuf_add_time(b, scaled(value, unit->factor));
	else if (unit->bytes)
		strbuf_add_bytes(b, scaled(value, unit->factor));
	else
		strbuf_add_value(b, value, unit);
}

void strbuf_add_quantity(struct strbuf *b, u64 value, const struct unit *unit)
{
	strbuf_add_amount(b, value, unit);
	if (!unit->time && !unit->bytes)
		strbuf_addf(b, " %s", unit->name);
}
