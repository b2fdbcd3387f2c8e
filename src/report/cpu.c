/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu.c: samples of running threads: how many, of how many processes, and the functions on top. */
#include "base/table.h"
#include "facts.h"

enum { SAMPLES = 0 }; /* column of a cpu sample */

void cpu_sum(struct facts *f, const struct profile *p)
{
	f->cpu.frequency = p->frequency;
	f->cpu.event = strings_get(&p->names, p->event);
	f->cpu.samples = profile_sum(p, WICK_CPU, SAMPLES, 0, 0);
	f->cpu.expected = p->expected;
}

/* True the first time. */
static bool see_process(struct table *seen, const struct profile *p, u32 ref)
{
	const struct leg *leg = &p->legs.at[ref];
	u64 hash = hash_u64((u64)leg->pid << 32 ^ p->images.at[leg->image].start_ns);
	struct table_probe probe = table_probe(seen, hash);

	while (table_next(&probe))
		if (p->legs.at[probe.ref].pid == leg->pid)
			return false;
	table_insert(seen, hash, ref);
	return true;
}

void cpu_finish(struct facts *f, struct profile *p)
{
	struct table seen = {};

	vec_for_each (&p->samples, sample)
		if (sample->kind == WICK_CPU && p->legs.at[sample->leg].pid)
			f->cpu.processes += see_process(&seen, p, sample->leg);
	table_release(&seen);
}

void cpu_add_top(struct facts *f, const struct call_tree *tree)
{
	struct top_function top[MAX_TOP];

	f->cpu.has_tree = true;
	f->cpu.drawn = tree->at[0].total;
	f->cpu.nr_top = top_functions(tree, top, MAX_TOP);
	for (size_t i = 0; i < f->cpu.nr_top; i++)
		f->cpu.top[i] = (struct function_fact){
			.name = tree_name(tree, top[i].frame.name),
			.module = tree_name(tree, top[i].frame.module),
			.self = top[i].self,
		};
}
