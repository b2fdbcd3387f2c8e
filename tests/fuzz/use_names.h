/* SPDX-License-Identifier: GPL-2.0-or-later */
/* use_names.h: any bytes as names of run-time code: names cover what they name. */
#ifndef FUZZ_USE_NAMES_H
#define FUZZ_USE_NAMES_H

#include "files/reply.h"

/* `name` is a parser of them, of files/; names have none of the bytes `never`, if that is not 0. */
static inline void use_names(const u8 *input, size_t size,
			     u64 (*name)(struct bytes *, struct files_symbols *), char never)
{
	static const u64 addresses[] = {0,	1,	0x10,		0x1000,
					0x1001, 0xffff, 0x7fff00001000, UINT64_MAX};
	struct files_symbols *reply = reply_new(FILES_OK, addresses, ARRAY_SIZE(addresses));
	struct bytes bytes = bytes_of_memory(input, size);
	u64 named = name(&bytes, reply);

	for (size_t i = 0; i < reply->nr; i++) {
		if (!reply->at[i].name)
			continue;
		named--;
		assert(reply->at[i].start <= addresses[i] && reply->at[i].name_size);
		assert(!never || !memchr(reply->at[i].name, never, reply->at[i].name_size));
	}
	assert(!named);
	files_symbols_free(reply);
}

#endif
