/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strbuf.h: a growing string of bytes that knows its length. Zero-initialized is empty; `s` is NULL
 * then, and always ends in a NUL that `size` does not count otherwise.
 *
 * Names come from strangers, so the bytes may be anything: NUL, newlines, invalid UTF-8. Each
 * output format escapes for itself; what they share is strbuf_add_safe_utf8().
 */
#ifndef WICK_STRBUF_H
#define WICK_STRBUF_H

#include "base.h"

struct strbuf {
	char *s;
	size_t size;
	size_t room;
};

void strbuf_release(struct strbuf *b);
/* Keeps the memory. */
void strbuf_clear(struct strbuf *b);
void strbuf_add(struct strbuf *b, const void *bytes, size_t size);
void strbuf_adds(struct strbuf *b, const char *s);
void strbuf_addc(struct strbuf *b, char c);
void strbuf_addf(struct strbuf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_add_digits(struct strbuf *b, u64 value);
/* Writes a number's digits, MAX_DIGITS at most, and no NUL; returns where they end. */
enum { MAX_DIGITS = 20 };
char *put_digits(char *to, u64 value);
/* Word i of nr in a list: "a, b and c", where `last` is "and". */
void strbuf_add_listed(struct strbuf *b, const char *word, size_t i, size_t nr, const char *last);
/* The string, to be freed by the caller; never NULL. The buffer is empty afterwards. */
char *strbuf_detach(struct strbuf *b);

/*
 * The length, 1 to 4, of the valid UTF-8 sequence at s (Unicode 15, table 3-7: no overlong forms,
 * no surrogates, nothing above U+10FFFF), or 0 where there is none. Looks at no more than `size`
 * bytes.
 */
size_t utf8_length(const char *s, size_t size);

/*
 * Appends a name so that any terminal, file and XML parser can take it: control characters (C0,
 * DEL, C1), those that change the direction of text, U+FFFE, U+FFFF and bytes that are not UTF-8
 * become \xNN, byte by byte; the rest stays as it is.
 */
void strbuf_add_safe_utf8(struct strbuf *b, const char *s, size_t size);

#define _cleanup_strbuf_ _cleanup_(strbuf_release)

#endif
