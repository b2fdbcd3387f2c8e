/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording_join.h"

#include "base/numbers.h"
#include "merge_sums.h"

static bool is_same_boot(const struct profile *p, const struct profile *part)
{
	struct string mine = strings_get(&p->names, p->boot_id),
		      others = strings_get(&part->names, part->boot_id);

	return !string_compare(mine, others);
}

static int check_part(const struct profile *p, const struct profile *part, struct error *error)
{
	if (part->hosts.nr > 1)
		return fail(error, -EINVAL, "one of its parts is a merged recording");
	if (!p->begin)
		return 0;
	if (!is_same_boot(p, part))
		return fail(error, -EINVAL,
			    "its parts are runs of several hosts, or of one that was booted "
			    "between them: merge files of one run each with `wick merge`");
	if (part->begin < p->begin || part->end < p->end)
		return fail(error, -EINVAL,
			    "its parts are not in the order of their times: merge files of one run "
			    "each with `wick merge`");
	if (p->needs & part->needs & NEED_CPU && p->frequency != part->frequency)
		return fail(error, -EINVAL,
			    "its parts have CPU samples at %u and %u Hz: they do not add up",
			    p->frequency, part->frequency);
	return 0;
}

static void begin_joined(struct profile *p, const struct merged_rows *m)
{
	const struct profile *from = m->from;

	p->begin = from->begin;
	p->wall_start_ns = from->wall_start_ns;
	p->host = merged_string(m, from->host);
	p->kernel_release = merged_string(m, from->kernel_release);
	p->boot_id = merged_string(m, from->boot_id);
	p->event = merged_string(m, from->event);
	p->filters = merged_string(m, from->filters);
	p->depth = from->depth;
	p->most_blocks = from->most_blocks;
}

/* ---- threads */

static u64 hash_of_thread(const struct profile *p, const struct thread_time *thread)
{
	const struct leg *leg = &p->legs.at[thread->leg];

	return hash_u64(hash_u64(leg->tid) ^ leg->start_ns);
}

static bool is_same_thread(const struct profile *p, const struct thread_time *a,
			   const struct thread_time *b)
{
	const struct leg *x = &p->legs.at[a->leg], *y = &p->legs.at[b->leg];

	return x->tid == y->tid && x->start_ns == y->start_ns;
}

/* What it did between two parts is not known. */
static void add_to_thread(struct thread_time *to, const struct thread_time *more)
{
	u64 between = more->begin - min(more->begin, to->end);

	to->leg = more->leg;
	to->end = more->end;
	add_to_sum(&to->running, more->running);
	add_to_sum(&to->queued, more->queued);
	add_to_sum(&to->preempted, more->preempted);
	add_to_sum(&to->blocked, more->blocked);
	add_to_sum(&to->unaccounted, more->unaccounted);
	add_to_sum(&to->unaccounted, between);
	add_to_sum(&to->ran, more->ran);
}

static struct thread_time *find_thread(const struct joined *j, const struct thread_time *thread)
{
	struct profile *p = j->p;
	struct table_probe probe = table_probe(&j->threads, hash_of_thread(p, thread));

	while (table_next(&probe))
		if (is_same_thread(p, &p->threads.at[probe.ref], thread))
			return &p->threads.at[probe.ref];
	return NULL;
}

static void join_thread(struct joined *j, const struct thread_time *thread)
{
	struct profile *p = j->p;
	struct thread_time *known = find_thread(j, thread);

	if (known) {
		add_to_thread(known, thread);
		return;
	}
	table_insert(&j->threads, hash_of_thread(p, thread), (u32)p->threads.nr);
	*vec_add(&p->threads) = *thread;
}

static void join_threads(struct joined *j, const struct merged_rows *m)
{
	vec_for_each (&m->from->threads, thread) {
		struct thread_time joined = *thread;

		joined.leg = m->legs[thread->leg];
		join_thread(j, &joined);
	}
}

/* ---- the rest */

static void join_images(const struct merged_rows *m)
{
	for (size_t i = 1; i < m->from->images.nr; i++) {
		const struct image *image = &m->from->images.at[i];
		struct image *joined = &m->to->images.at[m->images[i]];

		joined->has_code |= image->has_code;
		joined->state = image->state;
	}
}

static void join_counts(const struct merged_rows *m)
{
	vec_for_each (&m->from->samples, sample) {
		struct sample joined = merged_sample(m, sample);

		memcpy(joined.column, sample->column, sizeof(joined.column));
		profile_count(m->to, &joined);
	}
	vec_for_each (&m->from->blocks, block) {
		const struct block joined = merged_block(m, block);

		profile_block(m->to, &joined);
	}
}

static void join_cpus(const struct merged_rows *m)
{
	struct profile *p = m->to;

	for (u32 i = 0; i < m->from->cpus.nr; i++) {
		struct cpu_time *time = profile_cpu(p, i);

		add_to_sum(&time->running, m->from->cpus.at[i].running);
		add_to_sum(&time->idle, m->from->cpus.at[i].idle);
	}
	p->nr_cpus = max(p->nr_cpus, m->from->nr_cpus);
}

static void join_log_bounds(struct profile *p, const struct profile *from)
{
	p->shortest_block = max(p->shortest_block, from->shortest_block);
	add_to_sum(&p->dropped_blocks, from->dropped_blocks);
}

void joined_release(struct joined *j)
{
	table_release(&j->threads);
	table_release(&j->files);
}

int joined_add(struct joined *j, const struct profile *part, struct error *error)
{
	static const struct memory_account nothing;
	struct profile *p = j->p;
	_cleanup_(merged_rows_release) struct merged_rows m = {
		.to = p, .from = part, .files_of_run = &j->files};
	int err = check_part(p, part, error);

	if (err)
		return err;
	merged_rows_init(&m);
	if (!p->begin)
		begin_joined(p, &m);
	p->end = part->end;
	join_images(&m);
	join_counts(&m);
	join_threads(j, &m);
	join_cpus(&m);
	join_log_bounds(p, part);
	merged_facts(&m);
	merged_losses(&m);
	for (size_t i = 0; i < NR_MEMORY_ACCOUNTS; i++)
		merged_memory(&p->memory[i], &part->memory[i], &nothing);
	p->cost.unknown = true; /* of all parts together */
	return 0;
}
