/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * naming.h: the names in one opened file, by all that can be known about it.
 */
#ifndef WICK_NAMING_H
#define WICK_NAMING_H

#include "bytes.h"
#include "reply.h"

/* What a stripped file's separate debug file is looked for below. */
#define DEBUG_ROOT "/usr/lib/debug"

/* Names the reply's addresses, offsets in the ELF file; sets the reply's state. */
void name_elf(struct bytes bytes, const char *debug_root, struct files_symbols *reply);

#endif
