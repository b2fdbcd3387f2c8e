/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Go's table of functions, a stranger's, which is its program's text as well. */
#include <elf.h>

#include "unwind/golines.h"
#include "unwind/gopclntab.h"
#include "unwind/gotable.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void name_all(const struct elf_eh *elf)
{
	const struct go_trees trees = {.size = elf->file.size};
	struct go_line lines[16];
	struct go go;
	size_t size, nr;

	if (!go_begin(&go, elf))
		return;
	for (u32 i = 0; i < min(go.nr, 1000u); i++) {
		const char *name = go_name(&go, i, &size);

		if (name && memchr(name, '\0', size))
			__builtin_trap();
		nr = go_lines_at(&go, &trees, i, 8 * i, lines, ARRAY_SIZE(lines));
		for (size_t k = 0; k < nr; k++)
			if (memchr(lines[k].function, '\0', lines[k].function_size) ||
			    memchr(lines[k].path, '\0', lines[k].path_size))
				__builtin_trap();
	}
	go_release(&go);
}

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
	name_all(&elf);
	return 0;
}
