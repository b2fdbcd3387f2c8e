/* SPDX-License-Identifier: GPL-2.0-or-later */
/* called.h: names of files that have several. */
#ifndef NAMES_CALLED_H
#define NAMES_CALLED_H

#include "files.h"
#include "profile.h"

/* Sets `name` of files with frames that were started by another one. */
void call_programs(struct profile *p, struct files *files, unsigned int timeout_ms);

#endif
