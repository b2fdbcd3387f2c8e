/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as the memory of a Java VM: names end, and belong to what was asked. */
#include "files/java_vm.h"

int LLVMFuzzerTestOneInput(const u8 *input, size_t size);

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	enum { ASKED = 64, STEP = 0x80 };
	u64 addresses[ASKED];
	struct bytes memory = bytes_of_memory(input, size);
	struct files_symbols *reply;
	s64 named;

	for (size_t i = 0; i < ASKED; i++)
		addresses[i] = i * STEP + 0x40;
	addresses[ASKED - 1] = UINT64_MAX;
	reply = reply_new(FILES_OK, addresses, ASKED);
	named = java_vm_name(&memory, 0, reply);
	for (size_t i = 0; i < reply->nr; i++) {
		if (!reply->at[i].name)
			continue;
		named--;
		assert(reply->at[i].start <= addresses[i] && reply->at[i].name_size);
	}
	assert(named == 0 || named == -1);
	files_symbols_free(reply);
	return 0;
}
