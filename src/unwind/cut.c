/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cut.c: parts of a table that are tables of their own. */
#include "table.h"

void unwind_table_segments(const struct unwind_table *table, u32 bits, u32 *first, u32 *nr)
{
	const struct wick_unwind_shape *shape = &table->shape;
	u32 shift = bits - WICK_BLOCK_BITS;

	*first = shape->first_block >> shift;
	*nr = shape->nr_blocks ? ((shape->first_block + shape->nr_blocks - 1) >> shift) - *first + 1
			       : 0;
}

static u32 nr_special_words(const struct wick_unwind_shape *shape)
{
	return shape->nr_specials * WICK_SPECIAL_WORDS;
}

u32 unwind_table_part(const struct unwind_table *table, u32 segment, u32 bits,
		      struct wick_unwind_shape *shape)
{
	const struct wick_unwind_shape *whole = &table->shape;
	u32 shift = bits - WICK_BLOCK_BITS;
	u32 first = max(segment << shift, whole->first_block);
	u32 end = min((segment + 1) << shift, whole->first_block + whole->nr_blocks);
	const u32 *directory = table->words + (first - whole->first_block);

	*shape = (struct wick_unwind_shape){};
	if (first >= end)
		return 0;
	*shape = (struct wick_unwind_shape){
		.first_block = first,
		.nr_blocks = end - first,
		.nr_rows = directory[end - first] - directory[0],
		.nr_specials = whole->nr_specials,
	};
	return shape->nr_blocks + 1 + shape->nr_rows + nr_special_words(shape);
}

void unwind_table_cut(const struct unwind_table *table, const struct wick_unwind_shape *shape,
		      u32 *words)
{
	const struct wick_unwind_shape *whole = &table->shape;
	const u32 *directory = table->words + (shape->first_block - whole->first_block);
	const u32 *rows = table->words + whole->nr_blocks + 1;

	for (u32 i = 0; i <= shape->nr_blocks; i++)
		*words++ = directory[i] - directory[0];
	memcpy(words, rows + directory[0], shape->nr_rows * sizeof(u32));
	words += shape->nr_rows;
	memcpy(words, rows + whole->nr_rows, nr_special_words(shape) * sizeof(u32));
}
