/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json.h"

void json_add_string(struct strbuf *b, struct string s)
{
	_cleanup_strbuf_ struct strbuf safe = {};

	strbuf_add_safe_utf8(&safe, s.s, s.size);
	strbuf_addc(b, '"');
	for (size_t i = 0; i < safe.size; i++) {
		if (safe.s[i] == '"' || safe.s[i] == '\\')
			strbuf_addc(b, '\\');
		strbuf_addc(b, safe.s[i]);
	}
	strbuf_addc(b, '"');
}

void json_add_text(struct strbuf *b, const char *text)
{
	json_add_string(b, (struct string){.s = text ? text : "", .size = text ? strlen(text) : 0});
}

void json_add_count(struct strbuf *b, u64 value, const struct unit *unit)
{
	u64 divisor = unit->decimals ? unit->divisor : 1;

	strbuf_addf(b, "%llu", (unsigned long long)(value / divisor));
	if (unit->decimals)
		strbuf_addf(b, ".%0*llu", (int)unit->decimals,
			    (unsigned long long)(value % divisor));
}

void json_add_ms(struct strbuf *b, u64 ns)
{
	strbuf_addf(b, "%llu.%06llu", (unsigned long long)(ns / NSEC_PER_MSEC),
		    (unsigned long long)(ns % NSEC_PER_MSEC));
}
