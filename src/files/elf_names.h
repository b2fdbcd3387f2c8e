/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_names.h: the names in one opened file, by all that can be known about it.
 */
#ifndef FILES_ELF_NAMES_H
#define FILES_ELF_NAMES_H

#include "debugfile.h"
#include "reply.h"

/* The debug files that were found for it. */
struct debug_files {
	const struct bytes *at;
	size_t nr;
};

/* The one that is meant; NULL: it is not among them. */
const struct bytes *debug_file_meant(const struct debug_link *link,
				     const struct debug_files *files);

/*
 * Names the reply's addresses, offsets in the ELF file; sets the reply's state. `debug` may be
 * NULL. Returns true where the file has no symbol table, and no debug file that is meant is at
 * hand: *link says which that would be.
 */
bool name_elf(struct bytes bytes, const struct debug_files *debug, struct files_symbols *reply,
	      struct debug_link *link);

#endif
