/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ids.h"

static struct id_row *find_id(const struct id_generation *g, u64 id)
{
	struct table_probe p = table_probe(&g->table, hash_u64(id));

	while (table_next(&p))
		if (g->at[p.ref].id == id)
			return &g->at[p.ref];
	return NULL;
}

void ids_set(struct ids *ids, u64 id, u32 row)
{
	struct id_row *found = find_id(&ids->now, id);

	if (!found) {
		table_insert(&ids->now.table, hash_u64(id), (u32)ids->now.nr);
		found = vec_add(&ids->now);
	}
	*found = (struct id_row){.id = id, .row = row};
}

bool ids_get(const struct ids *ids, u64 id, u32 *row)
{
	const struct id_row *found = find_id(&ids->now, id);

	if (!found)
		found = find_id(&ids->before, id);
	if (!found)
		return false;
	*row = found->row;
	return true;
}

static void generation_release(struct id_generation *g)
{
	table_release(&g->table);
	vec_release(g);
}

void ids_rotate(struct ids *ids)
{
	generation_release(&ids->before);
	ids->before = ids->now;
	ids->now = (struct id_generation){};
}

void ids_release(struct ids *ids)
{
	generation_release(&ids->now);
	generation_release(&ids->before);
}
