/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "numbers.h"

static void add_with_commas(struct strbuf *b, u64 value)
{
	char digits[24];
	int nr = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);

	for (int i = 0; i < nr; i++) {
		if (i && (nr - i) % 3 == 0)
			strbuf_addc(b, ',');
		strbuf_addc(b, digits[i]);
	}
}

void strbuf_add_value(struct strbuf *b, u64 value, const struct unit *unit)
{
	u64 rest = value % unit->divisor;

	add_with_commas(b, value / unit->divisor + (rest >= unit->divisor - rest));
}

/* svg.js does the same. */
void strbuf_add_time(struct strbuf *b, u64 ns)
{
	static const struct {
		u64 ns;
		const char *name;
	} units[] = {{NSEC_PER_SEC, "s"}, {NSEC_PER_MSEC, "ms"}, {NSEC_PER_USEC, "us"}, {1, "ns"}};
	size_t i = 0;
	u64 scale, value;

	while (units[i].ns > 1 && ns < units[i].ns)
		i++;
	scale = units[i].ns == 1 || ns >= 100 * units[i].ns ? 1 : ns >= 10 * units[i].ns ? 10 : 100;
	value = (u64)(((unsigned __int128)ns * scale + units[i].ns / 2) / units[i].ns);
	add_with_commas(b, value / scale);
	if (scale > 1)
		strbuf_addf(b, ".%0*llu", scale == 10 ? 1 : 2, (unsigned long long)(value % scale));
	strbuf_addf(b, " %s", units[i].name);
}

void strbuf_add_percent(struct strbuf *b, u64 part, u64 all, unsigned int decimals)
{
	u64 scale = 1, share;

	for (unsigned int i = 0; i < decimals; i++)
		scale *= 10;
	share = all ? (u64)(((unsigned __int128)part * 100 * scale + all / 2) / all) : 0;
	strbuf_addf(b, "%llu", (unsigned long long)(share / scale));
	if (decimals)
		strbuf_addf(b, ".%0*llu", (int)decimals, (unsigned long long)(share % scale));
}
