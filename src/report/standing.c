/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * standing.c: threads as they are. What hangs is looked for: so threads are grouped by state, name
 * and place, and the states that tell most come first. Listed one by one, idle daemons would fill
 * the screen.
 */
#include "base/table.h"
#include "base/numbers.h"
#include "facts.h"

enum { THREADS = 0, LONGEST_NS = 2 }; /* columns of their samples */

void standing_sum(struct facts *f, const struct profile *p)
{
	waits_sum(f, p);
	vec_for_each (&p->samples, sample) {
		add_to_sum(&f->standing.nr[letter_index(sample->state)], sample->column[THREADS]);
		add_to_sum(&f->standing.all, sample->column[THREADS]);
	}
}

struct group {
	struct standing_row row;
	size_t order; /* in which the profile has them */
};

struct groups {
	VEC_FIELDS(struct group);
	struct table table;
};

/* The state that tells most about a host that hangs comes first. */
static size_t gravity(u32 state)
{
	static const char order[] = "DTQRS";
	const char *at = strchr(order, (int)(state & WICK_STATE_LETTER));

	return at ? (size_t)(at - order) : sizeof(order);
}

static int compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;
	size_t gx = gravity(x->row.state), gy = gravity(y->row.state);

	if (gx != gy)
		return gx < gy ? -1 : 1;
	if (x->row.nr != y->row.nr)
		return x->row.nr > y->row.nr ? -1 : 1;
	if (x->row.longest_ns != y->row.longest_ns)
		return x->row.longest_ns > y->row.longest_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Idle kernel threads wait for nothing that could be late; a thread on a CPU has no stack. */
static bool is_telling(const struct sample *sample)
{
	size_t letter = letter_index(sample->state);

	return letter < NR_LETTERS && STATE_LETTERS[letter] != 'I';
}

/* Both strings are interned. */
static struct standing_row *row_of(struct groups *groups, u32 state, struct string comm,
				   struct string place)
{
	u64 hash = hash_u64(hash_u64((uintptr_t)comm.s ^ state) ^ (uintptr_t)place.s);
	struct table_probe probe = table_probe(&groups->table, hash);
	struct group *new;

	while (table_next(&probe)) {
		struct standing_row *row = &groups->at[probe.ref].row;

		if (row->state == state && row->comm.s == comm.s && row->place.s == place.s)
			return row;
	}
	table_insert(&groups->table, hash, (u32)groups->nr);
	new = vec_add(groups);
	*new = (struct group){.row = {.state = state, .comm = comm, .place = place},
			      .order = groups->nr};
	return &new->row;
}

static void add_thread(struct groups *groups, struct facts *f, struct profile *p,
		       const struct sample *sample)
{
	struct string comm = strings_get(&p->names, p->legs.at[sample->leg].comm);
	struct string place = place_of(f, p, sample->user, sample->kernel);
	struct standing_row *row =
		row_of(groups, sample->state & (WICK_STATE_LETTER | WICK_STATE_IO), comm, place);

	row->nr += sample->column[THREADS];
	row->longest_ns = max(row->longest_ns, sample->column[LONGEST_NS]);
}

void standing_finish(struct facts *f, struct profile *p)
{
	struct groups groups = {};

	for (size_t i = 0; i < p->samples.nr; i++)
		if (is_telling(&p->samples.at[i]))
			add_thread(&groups, f, p, &p->samples.at[i]);
	vec_sort(&groups, compare_groups);
	vec_for_each (&groups, group)
		*vec_add(&f->standing.places) = group->row;
	table_release(&groups.table);
	vec_release(&groups);
}
