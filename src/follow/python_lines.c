/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "python_lines.h"

enum {
	PAIRS_OF_LINES = 0x030a, /* the versions that a kind of table is since */
	LOCATIONS = 0x030b,
	NO_LINE = -128,
	UNIT = 2,	       /* bytes of an instruction */
	MAX_PLACE = INT32_MAX, /* what is more is -1 instruction: none has begun */
};

static u32 as_line(s64 line)
{
	return line > 0 && line <= UINT32_MAX ? (u32)line : 0;
}

static int as_signed(u8 byte)
{
	return byte < 128 ? byte : byte - 256;
}

/* A pair's line holds from its instruction on. */
static u32 line_by_starts(s64 line, const u8 *table, size_t size, u64 place)
{
	u64 at = 0;

	for (size_t i = 0; i + 1 < size; i += 2) {
		at += table[i];
		if (at > place)
			break;
		line += as_signed(table[i + 1]);
	}
	return as_line(line);
}

/* A pair's line holds for so many bytes. */
static u32 line_by_ranges(s64 line, const u8 *table, size_t size, u64 place)
{
	u64 end = 0;

	for (size_t i = 0; i + 1 < size; i += 2) {
		int more = as_signed(table[i + 1]);

		end += table[i];
		if (more != NO_LINE)
			line += more;
		if (place < end)
			return more == NO_LINE ? 0 : as_line(line);
	}
	return 0;
}

/* Six bits a byte, the lowest first; bit 6: there are more. */
static u64 read_number(const u8 *table, size_t size, size_t *at)
{
	u64 value = 0;
	u8 byte = 0x40;

	for (u32 shift = 0; *at < size && byte & 0x40; shift += 6) {
		byte = table[(*at)++];
		if (shift < 60)
			value |= (u64)(byte & 0x3f) << shift;
	}
	return value;
}

/* By how many lines an entry is further; its code is one that has a line. */
static s64 lines_of_entry(u32 code, const u8 *table, size_t size, size_t at)
{
	u64 number;

	if (code < 10)
		return 0;
	if (code < 13)
		return code - 10;
	number = read_number(table, size, &at);
	return number & 1 ? -(s64)(number >> 1) : (s64)(number >> 1);
}

/* An entry begins with a byte whose highest bit is set; no other byte has it. */
static u32 line_by_locations(s64 line, const u8 *table, size_t size, u64 place)
{
	enum { CODE_NONE = 15 };
	u64 end = 0;
	size_t at = 0;

	while (at < size) {
		u32 code = table[at] >> 3 & 15;

		end += ((table[at] & 7) + 1) * UNIT;
		at++;
		if (code != CODE_NONE &&
		    __builtin_add_overflow(line, lines_of_entry(code, table, size, at), &line))
			return 0;
		if (place < end)
			return code == CODE_NONE ? 0 : as_line(line);
		while (at < size && !(table[at] & 0x80))
			at++;
	}
	return 0;
}

u32 python_line(u32 version, u32 first_line, const u8 *table, size_t size, u64 place)
{
	if (!size) /* all is on one line, since 3.10 a table says so */
		return version < PAIRS_OF_LINES ? first_line : 0;
	if (place > MAX_PLACE)
		return first_line;
	if (version < PAIRS_OF_LINES)
		return line_by_starts(first_line, table, size, place);
	return version < LOCATIONS ? line_by_ranges(first_line, table, size, place)
				   : line_by_locations(first_line, table, size, place);
}
