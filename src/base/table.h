/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * table.h: finds equal things. A table maps a hash to a u32 reference that the owner gave out (an
 * index into a vec, mostly); the owner compares, so the table never holds keys.
 *
 *	struct table_probe p = table_probe(&t, hash);
 *	while (table_next(&p))
 *		if (equal(&things.at[p.ref], wanted))
 *			return p.ref;
 *	table_insert(&t, hash, things.nr);
 *
 * Open addressing, linear probing, grown at three quarters. Hashes of input that a stranger chose
 * should come from hash_bytes(), which is keyed anew in each process, so that collisions
 * cannot be prepared.
 */
#ifndef WICK_TABLE_H
#define WICK_TABLE_H

#include "base.h"

struct table_slot {
	u32 tag; /* high half of the hash, odd so that 0 means empty */
	u32 ref;
};

struct table {
	struct table_slot *slots;
	size_t nr;
	size_t mask; /* slots - 1; 0 before the first insertion */
};

struct table_probe {
	const struct table *table;
	u32 tag;
	size_t at;
	u32 ref;
};

u64 hash_bytes(const void *bytes, size_t size);
u64 hash_u64(u64 value);

static inline u32 table_tag(u64 hash)
{
	return (u32)(hash >> 32) | 1;
}

static inline struct table_probe table_probe(const struct table *t, u64 hash)
{
	return (struct table_probe){
		.table = t, .tag = table_tag(hash), .at = table_tag(hash) >> 1 & t->mask};
}

/* The next reference with this hash into p->ref; false when there is none left. */
static inline bool table_next(struct table_probe *p)
{
	const struct table *t = p->table;

	while (t->slots && t->slots[p->at].tag) {
		struct table_slot slot = t->slots[p->at];

		p->at = (p->at + 1) & t->mask;
		if (slot.tag == p->tag) {
			p->ref = slot.ref;
			return true;
		}
	}
	return false;
}

/* Has where the hash's references are brought near, for a probe that comes some time later. */
void table_prefetch(const struct table *t, u64 hash);
void table_insert(struct table *t, u64 hash, u32 ref);
void table_release(struct table *t);

#endif
