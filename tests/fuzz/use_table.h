/* SPDX-License-Identifier: GPL-2.0-or-later */
/* use_table.h: every byte of a table's text is looked up and stepped from, every part cut out. */
#ifndef FUZZ_USE_TABLE_H
#define FUZZ_USE_TABLE_H

#include "unwind/table.h"

enum { USE_BYTES = 1 << 16, USE_SEGMENT_BITS = 20 };

static inline long read_anything(void *ctx, __u64 address, __u64 *value)
{
	(void)ctx;
	*value = address ^ 0xff00;
	return address % 7 ? 0 : -EFAULT;
}

static inline void use_rules(const struct unwind_table *table)
{
	u64 first = (u64)table->shape.first_block << WICK_BLOCK_BITS, start;
	u64 size = (u64)table->shape.nr_blocks << WICK_BLOCK_BITS;

	for (u64 at = first; at < first + min(size, (u64)USE_BYTES); at++) {
		struct wick_unwind_regs regs = {.ip = at, .known = 0xffff, .exact = 1};
		u32 rule = unwind_table_lookup(table, at);

		assert(wick_rule_kind(rule) < WICK_RULE_PUSHES);
		wick_unwind_step(&table->shape, unwind_table_word, table, rule, &regs,
				 read_anything, NULL);
		if (table->starts.nr_high && unwind_table_function_start(table, at, &start))
			assert(start <= at);
	}
}

/* The parts have the whole table's rows, each once. */
static inline void use_parts(const struct unwind_table *table)
{
	u32 first, nr, rows = 0;

	unwind_table_segments(table, USE_SEGMENT_BITS, &first, &nr);
	for (u32 i = 0; i < nr; i++) {
		struct wick_unwind_shape shape;
		u32 words = unwind_table_part(table, first + i, USE_SEGMENT_BITS, &shape);
		_cleanup_free_ u32 *part = xcalloc(words, sizeof(*part));

		if (words)
			unwind_table_cut(table, &shape, part);
		rows += shape.nr_rows;
	}
	assert(rows == table->shape.nr_rows);
}

#endif
