/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "strbuf.h"

#include <stdarg.h>

void strbuf_release(struct strbuf *b)
{
	free(b->s);
	*b = (struct strbuf){};
}

void strbuf_clear(struct strbuf *b)
{
	b->size = 0;
	if (b->s)
		b->s[0] = '\0';
}

static void strbuf_reserve(struct strbuf *b, size_t more)
{
	size_t need = b->size + more + 1;

	if (need <= b->size)
		out_of_memory();
	if (need <= b->room)
		return;
	b->room = max(need, b->room + b->room / 2 + 32);
	b->s = xrealloc(b->s, b->room, 1);
}

void strbuf_add(struct strbuf *b, const void *bytes, size_t size)
{
	strbuf_reserve(b, size);
	if (size)
		memcpy(b->s + b->size, bytes, size);
	b->size += size;
	b->s[b->size] = '\0';
}

void strbuf_adds(struct strbuf *b, const char *s)
{
	strbuf_add(b, s, strlen(s));
}

void strbuf_addc(struct strbuf *b, char c)
{
	strbuf_add(b, &c, 1);
}

void strbuf_addf(struct strbuf *b, const char *fmt, ...)
{
	size_t room;
	va_list args;
	int size;

	strbuf_reserve(b, 64);
	room = b->room - b->size;
	va_start(args, fmt);
	size = vsnprintf(b->s + b->size, room, fmt, args);
	va_end(args);
	if (bug(size < 0))
		return;
	if ((size_t)size >= room) {
		strbuf_reserve(b, (size_t)size);
		va_start(args, fmt);
		vsnprintf(b->s + b->size, (size_t)size + 1, fmt, args);
		va_end(args);
	}
	b->size += (size_t)size;
}

char *put_digits(char *to, u64 value)
{
	char digits[MAX_DIGITS];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	memcpy(to, digits + at, sizeof(digits) - at);
	return to + sizeof(digits) - at;
}

void strbuf_add_digits(struct strbuf *b, u64 value)
{
	char digits[MAX_DIGITS];

	strbuf_add(b, digits, (size_t)(put_digits(digits, value) - digits));
}

void strbuf_add_listed(struct strbuf *b, const char *word, size_t i, size_t nr, const char *last)
{
	if (i && i + 1 == nr)
		strbuf_addf(b, " %s ", last);
	else if (i)
		strbuf_adds(b, ", ");
	strbuf_adds(b, word);
}

char *strbuf_detach(struct strbuf *b)
{
	char *s;

	strbuf_reserve(b, 0);
	b->s[b->size] = '\0';
	s = b->s;
	*b = (struct strbuf){};
	return s;
}

size_t utf8_length(const char *s, size_t size)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned char low = 0x80, high = 0xbf;
	size_t length;

	if (!size)
		return 0;
	if (u[0] < 0x80)
		return 1;
	if (u[0] >= 0xc2 && u[0] <= 0xdf)
		length = 2;
	else if (u[0] >= 0xe0 && u[0] <= 0xef)
		length = 3;
	else if (u[0] >= 0xf0 && u[0] <= 0xf4)
		length = 4;
	else
		return 0;
	if (length > size)
		return 0;
	/*
	 * Only the second byte has a narrower range: it is where overlong forms and surrogates
	 * show.
	 */
	if (u[0] == 0xe0)
		low = 0xa0;
	else if (u[0] == 0xed)
		high = 0x9f;
	else if (u[0] == 0xf0)
		low = 0x90;
	else if (u[0] == 0xf4)
		high = 0x8f;
	if (u[1] < low || u[1] > high)
		return 0;
	for (size_t i = 2; i < length; i++)
		if (u[i] < 0x80 || u[i] > 0xbf)
			return 0;
	return length;
}

/*
 * Of the characters that change the direction of what follows, U+061C, U+200E, U+200F, U+202A to
 * U+202E and U+2066 to U+2069 (Unicode's UAX 9): a name with one of them reads as another one.
 */
static bool is_unsafe(const char *s, size_t length)
{
	const unsigned char *u = (const unsigned char *)s;

	if (length == 1)
		return u[0] < 0x20 || u[0] == 0x7f;
	if (length == 2)
		return (u[0] == 0xc2 && u[1] < 0xa0) || (u[0] == 0xd8 && u[1] == 0x9c);
	if (length == 3 && u[0] == 0xe2)
		return (u[1] == 0x80 && ((u[2] | 1) == 0x8f || (u[2] >= 0xaa && u[2] <= 0xae))) ||
		       (u[1] == 0x81 && u[2] >= 0xa6 && u[2] <= 0xa9);
	return length == 3 && u[0] == 0xef && u[1] == 0xbf && u[2] >= 0xbe;
}

void strbuf_add_safe_utf8(struct strbuf *b, const char *s, size_t size)
{
	for (size_t i = 0; i < size;) {
		size_t length = utf8_length(s + i, size - i);

		if (length && !is_unsafe(s + i, length)) {
			strbuf_add(b, s + i, length);
			i += length;
			continue;
		}
		for (length = max(length, (size_t)1); length; length--, i++)
			strbuf_addf(b, "\\x%02x", (unsigned char)s[i]);
	}
}
