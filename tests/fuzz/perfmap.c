/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a perf map: names have no newline, and cover what they name. */
#include "files/perfmap.h"
#include "use_names.h"

int LLVMFuzzerTestOneInput(const u8 *input, size_t size);

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	use_names(input, size, perfmap_name, '\n');
	return 0;
}
