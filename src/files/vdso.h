/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vdso.h: the small library that the kernel maps into every process. It has no file; wick's own
 * copy is the same image that all 64-bit processes have.
 */
#ifndef FILES_VDSO_H
#define FILES_VDSO_H

#include "bytes.h"

/* -ENOENT where there is none (a kernel booted with vdso=0, valgrind). */
int vdso_bytes(struct bytes *bytes);

#endif
