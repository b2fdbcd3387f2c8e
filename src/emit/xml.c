/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xml.h"

static const char *const entities[256] = {
	['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;", ['\''] = "&#39;",
};

void xml_add(struct strbuf *b, struct string safe)
{
	size_t plain = 0;

	for (size_t i = 0; i < safe.size; i++) {
		const char *instead = entities[(unsigned char)safe.s[i]];

		if (!instead)
			continue;
		strbuf_add(b, safe.s + plain, i - plain);
		strbuf_adds(b, instead);
		plain = i + 1;
	}
	strbuf_add(b, safe.s + plain, safe.size - plain);
}

void xml_add_bytes(struct strbuf *b, const char *s, size_t size)
{
	_cleanup_strbuf_ struct strbuf safe = {};

	strbuf_add_safe_utf8(&safe, s, size);
	xml_add(b, (struct string){safe.s ? safe.s : "", safe.size});
}

void xml_add_color(struct strbuf *b, u32 color)
{
	static const char digits[] = "0123456789abcdef";
	char hex[6];

	for (size_t i = 0; i < sizeof(hex); i++)
		hex[i] = digits[color >> 4 * (5 - i) & 15];
	strbuf_add(b, hex, sizeof(hex));
}

void xml_add_thousandths(struct strbuf *b, u64 value)
{
	unsigned int rest = value % 1000;

	strbuf_add_digits(b, value / 1000);
	if (rest)
		strbuf_addc(b, '.');
	for (unsigned int digit = 100; rest; rest %= digit, digit /= 10)
		strbuf_addc(b, (char)('0' + rest / digit));
}
