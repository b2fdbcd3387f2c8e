/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rights.h: with whose rights a command works. A wick with a setuid bit, or capabilities of its
 * file, has more than its caller; those are for collecting, and for nothing else. Root has its own
 * rights in all of this: only the files of a user who called sudo are given to that user.
 */
#ifndef CMD_RIGHTS_H
#define CMD_RIGHTS_H

#include <sys/capability.h>

#include "base/base.h"

/*
 * At main()'s begin, before anything is read or opened: the user and group ids become the caller's.
 * A command that collects keeps those capabilities that collecting takes; any other one has none
 * from here on, and can get none by running something. -EPERM and the like with a text.
 */
int rights_limit(bool collects, struct error *error);

/*
 * What the caller names is opened with the caller's rights:
 *
 *	_cleanup_(rights_take_back) cap_t own = rights_of_caller();
 *
 * Until then this thread uses no capability. NULL for root, and where there are none.
 */
cap_t rights_of_caller(void);
void rights_take_back(cap_t *own);

#endif
