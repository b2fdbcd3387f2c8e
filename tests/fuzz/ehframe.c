/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * .eh_frame of a stranger: as an ELF file, or, with a first byte that no ELF file has, as the bare
 * section for x86-64 (even) or AArch64 (odd). Parser, interpreter and packer; then every byte of
 * the text is looked up and stepped from.
 */
#include <elf.h>

#include "unwind/ehframe.h"
#include "unwind/rows.h"
#include "unwind/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static long read_nothing(void *ctx, __u64 address, __u64 *value)
{
	(void)ctx;
	*value = address ^ 0xff00;
	return address % 7 ? 0 : -EFAULT;
}

static void use(const struct unwind_table *table)
{
	u64 first = (u64)table->shape.first_block << WICK_BLOCK_BITS, start;
	u64 size = (u64)table->shape.nr_blocks << WICK_BLOCK_BITS;

	for (u64 at = first; at < first + size && at < first + 65536; at++) {
		struct wick_unwind_regs regs = {.ip = at, .known = 0xffff, .exact = 1};
		u32 rule = unwind_table_lookup(table, at);

		assert(wick_rule_kind(rule) < WICK_RULE_PUSHES);
		wick_unwind_step(&table->shape, unwind_table_word, table, rule, &regs, read_nothing,
				 NULL);
		if (table->starts.nr_high && unwind_table_function_start(table, at, &start))
			assert(start <= at);
	}
}

static void add_rule(void *ctx, u64 address, const struct cfa_rule *rule, enum wick_bad bad)
{
	struct rows *rows = ctx;

	rows_add(rows, (u32)address, rule ? rows_rule(rows, rule) : wick_rule(WICK_RULE_BAD, bad));
}

static void add_function(void *ctx, const struct eh_fde *fde)
{
	struct rows *rows = ctx;
	u64 end = min(fde->end, (u64)1 << 24);

	if (fde->start >= end)
		return;
	rows_begin(rows, (u32)fde->start, (u32)end);
	cfa_run(&fde->program, fde->initial, fde->start, end, add_rule, rows);
}

static void use_section(const uint8_t *bytes, size_t size, bool known, u16 machine)
{
	struct eh_section section = {
		.bytes = bytes, .size = size, .address = 0x1000, .size_known = known};
	struct rows rows;
	struct rows_packed packed;
	struct eh_count count;

	rows_init(&rows, cfa_machine(machine));
	eh_frame_each(&section, rows.machine, add_function, &rows, &count);
	rows_sort(&rows);
	rows_pack(&rows, &packed);
	use(&(struct unwind_table){
		.shape = packed.shape, .words = packed.words, .nr_words = packed.nr_words});
	free(packed.words);
	rows_release(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct unwind_table *table;

	if (!size)
		return 0;
	if (*bytes != ELFMAG0) {
		use_section(bytes + 1, size - 1, *bytes & 2, *bytes & 1 ? EM_AARCH64 : EM_X86_64);
		return 0;
	}
	if (unwind_table_build_image(bytes, size, &table, NULL))
		return 0;
	use(table);
	unwind_table_free(table);
	return 0;
}
