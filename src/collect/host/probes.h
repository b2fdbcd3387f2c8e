/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * probes.h: what the host has, asked without loading anything large: for hosts that lack a part,
 * and for `wick doctor`.
 */
#ifndef COLLECT_HOST_PROBES_H
#define COLLECT_HOST_PROBES_H

#include "collect.h"

/* Do the kernel's BPF programs have atomic operations that return a value? */
bool has_atomic_exchange(void);
/* Are transparent huge pages used wherever they can be, also where no program asks for them? */
bool huge_pages_always(void);

#endif
