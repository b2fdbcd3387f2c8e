/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a jitdump: names cover what they name. */
#include "files/jitdump.h"
#include "use_names.h"

int LLVMFuzzerTestOneInput(const u8 *input, size_t size);

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	use_names(input, size, jitdump_name, 0);
	return 0;
}
