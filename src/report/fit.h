/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fit.h: text in so many columns of a terminal. Text is UTF-8 that is safe to print
 * (strbuf_add_safe_utf8()). What is too wide ends in "...".
 */
#ifndef REPORT_FIT_H
#define REPORT_FIT_H

#include "base/strbuf.h"
#include "base/strings.h"

/*
 * Columns of a text. A terminal's idea of a character's width depends on its version of Unicode
 * and on its fonts: what may take two columns counts as two.
 */
u32 text_width(const char *s, size_t size);
/* Appends as much of it as fits. */
void add_fitted(struct strbuf *b, const char *s, size_t size, u32 width);
/* The same of any bytes, and blanks up to the width. */
void add_cell(struct strbuf *b, struct string s, u32 width);

/* Lines that are no wider than `width`. */
struct fitted {
	struct strbuf text;
	u32 width, nr;
};

/* Adds a line, cut to the width, and clears it. */
void fitted_add(struct fitted *lines, struct strbuf *line);
/*
 * The same of a line whose end says what to do: it goes on in one more line, below the text of the
 * first one, which begins at column `indent`, and only that is cut.
 */
void fitted_add_advice(struct fitted *lines, struct strbuf *line, u32 indent);
/* Adds the lines of a text, at most so many. */
void fitted_add_text(struct fitted *lines, const char *text, u32 most);
void fitted_release(struct fitted *lines);

#endif
