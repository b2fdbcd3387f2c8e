/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * label.c: a name that is too long for its box gives away first what tells least. viewer/words.js
 * has the same rules.
 */
#include "label.h"

#include "base/method_name.h"
#include "base/numbers.h"

/* One character of any bytes: 1 where they are not UTF-8. */
static size_t step(const char *s, size_t size)
{
	return max(utf8_length(s, size), (size_t)1);
}

/* U+1100 is e1 84 80. */
static size_t columns_of(const char *s, size_t length)
{
	return length > 1 && memcmp(s, "\xe1\x84\x80", min(length, (size_t)3)) >= 0 ? 2 : 1;
}

size_t label_columns(const char *s, size_t size)
{
	size_t columns = 0;

	for (size_t i = 0, length; i < size; i += length) {
		length = step(s + i, size - i);
		columns += columns_of(s + i, length);
	}
	return columns;
}

/* How many bytes of s fill at most `columns`. */
static size_t bytes_in(const char *s, size_t size, size_t columns)
{
	size_t i = 0;

	while (i < size) {
		size_t length = step(s + i, size - i), need = columns_of(s + i, length);

		if (need > columns)
			break;
		columns -= need;
		i += length;
	}
	return i;
}

struct string label_without_parameters(struct string name)
{
	struct string cut = name;
	size_t open = 0;

	if (string_ends(cut, " const"))
		cut.size -= strlen(" const");
	if (!string_ends(cut, ")"))
		return name;
	for (; cut.size; cut.size--) {
		char c = cut.s[cut.size - 1];

		open += c == ')';
		open -= c == '(';
		if (!open)
			break;
	}
	if (cut.size)
		cut.size--;
	/* "(anonymous namespace)", "operator()" and what has no opening one keep theirs. */
	return cut.size && !string_ends(cut, "operator") ? cut : name;
}

static bool fits(struct string text, size_t columns)
{
	return bytes_in(text.s, text.size, columns) == text.size;
}

void strbuf_add_cut(struct strbuf *b, struct string text, size_t columns)
{
	if (fits(text, columns)) {
		strbuf_add(b, text.s, text.size);
		return;
	}
	strbuf_add(b, text.s, bytes_in(text.s, text.size, columns > 2 ? columns - 2 : 0));
	strbuf_add(b, "..", min(columns, (size_t)2));
}

void strbuf_add_label(struct strbuf *b, struct string name, size_t columns)
{
	struct string text = label_without_parameters(name);
	_cleanup_strbuf_ struct strbuf shorter = {};

	if (fits(name, columns))
		text = name;
	if (!fits(text, columns))
		text = fits(method_without_type(text), columns) ? method_without_type(text)
								: method_without_package(text);
	if (!fits(text, columns) && strbuf_add_templates_shortened(&shorter, text))
		text = (struct string){shorter.s, shorter.size};
	strbuf_add_cut(b, text, columns);
}

bool label_wrap(const char **at, size_t columns, struct string *line)
{
	const char *s = *at, *newline = strchrnul(s, '\n');
	size_t size = (size_t)(newline - s), fits = bytes_in(s, size, columns);

	if (!*s)
		return false;
	if (fits < size) {
		const char *space = memrchr(s, ' ', fits + 1);

		fits = space && space > s ? (size_t)(space - s) : max(fits, step(s, size));
	}
	*line = (struct string){.s = s, .size = fits};
	*at = s + fits;
	if (**at == ' ' || **at == '\n')
		(*at)++;
	return true;
}
