/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts.c: the order in which the facts of a run are computed. Sums come first, since the pictures'
 * subtitles have them; what is longer, and what is known only when the pictures are written, comes
 * last.
 */
#include "facts.h"

#include "topics.h"

static void run_sum(struct facts *f, const struct profile *p)
{
	f->run = (struct run_facts){
		.host = strings_get(&p->names, p->host),
		.kernel = strings_get(&p->names, p->kernel_release),
		.filters = strings_get(&p->names, p->filters),
		.started_ns = p->wall_start_ns,
		.length_ns = p->end - p->begin,
		.nr_cpus = p->nr_cpus,
	};
}

static void losses_sum(struct facts *f, const struct profile *p)
{
	vec_for_each (&p->losses, loss)
		if (loss->value)
			*vec_add(&f->losses) = (struct loss_fact){
				.kind = loss->kind,
				.cause = loss->cause,
				.value = loss->value,
				.is_time = loss->kind == WICK_SCHED && loss->note,
			};
}

void facts_init(struct facts *f, struct profile *p, const struct report_options *options)
{
	*f = (struct facts){.options = *options};
	strings_init(&f->texts);
	run_sum(f, p);
	losses_sum(f, p);
	f->nr_largest_sums = profile_nr_largest(p);
	for (size_t i = 0; i < NR_TOPICS; i++)
		if (topic_is_in(i, options->needs))
			topic_sum(i, f, p);
}

void facts_finish(struct facts *f, struct profile *p, const struct call_tree *cpu)
{
	for (size_t i = 0; i < NR_TOPICS; i++)
		if (topic_is_in(i, f->options.needs))
			topic_finish(i, f, p);
	if (cpu)
		cpu_add_top(f, cpu);
	if (f->options.needs & (NEED_CPU | NEED_SCHED))
		processes_finish(f, p);
	names_finish(f, p);
	ends_finish(f, p);
	cost_finish(f, p);
}

void facts_release(struct facts *f)
{
	vec_release(&f->losses);
	vec_release(&f->waits.thresholds);
	vec_release(&f->waits.off_cpus);
	vec_release(&f->waits.threads);
	vec_release(&f->waits.longest);
	processes_release(&f->processes);
	vec_release(&f->standing.places);
	vec_release(&f->names.worst);
	vec_release(&f->ends.files);
	vec_release(&f->cost.programs);
	strings_release(&f->texts);
}
