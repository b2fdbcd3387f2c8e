/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a jitdump: names cover what they name. */
#include "files/jitdump.h"

int LLVMFuzzerTestOneInput(const u8 *input, size_t size);

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	static const u64 addresses[] = {0,	1,	0x10,		0x1000,
					0x1001, 0xffff, 0x7fff00001000, UINT64_MAX};
	struct files_symbols *reply = reply_new(FILES_OK, addresses, ARRAY_SIZE(addresses));
	struct bytes bytes = bytes_of_memory(input, size);
	u64 named = jitdump_name(&bytes, reply);

	for (size_t i = 0; i < reply->nr; i++) {
		if (!reply->at[i].name)
			continue;
		named--;
		assert(reply->at[i].start <= addresses[i] && reply->at[i].name_size);
	}
	assert(!named);
	files_symbols_free(reply);
	return 0;
}
