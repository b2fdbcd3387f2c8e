/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf.h: the headers of an ELF file, read with distrust: a few tables of fixed-size records whose
 * places and counts come from a stranger (System V ABI, chapters 4 and 5; <elf.h>).
 *
 * Why not libelf: it is made for files that one has compiled, keeps whole sections in memory, and
 * wick reads any user's files as root. What names need is small: headers here, symbols in
 * symtab.c. 32-bit files are widened to the 64-bit records on reading.
 */
#ifndef FILES_ELF_H
#define FILES_ELF_H

#include <elf.h>

#include "base/vec.h"
#include "bytes.h"

enum {
	ELF_MAX_SEGMENTS = 4096,
	ELF_MAX_SECTIONS = 65536,
	ELF_MAX_BUILD_ID = 64,
};

struct elf {
	struct bytes bytes;
	bool is32;
	u16 machine;
	u32 names; /* the section that has the sections' names; 0: none */
	VEC(Elf64_Phdr) segments;
	VEC(Elf64_Shdr) sections;
};

/* -ENOEXEC: no ELF file of this machine's byte order, or a broken one. The bytes stay the caller's.
 */
int elf_init(struct elf *elf, struct bytes bytes);
void elf_release(struct elf *elf);

/* Where the byte at `offset` of the file lies in memory before relocation; false: nowhere. */
bool elf_address(const struct elf *elf, u64 offset, u64 *address);
/* The first section of that type; NULL when there is none. */
const Elf64_Shdr *elf_section(const struct elf *elf, u32 type);
/* The first section of that name; NULL when there is none. */
const Elf64_Shdr *elf_section_named(const struct elf *elf, const char *name);
/* Reads the NUL-terminated string; at most `room` - 1 bytes of it. Returns its size. */
size_t elf_string(const struct elf *elf, const Elf64_Shdr *strings, u64 offset, char *to,
		  size_t room);
/* The GNU build id; returns its size, 0 when there is none. */
size_t elf_build_id(const struct elf *elf, u8 id[ELF_MAX_BUILD_ID]);

#endif
