/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perfmap.c: a perf map is read from its end towards its begin.
 *
 * Runtimes append to it, so the latest lines come first (latest.h), reading can stop when all
 * addresses have a name, and what a hostile map can cost is bounded by its size.
 *
 *	file    ...... | block being read | done
 *	                ^^^ line that began before the block: left for the next block
 *
 * Lines that are no entries are passed over. The last line counts only when it is ended: the
 * process may be writing it.
 */
#include "perfmap.h"

#include "latest.h"

enum {
	BLOCK_SIZE = 1 << 20,
	MAX_SIZE = 128 << 20, /* what is before the last so many bytes is not read */
	NUMBERS_SIZE = 40,    /* what can stand before the name */
};

static unsigned int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a' + 10) : 16;
}

/* Reads a number and the one space after it. */
static bool take_hex(const char **at, const char *end, u64 *value)
{
	const char *s = *at, *digits;

	if (end - s > 2 && s[0] == '0' && s[1] == 'x')
		s += 2;
	*value = 0;
	for (digits = s; s < end && hex_digit(*s) < 16; s++)
		*value = *value << 4 | hex_digit(*s);
	if (s == digits || s - digits > 16 || s == end || *s != ' ')
		return false;
	*at = s + 1;
	return true;
}

static void take_line(struct latest *r, const char *line, const char *end)
{
	u64 start, size;

	if (end > line && end[-1] == '\r')
		end--;
	if (!take_hex(&line, end, &start) || !take_hex(&line, end, &size) || line == end)
		return;
	latest_name(r, start, size, line, (size_t)(end - line));
}

/* The lines of text[0, size), last first. All but the last are ended by a newline, that one by
 * `size`. */
static void take_lines(struct latest *r, const char *text, size_t size)
{
	while (!latest_is_done(r)) {
		const char *newline = memrchr(text, '\n', size);
		const char *line = newline ? newline + 1 : text;

		take_line(r, line, text + size);
		if (!newline)
			return;
		size = (size_t)(newline - text);
	}
}

/* The last newline before `end`; false when there is none, or only in what is not to be read. */
static bool last_newline(const struct bytes *map, u64 end, char *block, u64 *at)
{
	while (end) {
		u64 start = end > BLOCK_SIZE ? end - BLOCK_SIZE : 0;
		const char *newline;

		if (map->size - start > MAX_SIZE ||
		    !bytes_read(map, start, block, (size_t)(end - start)))
			return false;
		newline = memrchr(block, '\n', (size_t)(end - start));
		if (newline) {
			*at = start + (u64)(newline - block);
			return true;
		}
		end = start;
	}
	return false;
}

/*
 * A line longer than a block, that ends at `end`: only the part of it that may count is read.
 * Returns where the line before it ends.
 */
static u64 take_long_line(struct latest *r, const struct bytes *map, u64 end, char *block)
{
	u64 newline = 0, start = 0;
	size_t size;

	if (last_newline(map, end, block, &newline))
		start = newline + 1;
	else if (map->size > MAX_SIZE)
		r->reply->cut = true;
	size = bytes_read_some(map, start, block, NAME_SIZE_MAX + NUMBERS_SIZE);
	if (!r->reply->cut)
		take_line(r, block, block + size);
	return newline;
}

/* Takes the lines of the last block before `end`. Returns where the line before them ends; 0:
 * nowhere. */
static u64 take_block(struct latest *r, const struct bytes *map, u64 end, char *block)
{
	u64 start = end > BLOCK_SIZE ? end - BLOCK_SIZE : 0;
	size_t size = (size_t)(end - start);
	const char *newline;

	r->reply->cut |= map->size - start > MAX_SIZE;
	if (r->reply->cut || !bytes_read(map, start, block, size))
		return 0;
	if (!start) {
		take_lines(r, block, size);
		return 0;
	}
	newline = memchr(block, '\n', size);
	if (!newline)
		return take_long_line(r, map, end, block);
	take_lines(r, newline + 1, size - (size_t)(newline + 1 - block));
	return start + (u64)(newline - block);
}

static void read_backwards(struct latest *r, const struct bytes *map)
{
	_cleanup_free_ char *block = xcalloc(1, BLOCK_SIZE);
	u64 end = 0;

	last_newline(map, map->size, block, &end);
	while (end && !latest_is_done(r))
		end = take_block(r, map, end, block);
}

u64 perfmap_name(const struct bytes *map, struct files_symbols *reply)
{
	_cleanup_(latest_release) struct latest latest;

	if (latest_init(&latest, reply))
		read_backwards(&latest, map);
	return latest.nr_named;
}
