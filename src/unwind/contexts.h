/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * contexts.h: where a context begins that makecontext() has made (QEMU's coroutines). glibc has
 * its function return to the first instruction of another one, __start_context. What lies before
 * that, and is looked up for a return address, is padding or the end of something else.
 *
 * Only makecontext() has that address, and no other of code; the name is seldom in a file. For
 * x86-64 only.
 */
#ifndef WICK_CONTEXTS_H
#define WICK_CONTEXTS_H

#include "elf_eh.h"
#include "rows.h"

void contexts_add(const struct elf_eh *elf, struct rows *rows);

#endif
