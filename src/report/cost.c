/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cost.c: what a run cost the host. */
#include "base/numbers.h"
#include "facts.h"

static u64 mean(u64 ns, u64 nr)
{
	return nr ? ns / nr : 0;
}

/* What was measured over a part of the runs holds for all. */
static struct program_fact program_of(const struct program_cost *c)
{
	return (struct program_fact){
		.name = c->name,
		.runs = c->runs,
		.ns = mean(c->timed_ns, c->timed_runs),
		.walks = c->walks,
		.walk_ns = mean(c->walk_ns, c->walks),
	};
}

void cost_finish(struct facts *f, const struct profile *p)
{
	f->cost.run = &p->cost;
	f->cost.host_ns = (p->end - p->begin) * max(p->nr_cpus, 1u);
	vec_for_each (&p->cost.programs, c) {
		const struct program_fact program = program_of(c);

		*vec_add(&f->cost.programs) = program;
		add_to_sum(&f->cost.bpf_ns,
			   saturated((unsigned __int128)program.runs * program.ns + c->walk_ns));
	}
}
