/* SPDX-License-Identifier: GPL-2.0-or-later */
/* label.h: names and sentences in little room, measured in columns of a monospaced font. */
#ifndef WICK_EMIT_LABEL_H
#define WICK_EMIT_LABEL_H

#include "base/strbuf.h"
#include "base/strings.h"
#include "emit.h"

/* Columns of the text: two for code points from U+1100 on, where wide characters begin. */
size_t label_columns(const char *s, size_t size);
/* Without what a C++ function's name says of its parameters: `f(int) const` is `f`. */
struct string label_without_parameters(struct string name);
/*
 * Appends the name with `<...>` for the arguments of its templates, those of C++, Rust and D:
 * `std::vector<...>::push_back`, `<alloc::vec::Vec<...> as Drop>::drop`, `sort!(...).sort`. What
 * else has such brackets keeps them: operators, `<module>`, `Foo.<init>`, `{lambda(int)#1}`. False,
 * and nothing is appended, if no template is long enough or if the brackets are not in pairs. Takes
 * time linear in the size.
 */
bool strbuf_add_templates_shortened(struct strbuf *b, struct string name);
/* Appends at most `columns` columns; what was cut ends in "..". */
void strbuf_add_cut(struct strbuf *b, struct string text, size_t columns);
/*
 * Appends a function's name in at most `columns` columns: the whole name if that fits, else without
 * parameters, else also without what comes before the name of a Java method (method_name.h), or
 * without the arguments of templates, and in the end cut.
 */
void strbuf_add_label(struct strbuf *b, struct string name, size_t columns);
/*
 * The next line of a text that is wrapped at spaces, and at newlines, to `columns`; false at the
 * end.
 * `*at` begins as the text and moves on.
 */
bool label_wrap(const char **at, size_t columns, struct string *line);

#endif
