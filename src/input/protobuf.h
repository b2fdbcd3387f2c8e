/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * protobuf.h: reads a message of protocol buffers (protobuf.dev/programming-guides/encoding) that a
 * stranger wrote, field by field; nothing is copied, and nothing outside of the message is read.
 *
 *	struct pb_message m = {bytes, bytes + size};
 *
 *	while (pb_next(&m, &field))
 *		...
 *	if (m.bad)
 *		...				cut off, or no such message
 */
#ifndef INPUT_PROTOBUF_H
#define INPUT_PROTOBUF_H

#include "base/strings.h"

enum pb_type { PB_VARINT, PB_FIXED64, PB_BYTES, PB_FIXED32 = 5 };

struct pb_message {
	const unsigned char *at, *end;
	bool bad;
};

struct pb_field {
	u32 number;
	enum pb_type type;
	u64 value;	     /* of all types but PB_BYTES */
	struct string bytes; /* of that one: a string, a message, packed integers */
};

static inline struct pb_message pb_message(struct string bytes)
{
	const unsigned char *at = (const unsigned char *)bytes.s;

	return (struct pb_message){.at = at, .end = at + bytes.size};
}

/* False, and `bad`, where there is none, or one of more than 64 bits. */
bool pb_take_varint(struct pb_message *m, u64 *value);
/* False: it was the last one, or the rest is bad. */
bool pb_next(struct pb_message *m, struct pb_field *field);

#endif
