/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel_lock.h: the kernel's locks, as stacks tell them. */
#ifndef WHY_KERNEL_LOCK_H
#define WHY_KERNEL_LOCK_H

#include "why.h"

/* Of the function that waits for a lock; 0, a futex's: it is none. */
enum why_lock_kind kernel_lock_kind(struct string function);
/* False: the stack waits for none. *taker: the function that takes it; 0: not known. */
bool kernel_lock_of(const struct profile *p, u32 kernel, enum why_lock_kind *kind, u32 *taker);

#endif
