/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flow.h: unwind rows of code that has no unwind entries, from the code itself.
 *
 * musl is built without .eh_frame, and so are Rust programs with panic=abort, much assembly, and
 * what was linked with its tables thrown away. Such code has no frame pointers either, and a walk
 * that follows them loses main(). But what an instruction does to the stack pointer is plain to
 * see: from a function's first byte, where the return address lies at the stack pointer, the code
 * is followed along all its branches, and for every instruction there follows where the caller's
 * registers are:
 *
 *	push %rbx          CFA = rsp + 8
 *	sub  $0x20,%rsp          rsp + 16
 *	...                      rsp + 48
 *
 * That is done once for a file, by the parser, for the holes between unwind entries only. The rows
 * are like others, so that walks need not know.
 *
 * Functions begin at symbols, at what is called, and where the code between the known ones makes
 * sense as a function: followed from there, every return finds the stack pointer at the return
 * address. What only an indirect jump reaches (a switch's cases) is tried with the frame at that
 * jump first. Where nothing makes sense there are no rows, and frame pointers lead as before.
 *
 * A large stretch of code that sets frame pointers is not followed: those lead as well, and to
 * follow it takes seconds. Code is a stranger's: 32 MB of it at most are looked at, in steps
 * bounded by its size, and in 24 million of them for a file; a table that took longer would come
 * too late.
 */
#ifndef WICK_FLOW_H
#define WICK_FLOW_H

#include "elf_eh.h"
#include "rows.h"

/* Adds rows for what no function in `rows` covers; they are sorted, before and afterwards. */
void flow_add(const struct elf_eh *elf, struct rows *rows);

#endif
