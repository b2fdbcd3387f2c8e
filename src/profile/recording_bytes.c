/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording_bytes.h"

#include <zlib.h>

enum {
	FLAG_DEFLATED = 1,
	CHECKSUM_AT = 12, /* in both headers */
	SIZE_AT = 8,
	TYPE_AT = 4,
	FLAGS_AT = 5,
	RAW_SIZE = 4,	     /* bytes before a deflated payload: its size once inflated */
	MOST_INFLATED = 1032 /* bytes that deflate makes of one, at most: zlib's technical notes */
};

/* As PNG's: a high bit, and both line ends, so that a copy as text is seen. */
static const u8 magic[8] = {0x89, 'W', 'I', 'C', 'K', '\r', '\n', 0x1a};

/* ---- numbers */

void put_number(struct strbuf *b, u64 value)
{
	while (value >= 0x80) {
		strbuf_addc(b, (char)(value | 0x80));
		value >>= 7;
	}
	strbuf_addc(b, (char)value);
}

u64 get_number(struct cursor *c)
{
	u64 value = 0;

	for (unsigned int shift = 0; c->at < c->end && shift < 64; shift += 7) {
		u8 byte = *c->at++;

		value |= (u64)(byte & 0x7f) << shift;
		if (shift == 63 && byte > 1)
			break;
		if (!(byte & 0x80))
			return value;
	}
	c->bad = true;
	c->at = c->end;
	return 0;
}

struct cursor get_part(struct cursor *c, u64 size)
{
	struct cursor part = {.at = c->at, .end = c->at};

	if (size > (u64)(c->end - c->at)) {
		c->bad = true;
		c->at = c->end;
		return part;
	}
	part.end = c->at += size;
	return part;
}

static void put_fixed(u8 *at, u64 value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		at[i] = (u8)(value >> 8 * i);
}

static u32 fixed_u32(const u8 *at)
{
	return (u32)at[0] | (u32)at[1] << 8 | (u32)at[2] << 16 | (u32)at[3] << 24;
}

/* ---- the file's header */

static u32 checksum(u32 of, const void *bytes, size_t size)
{
	return (u32)crc32_z(of, bytes, size);
}

void put_recording_header(struct strbuf *to)
{
	u8 header[RECORDING_HEADER_SIZE] = {};

	memcpy(header, magic, sizeof(magic));
	put_fixed(header + 8, RECORDING_MAJOR, 2);
	put_fixed(header + 10, RECORDING_MINOR, 2);
	put_fixed(header + CHECKSUM_AT, checksum(0, header, CHECKSUM_AT), 4);
	strbuf_add(to, header, sizeof(header));
}

int parse_recording_header(const u8 bytes[RECORDING_HEADER_SIZE], u32 *major, u32 *minor)
{
	u32 versions = fixed_u32(bytes + 8);

	if (memcmp(bytes, magic, sizeof(magic)))
		return -EINVAL;
	if (fixed_u32(bytes + CHECKSUM_AT) != checksum(0, bytes, CHECKSUM_AT))
		return -EILSEQ;
	*major = versions & 0xffff;
	*minor = versions >> 16;
	return 0;
}

/* ---- records */

u32 record_checksum(const u8 header[RECORD_HEADER_SIZE], const void *payload, size_t size)
{
	return checksum(checksum(0, header, CHECKSUM_AT), payload, size);
}

/* Up to `until`; false: there is no room. */
static bool deflate_up_to(z_stream *z, const struct strbuf *payload, size_t until, int flush)
{
	int result;

	z->avail_in = (uInt)(until - z->total_in);
	z->next_in = (Bytef *)payload->s + z->total_in;
	result = deflate(z, flush);
	return flush == Z_FINISH ? result == Z_STREAM_END : result == Z_OK && z->avail_out;
}

/* A block of zlib's, which has a code of its own, ends at each border. */
static bool deflate_all(z_stream *z, const struct strbuf *payload, const struct borders *borders)
{
	for (size_t i = 0; borders && i < borders->nr; i++)
		if (!deflate_up_to(z, payload, borders->at[i], Z_BLOCK))
			return false;
	return deflate_up_to(z, payload, payload->size, Z_FINISH);
}

/* False: it is not smaller. */
static bool deflate_payload(struct strbuf *to, const struct strbuf *payload,
			    const struct borders *borders)
{
	_cleanup_free_ u8 *bytes = xcalloc(1, payload->size + 1);
	z_stream z = {};
	bool smaller;

	if (payload->size <= RAW_SIZE || payload->size > UINT32_MAX ||
	    deflateInit(&z, Z_DEFAULT_COMPRESSION) != Z_OK)
		return false;
	put_fixed(bytes, payload->size, RAW_SIZE);
	z.next_out = bytes + RAW_SIZE;
	z.avail_out = (uInt)(payload->size - RAW_SIZE);
	smaller = deflate_all(&z, payload, borders);
	if (smaller)
		strbuf_add(to, bytes, RAW_SIZE + z.total_out);
	deflateEnd(&z);
	return smaller;
}

void put_record(struct strbuf *to, enum record_type type, const struct strbuf *payload,
		const struct borders *borders)
{
	_cleanup_strbuf_ struct strbuf deflated = {};
	bool smaller = deflate_payload(&deflated, payload, borders);
	const struct strbuf *body = smaller ? &deflated : payload;
	u8 header[RECORD_HEADER_SIZE] = {};

	put_fixed(header, RECORD_MARK, 4);
	header[TYPE_AT] = (u8)type;
	header[FLAGS_AT] = smaller ? FLAG_DEFLATED : 0;
	put_fixed(header + SIZE_AT, body->size, 4);
	put_fixed(header + CHECKSUM_AT, record_checksum(header, body->s, body->size), 4);
	strbuf_add(to, header, sizeof(header));
	strbuf_add(to, body->s, body->size);
}

void put_index(struct strbuf *to, const u64 *chapters, size_t nr)
{
	_cleanup_strbuf_ struct strbuf payload = {};
	u64 before = 0;

	put_number(&payload, nr);
	for (size_t i = 0; i < nr; i++) {
		put_number(&payload, chapters[i] - before);
		before = chapters[i];
	}
	put_record(to, RECORD_INDEX, &payload, NULL);
}

bool parse_record_header(const u8 bytes[RECORD_HEADER_SIZE], struct record_header *header)
{
	if (fixed_u32(bytes) != RECORD_MARK || bytes[FLAGS_AT] & ~FLAG_DEFLATED)
		return false;
	*header = (struct record_header){
		.type = bytes[TYPE_AT],
		.deflated = bytes[FLAGS_AT] & FLAG_DEFLATED,
		.size = fixed_u32(bytes + SIZE_AT),
		.checksum = fixed_u32(bytes + CHECKSUM_AT),
	};
	return true;
}

int inflate_payload(const void *payload, size_t size, u64 max, struct strbuf *to)
{
	uLongf raw;
	_cleanup_free_ u8 *bytes = NULL;

	if (size < RAW_SIZE)
		return -EINVAL;
	raw = fixed_u32(payload);
	if (raw / MOST_INFLATED > size)
		return -EINVAL;
	if (raw > max)
		return -E2BIG;
	bytes = xcalloc(1, raw + 1);
	if (uncompress(bytes, &raw, (const u8 *)payload + RAW_SIZE, size - RAW_SIZE) != Z_OK ||
	    raw != fixed_u32(payload))
		return -EINVAL;
	strbuf_add(to, bytes, raw);
	return 0;
}
