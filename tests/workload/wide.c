/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wide.c: spin.c, in a program of 2 MB of text that has unwind rows of 500 KB. The text is filled
 * up with functions that nobody calls, whose unwind entries say something else at every turn.
 */
__asm__(".text\n"
	".rept 30000\n"
	".cfi_startproc\n"
	".rept 16\nnop\n.endr\n"
	".cfi_adjust_cfa_offset 16\n"
	".rept 16\nnop\n.endr\n"
	".cfi_adjust_cfa_offset 32\n"
	".rept 16\nnop\n.endr\n"
	".cfi_adjust_cfa_offset 64\n"
	".rept 20\nnop\n.endr\n"
	".cfi_endproc\n"
	".endr\n");

#include "spin.c"
