/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as an ELF file: symbols, stubs, build id. */
#include "files/elf_names.h"

int LLVMFuzzerTestOneInput(const u8 *input, size_t size);

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	struct files_symbols *reply;
	u64 addresses[64];

	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++)
		addresses[i] = i * max(size, (size_t)64) / ARRAY_SIZE(addresses);
	reply = reply_new(FILES_PENDING, addresses, ARRAY_SIZE(addresses));
	name_elf(bytes_of_memory(input, size), &(struct naming_place){.debug_root = "/nonexistent"},
		 reply);
	for (size_t i = 0; i < reply->nr; i++)
		assert(!reply->at[i].name || strlen(reply->at[i].name) == reply->at[i].name_size);
	files_symbols_free(reply);
	return 0;
}
