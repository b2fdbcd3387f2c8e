/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "protobuf.h"

static bool fail_message(struct pb_message *m)
{
	m->bad = true;
	m->at = m->end;
	return false;
}

bool pb_take_varint(struct pb_message *m, u64 *value)
{
	u64 sum = 0;

	for (unsigned int shift = 0; shift < 64; shift += 7) {
		unsigned char byte;

		if (m->at == m->end)
			return fail_message(m);
		byte = *m->at++;
		if (shift == 63 && byte > 1)
			return fail_message(m);
		sum |= (u64)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*value = sum;
			return true;
		}
	}
	return fail_message(m);
}

static bool take_fixed(struct pb_message *m, size_t size, u64 *value)
{
	u64 sum = 0;

	if ((size_t)(m->end - m->at) < size)
		return fail_message(m);
	for (size_t i = size; i-- > 0;)
		sum = sum << 8 | m->at[i];
	m->at += size;
	*value = sum;
	return true;
}

static bool take_bytes(struct pb_message *m, struct string *bytes)
{
	u64 size;

	if (!pb_take_varint(m, &size))
		return false;
	if (size > (u64)(m->end - m->at))
		return fail_message(m);
	*bytes = (struct string){.s = (const char *)m->at, .size = (size_t)size};
	m->at += size;
	return true;
}

bool pb_next(struct pb_message *m, struct pb_field *field)
{
	struct pb_field found = {.bytes = {"", 0}};
	u64 tag;

	if (m->at == m->end || !pb_take_varint(m, &tag))
		return false;
	if (tag >> 3 == 0 || tag >> 3 > UINT32_MAX >> 3)
		return fail_message(m);
	found.number = (u32)(tag >> 3);
	found.type = (enum pb_type)(tag & 7);
	*field = found;
	switch (found.type) {
	case PB_VARINT:
		return pb_take_varint(m, &field->value);
	case PB_FIXED64:
		return take_fixed(m, 8, &field->value);
	case PB_BYTES:
		return take_bytes(m, &field->bytes);
	case PB_FIXED32:
		return take_fixed(m, 4, &field->value);
	}
	return fail_message(m);
}
