/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symtab.h: which symbol covers an address? Many addresses at once, against the symbol tables of a
 * file and of its debug file, in one pass over each and without sorting them.
 */
#ifndef FILES_SYMTAB_H
#define FILES_SYMTAB_H

#include "elf.h"
#include "reply.h"

/*
 * Names the reply's addresses, which are offsets in `elf`'s file. `debug` is its separate debug
 * file, or NULL. Sets the reply's `cut` and, where a name came from there, `debug_file`. Returns
 * how many symbols that could be functions there were.
 */
u64 symtab_name(const struct elf *elf, const struct elf *debug, struct files_symbols *reply);

#endif
