/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ids.h: the kernel's 64-bit ids -> rows of the profile. Two generations, so that ids can be
 * forgotten in a run without end: rotating forgets the older one, and a lookup tries both.
 */
#ifndef FOLLOW_IDS_H
#define FOLLOW_IDS_H

#include "base/table.h"
#include "base/vec.h"

struct id_row {
	u64 id;
	u32 row;
};

struct id_generation {
	VEC_FIELDS(struct id_row);
	struct table table;
};

struct ids {
	struct id_generation now, before;
};

/* Replaces what the id meant. */
void ids_set(struct ids *ids, u64 id, u32 row);
/* False when the id is not known. */
bool ids_get(const struct ids *ids, u64 id, u32 *row);
void ids_rotate(struct ids *ids);
void ids_release(struct ids *ids);

#endif
