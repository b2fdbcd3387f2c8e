/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wanting.h: threads that still wait for a CPU when the window ends, and who has it then. Their
 * accounts come in any order, so such waits are kept until all have come.
 */
#ifndef FOLLOW_WANTING_H
#define FOLLOW_WANTING_H

#include "base/vec.h"
#include "profile.h"

enum { WANTING_CPUS = 1 << 16 }; /* of higher numbers it is not known who has them */

/* A wait, and the CPU that the thread is to run on. */
struct wanting_wait {
	struct block block;
	u32 cpu;
};

/* All zero at first. */
struct wanting {
	VEC(struct wanting_wait) waits;
	VEC(u32)
	has; /* by CPU: the leg of the thread that runs there at the window's end; 0: none */
};

void wanting_add(struct wanting *w, const struct block *block, u32 cpu);
void wanting_runs(struct wanting *w, u32 leg, u32 cpu);
/* Puts the waits into the profile's log; each knows who had its CPU. */
void wanting_finish(struct wanting *w, struct profile *p);
void wanting_release(struct wanting *w);

#endif
