/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a symbol's name: a result of bounded size, and what was there before stays. */
#include "symbolize.h"

int LLVMFuzzerTestOneInput(const u8 *input, size_t size);

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	_cleanup_strbuf_ struct strbuf out = {};

	strbuf_adds(&out, "before ");
	demangle(&out, (const char *)input, size);
	assert(!memcmp(out.s, "before ", 7));
	assert(out.size <= 7 + size + (64 << 10));
	return 0;
}
