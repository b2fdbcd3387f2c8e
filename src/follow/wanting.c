/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wanting.h"

void wanting_add(struct wanting *w, const struct block *block, u32 cpu)
{
	*vec_add(&w->waits) = (struct wanting_wait){*block, cpu};
}

void wanting_runs(struct wanting *w, u32 leg, u32 cpu)
{
	if (cpu >= WANTING_CPUS)
		return;
	while (w->has.nr <= cpu)
		*vec_add(&w->has) = 0;
	w->has.at[cpu] = leg;
}

void wanting_finish(struct wanting *w, struct profile *p)
{
	vec_for_each (&w->waits, wait) {
		if (wait->cpu < w->has.nr)
			wait->block.before = w->has.at[wait->cpu];
		profile_wait(p, &wait->block);
	}
	w->waits.nr = 0;
}

void wanting_release(struct wanting *w)
{
	vec_release(&w->waits);
	vec_release(&w->has);
}
