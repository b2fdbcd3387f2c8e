/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "contexts.h"

#include "dynsym.h"

enum {
	MAKER_MAX = 1024, /* bytes of makecontext(); it has 350 */
	LEA_SIZE = 7,
};

/* The address that `lea disp32(%rip), %reg` at `code` computes; false: it is something else. */
static bool lea_target(const u8 *code, u64 address, u64 *target)
{
	s32 displacement;

	if ((code[0] & 0xfb) != 0x48 || code[1] != 0x8d || (code[2] & 0xc7) != 0x05)
		return false;
	memcpy(&displacement, code + 3, sizeof(displacement));
	*target = address + LEA_SIZE + (u64)(s64)displacement;
	return true;
}

void contexts_add(const struct elf_eh *elf, struct rows *rows)
{
	u64 target, offset, room;
	u8 code[MAKER_MAX];
	Elf64_Sym maker;
	struct dynsym d;
	size_t size;

	if (elf->machine != cfa_machine(EM_X86_64) || !dynsym_init(&d, elf) ||
	    !dynsym_find(&d, "makecontext", &maker))
		return;
	size = min(maker.st_size, (u64)sizeof(code));
	if (!dynsym_read(&d, &maker, code, size))
		return;
	for (size_t at = 0; at + LEA_SIZE <= size; at++) {
		if (!lea_target(code + at, maker.st_value + at, &target) ||
		    !elf_eh_offset(elf, target - 1, &offset, &room))
			continue;
		if (rows_begin(rows, offset, offset + 1))
			rows_add(rows, offset, wick_rule_outermost());
		return;
	}
}
