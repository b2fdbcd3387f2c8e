/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dynsym.h: a file's exported symbols by name, as ld.so finds them: by .gnu.hash, so that a few
 * reads are enough. (Its format: binutils' bfd/elflink.c; "ELF: symbol lookup via DT_GNU_HASH".)
 */
#ifndef WICK_DYNSYM_H
#define WICK_DYNSYM_H

#include "elf_eh.h"

struct dynsym {
	const struct elf_eh *elf;
	Elf64_Shdr hash, symbols, strings;
	u32 nr_buckets, first, nr_words, shift; /* first: symbol that is hashed */
};

/* False: the file has no such table, or a broken one. */
bool dynsym_init(struct dynsym *d, const struct elf_eh *elf);
/* False: it does not export the name, or not as something of its own. */
bool dynsym_find(const struct dynsym *d, const char *name, Elf64_Sym *symbol);
/* Reads from the address of a symbol; false where that is not in the file. */
bool dynsym_read(const struct dynsym *d, const Elf64_Sym *symbol, void *to, size_t size);

#endif
