/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plt.h: names for the procedure linkage table, the stubs through which a file calls functions of
 * others: `memcpy@plt`.
 */
#ifndef FILES_PLT_H
#define FILES_PLT_H

#include "elf.h"
#include "reply.h"

/* Names those of the reply's addresses that have no name yet and lie in a stub. */
void plt_name(const struct elf *elf, struct files_symbols *reply);

#endif
