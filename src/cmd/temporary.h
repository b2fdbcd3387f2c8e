/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * temporary.h: temporary names that do not outlive the process, also when a signal ends it.
 */
#ifndef WICK_CMD_TEMPORARY_H
#define WICK_CMD_TEMPORARY_H

#include "base/base.h"

enum { TEMPORARY_SIZE = 32 };

/*
 * Makes up a name for a file in `directory` that is removed at the end, and returns its slot, from
 * 1; -EMFILE: too many. The caller makes the file.
 */
int temporary_reserve(int directory);
const char *temporary_name(int slot);
/* Removes the file, if there is one, and forgets the name. */
void temporary_remove(int slot);
/* Removes the files of all names: signal-safe, for the end of the process. */
void temporary_remove_all(void);
/* Forgets the name: the file has another one. */
void temporary_keep(int slot);

#endif
