/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fit.h"

static const char dots[] = "...";
enum { NR_DOTS = sizeof(dots) - 1 };

/*
 * Three bytes and more are U+0800 and above: East Asian scripts and emoji are among them, and
 * combining marks, which take no column, are too few to matter.
 */
static u32 columns_of(size_t utf8_size)
{
	return utf8_size > 2 ? 2 : 1;
}

/* How many bytes of the text fit, and how many columns those are. */
static size_t fitting(const char *s, size_t size, u32 width, u32 *columns)
{
	size_t at = 0;

	*columns = 0;
	while (at < size) {
		size_t next = max(utf8_length(s + at, size - at), (size_t)1);

		if (*columns + columns_of(next) > width)
			break;
		*columns += columns_of(next);
		at += next;
	}
	return at;
}

u32 text_width(const char *s, size_t size)
{
	u32 columns;

	fitting(s, size, UINT32_MAX, &columns);
	return columns;
}

void add_fitted(struct strbuf *b, const char *s, size_t size, u32 width)
{
	u32 columns;
	size_t fits = fitting(s, size, width, &columns);

	if (fits < size && width >= NR_DOTS) {
		fits = fitting(s, size, width - NR_DOTS, &columns);
		strbuf_add(b, s, fits);
		strbuf_adds(b, dots);
	} else {
		strbuf_add(b, s, fits);
	}
}

void add_cell(struct strbuf *b, struct string s, u32 width)
{
	_cleanup_strbuf_ struct strbuf safe = {};
	size_t before = b->size;

	strbuf_add_safe_utf8(&safe, s.s, s.size);
	if (safe.size)
		add_fitted(b, safe.s, safe.size, width);
	for (u32 at = b->size > before ? text_width(b->s + before, b->size - before) : 0;
	     at < width; at++)
		strbuf_addc(b, ' ');
}

void fitted_add(struct fitted *lines, struct strbuf *line)
{
	size_t size = line->size;

	while (size && line->s[size - 1] == ' ')
		size--;
	if (size)
		add_fitted(&lines->text, line->s, size, lines->width);
	strbuf_addc(&lines->text, '\n');
	strbuf_clear(line);
	lines->nr++;
}

/* Where to break a line that is too wide: behind which of its blanks; 0: there is none. */
static size_t break_of(const struct strbuf *line, u32 width, u32 indent)
{
	u32 columns;
	size_t at = fitting(line->s, line->size, width, &columns);

	if (at == line->size)
		return 0;
	while (at > indent && line->s[at - 1] != ' ')
		at--;
	return at > indent ? at : 0;
}

void fitted_add_advice(struct fitted *lines, struct strbuf *line, u32 indent)
{
	size_t at = line->size ? break_of(line, lines->width, indent) : 0;
	_cleanup_strbuf_ struct strbuf rest = {};

	if (at) {
		strbuf_addf(&rest, "%*s", (int)indent, "");
		strbuf_add(&rest, line->s + at, line->size - at);
		line->size = at;
		line->s[at] = '\0';
	}
	fitted_add(lines, line);
	if (at)
		fitted_add(lines, &rest);
}

void fitted_add_text(struct fitted *lines, const char *text, u32 most)
{
	_cleanup_strbuf_ struct strbuf line = {};

	for (; *text && most; most--) {
		size_t size = strcspn(text, "\n");

		strbuf_add(&line, text, size);
		fitted_add(lines, &line);
		text += size + (text[size] == '\n');
	}
}

void fitted_release(struct fitted *lines)
{
	strbuf_release(&lines->text);
}
