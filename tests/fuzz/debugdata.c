/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a stripped file has packed, which is a stranger's: at most 64 MB come out of it. */
#include "files/debugdata.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	void *memory = NULL;
	ssize_t unpacked = debugdata_unpack(bytes, size, &memory);
	struct elf elf;

	if (unpacked >= 0 && !elf_init(&elf, bytes_of_memory(memory, (size_t)unpacked)))
		elf_release(&elf);
	free(memory);
	return 0;
}
