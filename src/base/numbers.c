/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "numbers.h"

void strbuf_add_number(struct strbuf *b, u64 value)
{
	char digits[MAX_DIGITS], *end = put_digits(digits, value);

	for (char *at = digits; at < end; at++) {
		if (at > digits && (end - at) % 3 == 0)
			strbuf_addc(b, ',');
		strbuf_addc(b, *at);
	}
}

/* Units of a scale, the largest first; the last one is 1. */
struct scale {
	u64 size;
	const char *name;
};

/* Three digits, in the unit that suits them. the viewer does the same. */
static void add_scaled(struct strbuf *b, u64 value, const struct scale *unit)
{
	u64 scale, rounded;

	while (unit->size > 1 && value < unit->size)
		unit++;
	scale = unit->size == 1 || value >= 100 * unit->size ? 1
		: value >= 10 * unit->size		     ? 10
							     : 100;
	rounded = (u64)(((unsigned __int128)value * scale + unit->size / 2) / unit->size);
	strbuf_add_number(b, rounded / scale);
	if (scale > 1)
		strbuf_addf(b, ".%0*llu", scale == 10 ? 1 : 2,
			    (unsigned long long)(rounded % scale));
	strbuf_addf(b, " %s", unit->name);
}

void strbuf_add_time(struct strbuf *b, u64 ns)
{
	static const struct scale times[] = {
		{NSEC_PER_SEC, "s"}, {NSEC_PER_MSEC, "ms"}, {NSEC_PER_USEC, "us"}, {1, "ns"}};

	add_scaled(b, ns, times);
}

void strbuf_add_bytes(struct strbuf *b, u64 bytes)
{
	static const struct scale sizes[] = {{1ull << 40, "TiB"},
					     {1ull << 30, "GiB"},
					     {1ull << 20, "MiB"},
					     {1ull << 10, "KiB"},
					     {1, "B"}};

	add_scaled(b, bytes, sizes);
}

void strbuf_add_percent(struct strbuf *b, u64 part, u64 all, unsigned int decimals)
{
	u64 scale = 1, share;

	for (unsigned int i = 0; i < decimals; i++)
		scale *= 10;
	share = all ? (u64)(((unsigned __int128)part * 100 * scale + all / 2) / all) : 0;
	strbuf_add_digits(b, share / scale);
	if (!decimals)
		return;
	strbuf_addc(b, '.');
	while (scale /= 10)
		strbuf_addc(b, (char)('0' + share / scale % 10));
}
