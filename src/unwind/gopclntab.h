/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gopclntab.h: unwind rows of Go's functions, which have no entries in .eh_frame. The runtime finds
 * its way up a stack with a table of its own (gotable.h), which has for each function how far the
 * stack pointer is below its place at entry.
 *
 * That distance gives the CFA at each instruction, also in leaves, which keep no frame pointer.
 * Where the caller's rbp is tells the prologue: `push %rbp` (1.21), or `mov %rbp, d(%rsp)` after
 * the frame is made.
 *
 * The runtime also changes stacks: systemstack(), asmcgocall() and calls of the vdso run a function
 * on the thread's stack, and come back; mcall() and morestack() leave the goroutine, and are
 * outermost as they are in the runtime's own traceback. Before Go 1.21 the first two keep no frame,
 * and a walk ends there without unwind information. Seen with Go 1.19 and 1.26; what 1.16 wrote
 * only in a unit test.
 *
 * x86-64 only: elsewhere Go's frame pointers lead.
 */
#ifndef WICK_GOPCLNTAB_H
#define WICK_GOPCLNTAB_H

#include "elf_eh.h"
#include "rows.h"

/* Adds the functions of the file's table, if it has one that can be read. */
void gopclntab_add(const struct elf_eh *elf, struct rows *rows);

#endif
