/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recording_order.h: the order in which a record has the new rows of a dictionary. They come into a
 * profile as they drop out of hash tables, at random; with like beside like, the same rows are two
 * thirds as long once they are deflated. So a row has a number in the file that is not its number
 * in the profile; a reader's profile has the rows in the file's order.
 */
#ifndef PROFILE_RECORDING_ORDER_H
#define PROFILE_RECORDING_ORDER_H

#include "recording_tables.h"

struct row_order {
	VEC(u32) rows;	  /* the profile's row of each number */
	VEC(u32) numbers; /* the number of each row */
};

/* Those of tables that are not sorted are empty: a row's number is the profile's. */
struct recording_order {
	struct row_order tables[NR_TABLES];
};

void recording_order_release(struct recording_order *order);

static inline u32 row_of_number(const struct recording_order *order, enum table_number table,
				size_t number)
{
	const struct row_order *o = &order->tables[table];

	return number < o->rows.nr ? o->rows.at[number] : (u32)number;
}

static inline u64 number_of_row(const struct recording_order *order, enum table_number table,
				u64 row)
{
	const struct row_order *o = &order->tables[table];

	return row < o->numbers.nr ? o->numbers.at[row] : row;
}

/* Number the rows that are new; to be called in this order, as they are sorted by these numbers. */
void order_frames(struct recording_order *order, const struct profile *p);
void order_stacks(struct recording_order *order, const struct profile *p);
void order_hops(struct recording_order *order, const struct profile *p);
void order_chains(struct recording_order *order, const struct profile *p);
void order_samples(struct recording_order *order, const struct profile *p);
/* Sorts what was counted by the samples' numbers. */
void order_counts(const struct recording_order *order, struct slice_sample *counts, size_t nr);

#endif
