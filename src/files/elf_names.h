/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_names.h: the names in one opened file, by all that can be known about it.
 */
#ifndef FILES_ELF_NAMES_H
#define FILES_ELF_NAMES_H

#include "bytes.h"
#include "reply.h"
#include "roots.h"

/* What a stripped file's separate debug file is looked for below. */
#define DEBUG_ROOT "/usr/lib/debug"

/* Where a stripped file's debug file may be. */
struct naming_place {
	const char *debug_root; /* DEBUG_ROOT; another one in tests */
	struct roots *roots;	/* that it is looked for beside the file in; NULL: it is not */
	const char *path;	/* the file's, in those */
};

/* Names the reply's addresses, offsets in the ELF file; sets the reply's state. */
void name_elf(struct bytes bytes, const struct naming_place *place, struct files_symbols *reply);

#endif
