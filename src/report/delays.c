/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * delays.c: what processes waited for, by the log of blocks: sums by class, and the delays, which
 * are waits of one class of processes of one name at one place.
 */
#include "delays.h"

enum { MOST_CASES = 64 }; /* of a group, that are explained */

/* ---- places */

struct string place_of_block(struct making *m, const struct block *block)
{
	u64 hash = hash_u64((u64)block->user << 32 | block->kernel);
	struct table_probe probe = table_probe(&m->spot_table, hash);
	struct spot *spot;

	while (table_next(&probe)) {
		spot = &m->spots.at[probe.ref];
		if (spot->user == block->user && spot->kernel == block->kernel)
			return spot->place;
	}
	table_insert(&m->spot_table, hash, (u32)m->spots.nr);
	spot = vec_add(&m->spots);
	*spot = (struct spot){block->user, block->kernel,
			      short_place_of(m->f, m->p, m->why, block->user, block->kernel)};
	return spot->place;
}

/* ---- delays */

/* Names and places are interned: equal ones are the same string. */
static u32 group_of(struct making *m, struct string name, enum why_class class, struct string place)
{
	u64 hash =
		hash_u64(hash_u64((u64)(uintptr_t)place.s) ^ ((u64)(uintptr_t)name.s << 8 | class));
	struct table_probe probe = table_probe(&m->group_table, hash);
	struct group *group;

	while (table_next(&probe)) {
		group = &m->groups.at[probe.ref];
		if (group->name.s == name.s && group->delay.class == class &&
		    group->delay.place.s == place.s)
			return probe.ref;
	}
	table_insert(&m->group_table, hash, (u32)m->groups.nr);
	group = vec_add(&m->groups);
	group->name = name;
	group->cases.step = 1;
	group->delay = (struct delay_fact){.process = UINT32_MAX, .class = class, .place = place};
	return (u32)m->groups.nr - 1;
}

static void meet_process(struct group *group, u32 process, bool is_longest)
{
	if (group->delay.process == UINT32_MAX)
		group->delay.process = process;
	group->delay.others |= group->delay.process != process;
	if (is_longest)
		group->delay.process = process;
}

/* Which have a cause in common: a few tell it. */
static void add_case(struct cases *cases, u32 ref)
{
	if (cases->met++ % cases->step)
		return;
	if (cases->blocks.nr == MOST_CASES) {
		for (u32 i = 0; i < MOST_CASES / 2; i++)
			cases->blocks.at[i] = cases->blocks.at[2 * i];
		cases->blocks.nr = MOST_CASES / 2;
		cases->step *= 2;
	}
	*vec_add(&cases->blocks) = ref;
}

/* A part of a block: `ns` of it, for which `counted` is in the accounts. */
static void add_to_group(struct making *m, u32 ref, u32 process, enum why_class class, u64 ns,
			 u64 counted)
{
	const struct block *block = &m->p->blocks.at[ref];
	u32 at = group_of(m, m->processes.at[process].fact.name, class, place_of_block(m, block));
	struct group *group = &m->groups.at[at];
	u64 nr = block_nr(block), one = ns / nr;
	bool is_longest = one > group->delay.longest_ns;

	meet_process(group, process, is_longest);
	add_to_sum(&group->delay.ns, counted);
	group->delay.nr += nr;
	group->delay.stands_for_more |= counted > ns;
	group->delay.longest_ns = max(group->delay.longest_ns, one);
	add_case(&group->cases, ref);
}

static void note_longest(struct work *work, u32 ref, enum why_class class, u64 ns)
{
	if (ns <= work->fact.longest.longest_ns)
		return;
	work->fact.longest = (struct delay_fact){.class = class, .ns = ns, .longest_ns = ns};
	work->longest = ref;
}

static struct had *had_of(struct making *m, u32 group, u32 process)
{
	const char *name = m->processes.at[process].fact.name.s;
	u64 hash = hash_u64((u64)(uintptr_t)name ^ group);
	struct table_probe probe = table_probe(&m->had_table, hash);
	struct had *had;

	while (table_next(&probe)) {
		had = &m->had.at[probe.ref];
		if (had->group == group && m->processes.at[had->process].fact.name.s == name) {
			had->several |= had->process != process;
			return had;
		}
	}
	table_insert(&m->had_table, hash, (u32)m->had.nr);
	had = vec_add(&m->had);
	had->group = group;
	had->process = process;
	return had;
}

/* How long the waits were, is known from the accounts; who had the CPU, from the log. */
static void add_wait_for_cpu(struct making *m, u32 ref, u32 process)
{
	static const struct string nowhere = {"", 0};
	const struct block *block = &m->p->blocks.at[ref];
	u64 ns = block->end - block->woken;
	struct had *had;
	struct group *group;
	u32 at, had_process;

	if (!ns)
		return;
	note_longest(&m->processes.at[process], ref, WHY_CPU, ns / block_nr(block));
	if (!m->p->legs.at[block->before].pid)
		return;
	had_process = process_of(m, block->before);
	at = group_of(m, m->processes.at[process].fact.name, WHY_CPU, nowhere);
	if (m->processes.at[had_process].fact.name.s == m->groups.at[at].name.s) {
		add_to_sum(&m->groups.at[at].own_ns, block->counted_wait);
		return;
	}
	had = had_of(m, at, had_process);
	add_to_sum(&had->ns, block->counted_wait);
	group = &m->groups.at[at];
	if (had->ns <= group->had_ns)
		return;
	group->had_ns = had->ns;
	group->had = (u32)(had - m->had.at);
}

/* How long that was in all, is known from the samples. */
static void add_throttled(struct making *m, u32 ref, u32 process)
{
	const struct block *block = &m->p->blocks.at[ref];
	u64 ns = block->end - block->woken;

	note_longest(&m->processes.at[process], ref, WHY_THROTTLED, ns / block_nr(block));
	add_to_group(m, ref, process, WHY_THROTTLED, ns, block->counted_wait);
}

static void add_block(struct making *m, u32 ref)
{
	const struct block *block = &m->p->blocks.at[ref];
	enum why_class class = why_class(m->why, ref);
	u32 process = process_of(m, block->leg);
	struct work *work = &m->processes.at[process];

	if (class != WHY_CPU)
		add_to_sum(&work->fact.waits[class], why_stands_for(m->why, ref));
	if (is_delay(class) && class != WHY_CPU && block_ns(block)) {
		note_longest(work, ref, class, block_ns(block) / block_nr(block));
		add_to_group(m, ref, process, class, block_ns(block), why_stands_for(m->why, ref));
	}
	if (why_wait_class(block) == WHY_THROTTLED)
		add_throttled(m, ref, process);
	else
		add_wait_for_cpu(m, ref, process);
}

/* The accounts' time without a CPU, by the processes' names. */
static void add_without_cpu(struct making *m)
{
	static const struct string nowhere = {"", 0};

	for (u32 i = 0; i < m->processes.nr; i++) {
		const struct process_fact *fact = &m->processes.at[i].fact;
		u64 ns = fact->waits[WHY_CPU];
		struct group *group;
		u32 at;

		if (!ns)
			continue;
		at = group_of(m, fact->name, WHY_CPU, nowhere);
		group = &m->groups.at[at];
		meet_process(group, i, ns > group->delay.longest_ns);
		group->delay.longest_ns = max(group->delay.longest_ns, ns);
		add_to_sum(&group->delay.ns, ns);
	}
}

/* ---- all of it, in order */

static int compare_groups(const void *a, const void *b)
{
	const struct delay_fact *x = &((const struct group *)a)->delay;
	const struct delay_fact *y = &((const struct group *)b)->delay;
	int by = descending(x->ns, y->ns);

	return by ? by : x->process < y->process ? -1 : x->process > y->process;
}

static void name_cause(struct making *m, struct group *group)
{
	static const struct string own_name = {"others of that name had the CPU last", 36};
	const struct process_fact *process;
	const struct had *had;

	if (group->delay.class != WHY_CPU) {
		group->delay.cause = cause_of(m->f, m->p, m->why, group->cases.blocks.at,
					      group->cases.blocks.nr);
		return;
	}
	if (group->own_ns > group->had_ns)
		group->delay.cause = own_name;
	else if (group->had_ns) {
		had = &m->had.at[group->had];
		process = &m->processes.at[had->process].fact;
		group->delay.cause = process_text(
			m->f, process->name, had->several ? 0 : process->pid, " had the CPU last");
	}
	group->delay.longest_ns = 0;
}

static void list_delays(struct making *m)
{
	vec_sort(&m->groups, compare_groups);
	for (size_t i = 0; i < min(m->groups.nr, (size_t)MOST_DELAYS); i++) {
		struct group *group = &m->groups.at[i];

		if (!group->delay.ns)
			continue;
		name_cause(m, group);
		*vec_add(&m->f->processes.delays) = group->delay;
	}
}

void delays_add(struct making *m)
{
	/* All names first: a process may get another one. */
	for (u32 i = 0; i < profile_nr_chosen(m->p); i++)
		process_of(m, m->p->blocks.at[i].leg);
	for (u32 i = 0; i < profile_nr_chosen(m->p); i++)
		if (m->p->legs.at[m->p->blocks.at[i].leg].pid)
			add_block(m, i);
	add_without_cpu(m);
	list_delays(m);
}

void delays_release(struct making *m)
{
	vec_for_each (&m->groups, group)
		vec_release(&group->cases.blocks);
	vec_release(&m->spots);
	vec_release(&m->groups);
	vec_release(&m->had);
	table_release(&m->spot_table);
	table_release(&m->group_table);
	table_release(&m->had_table);
}
