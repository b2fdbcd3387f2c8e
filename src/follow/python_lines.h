/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * python_lines.h: the line of an instruction of a Python function, by the function's line table.
 *
 *	3.8, 3.9	co_lnotab: pairs of bytes, more instructions and more lines (Objects/
 *			lnotab_notes.txt)
 *	3.10		co_linetable: the same, of ranges; a line of -128 is none (ibid., PEP 626)
 *	3.11 and later	co_linetable: entries of several bytes, with columns (Objects/locations.md)
 */
#ifndef FOLLOW_PYTHON_LINES_H
#define FOLLOW_PYTHON_LINES_H

#include "base/base.h"

/*
 * `version` is 0x030b for 3.11; `place` is in bytes from the first instruction, of 32 bits: a
 * function that has not begun is before that, and at its first line. 0: none is known, as where
 * the first line is 0. The table may be anything.
 */
u32 python_line(u32 version, u32 first_line, const u8 *table, size_t size, u64 place);

#endif
