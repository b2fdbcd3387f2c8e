/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golines.h: lines of source and inlined functions, as Go's own stack traces have them
 * (src/runtime/symtab.go, symtabinl.go). A record of the table of functions (gotable.h) goes on
 * with
 *
 *	pcfile, pcln     by distance: which of the unit's files, which line
 *	pcdata           by distance: which entry of the inline tree; -1: none
 *	funcdata         where the tree is, from the symbol go:func.* on
 *
 * An entry of the tree is {name, place of the call in the same function}; that place has a line and
 * an entry of its own. Where go:func.* is stands in the runtime's moduledata, which begins with the
 * address of the table.
 */
#ifndef UNWIND_GOLINES_H
#define UNWIND_GOLINES_H

#include "gonames.h"
#include "gotable.h"

/* What inline trees count from: a place in the file; size 0: not known, none is inlined. */
struct go_trees {
	u64 offset, size;
};

void go_trees_find(struct go_trees *trees, struct go *go);
/* Lines of the place `within` bytes behind the start of a function. */
size_t go_lines_at(struct go *go, const struct go_trees *trees, u32 function, u64 within,
		   struct go_line *lines, size_t max);

#endif
