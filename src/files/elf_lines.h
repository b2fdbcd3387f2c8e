/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_lines.h: lines of source in one opened file, by all that can be known about it: Go's own
 * tables; its own DWARF, else that of its debug file, with what that shares with others.
 */
#ifndef FILES_ELF_LINES_H
#define FILES_ELF_LINES_H

#include "elf_names.h"
#include "lines_answer.h"

/*
 * Adds the lines of the addresses, offsets in the file. Returns the state of the answer. *link:
 * what would help and is not among `debug`, the file's debug file or what that shares; empty:
 * nothing.
 */
enum files_state find_lines(struct bytes bytes, const struct debug_files *debug,
			    const struct files_symbols *asked, u64 deadline_ns,
			    struct found_lines *found, struct debug_link *link);

#endif
