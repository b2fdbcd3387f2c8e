/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code of a stranger's without unwind entries: for x86-64, and for arm64. */
#include <elf.h>

#include "unwind/flow.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void add_all(const uint8_t *bytes, size_t size, u16 machine)
{
	struct elf_eh elf = {
		.file = {.fd = -1, .memory = bytes, .size = size},
		.machine = cfa_machine(machine),
		.entry = 0x400000,
		.nr_texts = 1,
		.texts = {{.address = 0x400000, .size = size}},
	};
	struct rows rows;
	struct rows_packed packed;

	rows_init(&rows, elf.machine);
	flow_add(&elf, &rows);
	rows_pack(&rows, &packed);
	free(packed.words);
	rows_release(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	if (!size)
		return 0;
	add_all(bytes, size, EM_X86_64);
	add_all(bytes, size, EM_AARCH64);
	return 0;
}
