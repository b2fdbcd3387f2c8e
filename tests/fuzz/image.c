/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stranger's ELF file as a whole, by all that wick makes of one: the unwind table with its parts
 * .eh_frame and .gopclntab, which is then used, and names. Sections are mutated as sections.
 */
#include "elf_mutator.h"
#include "files/elf_names.h"
#include "use_table.h"

int LLVMFuzzerTestOneInput(const u8 *input, size_t size);
size_t LLVMFuzzerCustomMutator(u8 *input, size_t size, size_t room, unsigned int seed);

size_t LLVMFuzzerCustomMutator(u8 *input, size_t size, size_t room, unsigned int seed)
{
	return elf_mutate(input, size, room, seed);
}

static void use_table(const u8 *input, size_t size)
{
	struct unwind_table *table;

	if (unwind_table_build_image(input, size, &table, NULL))
		return;
	assert(table->stats.text <= (u64)size * 64 && table->stats.covered <= size);
	use_rules(table);
	use_parts(table);
	unwind_table_free(table);
}

static void use_names(const u8 *input, size_t size)
{
	struct debug_link link;
	struct files_symbols *reply;
	u64 addresses[64];

	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++)
		addresses[i] = i * max(size, ARRAY_SIZE(addresses)) / ARRAY_SIZE(addresses);
	reply = reply_new(FILES_PENDING, addresses, ARRAY_SIZE(addresses));
	name_elf(bytes_of_memory(input, size), NULL, reply, &link);
	for (size_t i = 0; i < reply->nr; i++)
		assert(!reply->at[i].name || strlen(reply->at[i].name) == reply->at[i].name_size);
	files_symbols_free(reply);
}

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	use_table(input, size);
	use_names(input, size);
	return 0;
}
