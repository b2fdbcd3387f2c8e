/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reply.h: building the table of names that goes back through files.h.
 */
#ifndef FILES_REPLY_H
#define FILES_REPLY_H

#include "files.h"

/* Longer names are cut: they are of no use, and strangers write them. */
enum { NAME_SIZE_MAX = 8192 };

struct files_symbols *reply_new(enum files_state state, const u64 *addresses, size_t nr);
/* Copies the name. Replaces the one that was there. */
void reply_name(struct files_symbol *symbol, u64 start, const char *name, size_t size);

#endif
