/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * dwarf_lines.h: lines of source and inlined functions, by the DWARF of a file (DWARF 5, chapters
 * 2.17, 3.3.8 and 6.2), which libdw reads. In a parser only: libdw is made for files that one has
 * compiled.
 *
 * The units are gone through once, by their ranges of addresses; of a unit without hits nothing
 * more is read. Of the others, only what lies in functions with hits is looked at closely.
 */
#ifndef FILES_DWARF_LINES_H
#define FILES_DWARF_LINES_H

#include "elf.h"
#include "lines_answer.h"

/* DWARF of two files: the second one has what several programs share (dwz), or nothing. */
struct dwarf_files {
	struct bytes own, shared;
};

/* Has the file any? */
bool dwarf_is_in(const struct elf *elf);
/*
 * Adds the lines of `found->nr` offsets in `elf`, whose DWARF is in files->own, as far as that
 * takes until `deadline_ns` (CLOCK_MONOTONIC). found->cut: it took longer, or the DWARF is broken,
 * or larger than a parser's memory when it is unpacked.
 */
void dwarf_find_lines(const struct elf *elf, const struct dwarf_files *files, const u64 *offsets,
		      u64 deadline_ns, struct found_lines *found);

#endif
