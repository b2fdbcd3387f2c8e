/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * protobuf.h: writes protocol buffers (protobuf.dev/programming-guides/encoding). A message is the
 * fields that are appended to a buffer; one inside of another is built in a buffer of its own.
 * Fields of value 0 are left out, as proto3 has it.
 */
#ifndef EMIT_PROTOBUF_H
#define EMIT_PROTOBUF_H

#include "base/strbuf.h"

enum { PB_VARINT, PB_BYTES = 2 };

static inline void pb_varint(struct strbuf *b, u64 value)
{
	unsigned char bytes[10];
	size_t nr = 0;

	do {
		bytes[nr++] = (unsigned char)((value & 0x7f) | (value > 0x7f ? 0x80 : 0));
		value >>= 7;
	} while (value);
	strbuf_add(b, bytes, nr);
}

static inline void pb_tag(struct strbuf *b, unsigned int field, unsigned int type)
{
	pb_varint(b, field << 3 | type);
}

/* Any integer or bool but the zigzag and fixed ones. */
static inline void pb_uint(struct strbuf *b, unsigned int field, u64 value)
{
	if (!value)
		return;
	pb_tag(b, field, PB_VARINT);
	pb_varint(b, value);
}

/* A string, a message, or packed integers; written when empty, too. */
static inline void pb_bytes(struct strbuf *b, unsigned int field, const void *bytes, size_t size)
{
	pb_tag(b, field, PB_BYTES);
	pb_varint(b, size);
	if (size)
		strbuf_add(b, bytes, size);
}

/* What was built in a buffer, which is cleared. */
static inline void pb_message(struct strbuf *b, unsigned int field, struct strbuf *message)
{
	pb_bytes(b, field, message->s, message->size);
	strbuf_clear(message);
}

#endif
