/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image.c: a table as one piece of bytes, so that one process can build it and another use it
 * without a copy:
 *
 *	struct image_head, words, first (nr_high + 1), low (nr_functions, of 16 bits)
 *
 * The one that built it may have been taken over by the file that it read. So all that a lookup, a
 * part or the start of a function relies on is checked before; what is only wrong makes wrong
 * stacks in that file, as its own unwind entries could.
 */
#include <sys/mman.h>

#include "cpython.h"
#include "table.h"

struct image_head {
	struct wick_unwind_shape shape;
	u32 nr_words;
	u32 nr_high, nr_functions;
	u32 pad;
	struct wick_python python;
};

/* ---- writing */

int unwind_table_write(const struct unwind_table *table, int fd)
{
	const struct unwind_starts *starts = &table->starts;
	const struct image_head head = {
		.shape = table->shape,
		.nr_words = table->nr_words,
		.nr_high = starts->nr_high,
		.nr_functions = starts->nr_high ? starts->first[starts->nr_high] : 0,
		.python = table->python,
	};
	int err = write_whole(fd, &head, sizeof(head));

	if (!err)
		err = write_whole(fd, table->words, table->nr_words * sizeof(u32));
	if (!err)
		err = write_whole(fd, starts->first, (starts->nr_high + 1) * sizeof(u32));
	if (!err)
		err = write_whole(fd, starts->low, head.nr_functions * sizeof(u16));
	return err;
}

/* ---- checking */

static bool shape_is_sane(const struct image_head *head)
{
	const struct wick_unwind_shape *shape = &head->shape;
	u64 words = (u64)shape->nr_blocks + 1 + shape->nr_rows +
		    (u64)shape->nr_specials * WICK_SPECIAL_WORDS;
	u64 blocks = (u64)shape->first_block + shape->nr_blocks;

	return words == head->nr_words && blocks <= 1ull << (32 - WICK_BLOCK_BITS) &&
	       head->nr_high <= 1u << 16;
}

/* Rows of a block ascend, and there are no more of them than bytes. */
static bool block_is_sane(const u32 *rows, u32 nr)
{
	if (nr > 1u << WICK_BLOCK_BITS)
		return false;
	for (u32 i = 1; i < nr; i++)
		if (rows[i - 1] >> WICK_RULE_BITS > rows[i] >> WICK_RULE_BITS)
			return false;
	return true;
}

static bool rows_are_sane(const struct wick_unwind_shape *shape, const u32 *directory)
{
	const u32 *rows = directory + shape->nr_blocks + 1;

	if (directory[0] || directory[shape->nr_blocks] != shape->nr_rows)
		return false;
	for (u32 i = 0; i < shape->nr_blocks; i++)
		if (directory[i] > directory[i + 1] || directory[i + 1] > shape->nr_rows ||
		    !block_is_sane(rows + directory[i], directory[i + 1] - directory[i]))
			return false;
	return true;
}

static bool starts_are_sane(const struct unwind_starts *starts, u32 nr)
{
	if (starts->first[0] || starts->first[starts->nr_high] != nr)
		return false;
	for (u32 i = 0; i < starts->nr_high; i++) {
		if (starts->first[i] > starts->first[i + 1] || starts->first[i + 1] > nr)
			return false;
		for (u32 k = starts->first[i] + 1; k < starts->first[i + 1]; k++)
			if (starts->low[k - 1] > starts->low[k])
				return false;
	}
	return true;
}

int unwind_table_adopt(const void *bytes, size_t size, struct unwind_table **out)
{
	const struct image_head *head = bytes;
	struct unwind_table table = {.image = bytes, .image_size = size, .stats.bytes = size};
	u64 wanted;

	if (size < sizeof(*head) || !shape_is_sane(head) || !cpython_is_sane(&head->python))
		return -EPROTO;
	wanted = sizeof(*head) + ((u64)head->nr_words + head->nr_high + 1) * sizeof(u32) +
		 (u64)head->nr_functions * sizeof(u16);
	if (wanted != size)
		return -EPROTO;
	table.shape = head->shape;
	table.python = head->python;
	table.nr_words = head->nr_words;
	table.words = (u32 *)(head + 1);
	table.starts = (struct unwind_starts){
		.first = table.words + head->nr_words,
		.low = (u16 *)(table.words + head->nr_words + head->nr_high + 1),
		.nr_high = head->nr_high,
	};
	if (!rows_are_sane(&table.shape, table.words) ||
	    !starts_are_sane(&table.starts, head->nr_functions))
		return -EPROTO;
	*out = xmemdup(&table, sizeof(table));
	return 0;
}

void unwind_table_free(struct unwind_table *table)
{
	if (!table)
		return;
	if (table->image) {
		munmap((void *)table->image, table->image_size);
	} else {
		free(table->words);
		free(table->starts.low);
		free(table->starts.first);
	}
	free(table);
}
