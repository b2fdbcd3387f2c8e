/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process_rows.c: the processes as a table has them. A compile is hundreds of processes, none of
 * which matters alone, while all of one name may take the host. So those of one name are one row,
 * but for a process that is worth one of its own: with a quarter of what all of that name come to.
 */
#include "delays.h"

enum { OWN_ROW = 4, FEW = 2 };

/* Processes of one name on one host. */
struct namesakes {
	const char *name; /* interned */
	u32 host;
	u32 nr;
	u64 weight; /* the sum of how much each matters */
	u32 row;    /* + 1: of those that have none of their own; 0: there is none yet */
};

struct sorting {
	VEC(struct namesakes) names;
	struct table name_table;
	struct process_facts *facts;
};

static struct namesakes *namesakes_of(struct sorting *s, const struct work *work)
{
	const char *name = work->fact.name.s;
	u64 hash = hash_u64((u64)(uintptr_t)name ^ work->host);
	struct table_probe probe = table_probe(&s->name_table, hash);
	struct namesakes *found;

	while (table_next(&probe)) {
		found = &s->names.at[probe.ref];
		if (found->name == name && found->host == work->host)
			return found;
	}
	table_insert(&s->name_table, hash, (u32)s->names.nr);
	found = vec_add(&s->names);
	found->name = name;
	found->host = work->host;
	return found;
}

static bool has_own_row(const struct namesakes *names, const struct process_fact *fact)
{
	return names->nr <= FEW || fact->matters >= names->weight / OWN_ROW;
}

static void join(struct process_row *row, const struct process_fact *fact)
{
	row->nr++;
	row->fact.pid = 0;
	row->fact.nr_threads += fact->nr_threads;
	add_to_sum(&row->fact.running, fact->running);
	for (u32 class = 0; class < NR_WHY_CLASSES; class ++)
		add_to_sum(&row->fact.waits[class], fact->waits[class]);
	if (fact->longest.longest_ns > row->fact.longest.longest_ns)
		row->fact.longest = fact->longest;
}

static void add_to_rows(struct sorting *s, const struct work *work)
{
	struct namesakes *names = namesakes_of(s, work);
	bool own = has_own_row(names, &work->fact);

	if (!own && names->row) {
		join(&s->facts->rows.at[names->row - 1], &work->fact);
		return;
	}
	*vec_add(&s->facts->rows) = (struct process_row){.fact = work->fact, .nr = 1};
	if (!own)
		names->row = (u32)s->facts->rows.nr;
}

static int compare_rows(const void *a, const void *b)
{
	const struct process_fact *x = &((const struct process_row *)a)->fact;
	const struct process_fact *y = &((const struct process_row *)b)->fact;
	int by = descending(x->matters, y->matters);

	by = by ? by : string_compare(x->name, y->name);
	return by ? by : x->pid < y->pid ? -1 : x->pid > y->pid;
}

void process_rows_make(struct making *m)
{
	struct sorting s = {.facts = &m->f->processes};
	struct namesakes *names;

	vec_for_each (&m->processes, work) {
		names = namesakes_of(&s, work);
		names->nr++;
		add_to_sum(&names->weight, work->fact.matters);
	}
	vec_for_each (&m->processes, work)
		add_to_rows(&s, work);
	vec_for_each (&s.facts->rows, row)
		row->fact.matters = process_matters(&row->fact);
	vec_sort(&s.facts->rows, compare_rows);
	for (size_t i = 0; i < min(s.facts->rows.nr, (size_t)MOST_PROCESSES); i++)
		name_longest(m, &s.facts->rows.at[i].fact.longest);
	vec_release(&s.names);
	table_release(&s.name_table);
}
