/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h: what the formats that are JSON (RFC 8259) are made of. */
#ifndef EMIT_JSON_H
#define EMIT_JSON_H

#include "base/strings.h"
#include "base/strbuf.h"
#include "unit.h"

/* Appends a name as a JSON string: the one escaping function of these formats. */
void json_add_string(struct strbuf *b, struct string s);
/* The same of a text. NULL is the empty one. */
void json_add_text(struct strbuf *b, const char *text);
/* A value that is no time, with the digits that its unit has behind the dot. */
void json_add_count(struct strbuf *b, u64 value, const struct unit *unit);
/* Nanoseconds as milliseconds, with all digits. */
void json_add_ms(struct strbuf *b, u64 ns);

#endif
