/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Go's table of functions, a stranger's, which is its program's text as well. */
#include <elf.h>

#include "unwind/gopclntab.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct elf_eh elf = {
		.file = {.fd = -1, .memory = bytes, .size = size},
		.machine = cfa_machine(EM_X86_64),
		.nr_texts = 1,
		.texts = {{.address = 0x400000, .size = size}},
		.gopclntab = (u8 *)bytes,
		.gopclntab_size = size,
	};
	struct rows rows;
	struct rows_packed packed;

	if (!size)
		return 0;
	rows_init(&rows, elf.machine);
	gopclntab_add(&elf, &rows);
	rows_sort(&rows);
	rows_pack(&rows, &packed);
	free(packed.words);
	rows_release(&rows);
	return 0;
}
