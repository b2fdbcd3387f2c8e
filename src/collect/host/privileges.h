/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * privileges.h: what a run may do, and what it gives up as soon as it can: see `capabilities` in
 * collect.h.
 */
#ifndef COLLECT_HOST_PRIVILEGES_H
#define COLLECT_HOST_PRIVILEGES_H

#include "collect.h"

/*
 * Once all is attached: gives up, for good, every capability that is none of `capabilities`, or not
 * needed any more. Each thread has its own: one that is there before is to call this itself.
 */
void privileges_drop(void);

#endif
