/* SPDX-License-Identifier: GPL-2.0-or-later */
/* top.c: which functions ran most themselves, wherever they were called from. */
#include "base/table.h"
#include "base/numbers.h"
#include "view.h"

struct totals {
	VEC_FIELDS(struct top_function);
	struct table table;
};

static struct top_function *total_of(struct totals *t, const struct tree_frame *frame)
{
	u64 hash = hash_u64((u64)frame->name << 8 | (u64)frame->kind);
	struct table_probe p = table_probe(&t->table, hash);

	while (table_next(&p))
		if (t->at[p.ref].frame.name == frame->name &&
		    t->at[p.ref].frame.kind == frame->kind)
			return &t->at[p.ref];
	table_insert(&t->table, hash, (u32)t->nr);
	*vec_add(t) = (struct top_function){.frame = *frame};
	return &t->at[t->nr - 1];
}

static int compare(const void *a, const void *b)
{
	const struct top_function *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	return x->frame.name < y->frame.name ? -1 : x->frame.name > y->frame.name;
}

size_t top_functions(const struct call_tree *tree, struct top_function *top, size_t room)
{
	struct totals totals = {};
	size_t nr;

	for (size_t i = 1; i < tree->nr; i++)
		if (tree->at[i].self)
			add_to_sum(&total_of(&totals, &tree->at[i].frame)->self, tree->at[i].self);
	vec_sort(&totals, compare);
	nr = min(room, totals.nr);
	if (nr)
		memcpy(top, totals.at, nr * sizeof(*top));
	table_release(&totals.table);
	vec_release(&totals);
	return nr;
}
