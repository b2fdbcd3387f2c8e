/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xml.h: the one place where names become XML. Text, attribute values in double quotes, and nothing
 * else: names never go into comments, CDATA or scripts.
 */
#ifndef WICK_EMIT_XML_H
#define WICK_EMIT_XML_H

#include "base/strbuf.h"
#include "base/strings.h"

/* A string that strbuf_add_safe_utf8() made. */
void xml_add(struct strbuf *b, struct string safe);
/* Any bytes. */
void xml_add_bytes(struct strbuf *b, const char *s, size_t size);
/* 0xff8000 is ff8000. */
void xml_add_color(struct strbuf *b, u32 color);
/* Thousandths, without zeros at the end: 1500 is 1.5. */
void xml_add_thousandths(struct strbuf *b, u64 value);

#endif
