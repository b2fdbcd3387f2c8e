/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interrupt.h: what an interrupt is called, from the kernel stack that was found in it. */
#ifndef VIEW_INTERRUPT_H
#define VIEW_INTERRUPT_H

#include "profile.h"

struct interrupt {
	const char *what;   /* "timer", "softirq", "irq"; NULL: the stack does not tell */
	struct string name; /* of the function that it called, or of its entry */
	u32 leaf,
		root; /* frames [leaf, root) are the interrupt's; the rest is what it interrupted */
	bool in_task; /* a softirq that a task's own call ran: the task did it */
};

/*
 * Frame of a waker's kernel stack at which the wakeup happened: what is nearer to the leaf is
 * tracing.
 */
u32 waker_leaf(const struct profile *p, u32 kernel);
struct interrupt interrupt_of(const struct profile *p, u32 kernel);

#endif
