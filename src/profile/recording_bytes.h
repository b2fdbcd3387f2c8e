/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_bytes.h: the numbers of a recording as bytes, and records as they lie in the file:
 * docs/recording.md has both.
 *
 * Numbers are LEB128: seven bits a byte, the lowest first. Signed ones are zigzag-coded before.
 */
#ifndef PROFILE_RECORDING_BYTES_H
#define PROFILE_RECORDING_BYTES_H

#include "base/strbuf.h"
#include "base/vec.h"

enum record_type {
	RECORD_SLICE = 1,   /* what a slice of the window has brought */
	RECORD_NAMES = 2,   /* functions, and which frame is in which */
	RECORD_END = 3,	    /* what is known when the window has closed */
	RECORD_CHAPTER = 4, /* what slices have had, but for what they have counted */
	RECORD_INDEX = 5,   /* where the chapters are */
};

enum {
	RECORDING_MAJOR = 3,
	RECORDING_OLDEST = 2, /* major version that can be read */
	RECORDING_MINOR = 0,
	RECORDING_HEADER_SIZE = 16,
	RECORD_HEADER_SIZE = 16,
	RECORD_MARK = 0x4b52570a, /* "\nWRK" */
};

/* ---- writing */

void put_number(struct strbuf *b, u64 value);

static inline u64 zigzag(s64 value)
{
	return (u64)value << 1 ^ (u64)(value >> 63);
}

static inline s64 unzigzag(u64 value)
{
	return (s64)(value >> 1) ^ -(s64)(value & 1);
}

void put_recording_header(struct strbuf *to);
/* Offsets in a payload, ascending, where other bytes become frequent than before. */
struct borders {
	VEC_FIELDS(size_t);
};

/* The payload as one record, deflated where that is smaller. `borders` may be NULL. */
void put_record(struct strbuf *to, enum record_type type, const struct strbuf *payload,
		const struct borders *borders);

/* A record of where chapters are: the file's last one. */
void put_index(struct strbuf *to, const u64 *chapters, size_t nr);

/* ---- reading */

/* Bytes that are read from the front. What does not fit sets `bad`, and reads as 0 from then on. */
struct cursor {
	const u8 *at, *end;
	bool bad;
};

u64 get_number(struct cursor *c);
/* The next `size` bytes as a cursor of their own. */
struct cursor get_part(struct cursor *c, u64 size);

struct record_header {
	u8 type;
	bool deflated;
	u32 size; /* of the payload, as it lies in the file */
	u32 checksum;
};

/* False: it has no mark, or flags that are not known. */
bool parse_record_header(const u8 bytes[RECORD_HEADER_SIZE], struct record_header *header);
u32 record_checksum(const u8 header[RECORD_HEADER_SIZE], const void *payload, size_t size);
/* 0, -EINVAL: no recording, -EILSEQ: its checksum is wrong. */
int parse_recording_header(const u8 bytes[RECORDING_HEADER_SIZE], u32 *major, u32 *minor);
/*
 * A deflated payload in *to. -EINVAL for bytes that are none; -E2BIG: of more than `max` bytes.
 */
int inflate_payload(const void *payload, size_t size, u64 max, struct strbuf *to);

#endif
