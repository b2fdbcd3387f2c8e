/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpython.h: is a file a Python interpreter, and how does that one keep its frames? By its symbols;
 * include/python.h says what they mean.
 */
#ifndef WICK_UNWIND_CPYTHON_H
#define WICK_UNWIND_CPYTHON_H

#include "elf_eh.h"
#include "python.h"

/* *python is all zeros where the file is none, or of a version that is not known here. */
void cpython_find(const struct elf_eh *elf, struct wick_python *python);
/* Can it be one that cpython_find() has made? */
bool cpython_is_sane(const struct wick_python *python);

#endif
