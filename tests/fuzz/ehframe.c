/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * .eh_frame of a stranger, the bare section, behind a byte: for x86-64 (even) or AArch64 (odd), its
 * size known or not. Parser, interpreter and packer; then the table is used. image.c has it in a
 * file.
 */
#include <elf.h>

#include "unwind/ehframe.h"
#include "unwind/rows.h"
#include "use_table.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void add_rule(void *ctx, u64 address, const struct cfa_rule *rule, enum wick_bad bad)
{
	struct rows *rows = ctx;

	rows_add(rows, address, rule ? rows_rule(rows, rule) : wick_rule(WICK_RULE_BAD, bad));
}

static void add_function(void *ctx, const struct eh_fde *fde)
{
	struct rows *rows = ctx;
	u64 end = min(fde->end, (u64)1 << 24);

	if (rows_begin(rows, fde->start, end))
		cfa_run(&fde->program, fde->initial, fde->start, end, add_rule, rows);
}

static void use_section(const uint8_t *bytes, size_t size, bool known, u16 machine)
{
	struct eh_section section = {
		.bytes = bytes, .size = size, .address = 0x1000, .size_known = known};
	struct rows rows;
	struct rows_packed packed;
	struct eh_count count;
	struct unwind_table table;

	rows_init(&rows, cfa_machine(machine));
	eh_frame_each(&section, rows.machine, add_function, &rows, &count);
	rows_sort(&rows);
	rows_pack(&rows, &packed);
	table = (struct unwind_table){
		.shape = packed.shape, .words = packed.words, .nr_words = packed.nr_words};
	use_rules(&table);
	use_parts(&table);
	free(packed.words);
	rows_release(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (size)
		use_section(bytes + 1, size - 1, *bytes & 2, *bytes & 1 ? EM_AARCH64 : EM_X86_64);
	return 0;
}
