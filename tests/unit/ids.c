/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "follow/ids.h"

#include "test.h"

static void an_id_means_what_it_was_set_to_last(void)
{
	struct ids ids = {};
	u32 row = 77;

	CHECK(!ids_get(&ids, 5, &row));
	CHECK_EQ(row, 77);
	ids_set(&ids, 5, 1);
	ids_set(&ids, 6, 2);
	CHECK(ids_get(&ids, 5, &row));
	CHECK_EQ(row, 1);
	ids_set(&ids, 5, 3);
	CHECK(ids_get(&ids, 5, &row));
	CHECK_EQ(row, 3);
	ids_release(&ids);
	CHECK(!ids_get(&ids, 5, &row));
}

static void an_id_survives_one_rotation(void)
{
	struct ids ids = {};
	u32 row;

	ids_set(&ids, 1, 10);
	ids_rotate(&ids);
	CHECK(ids_get(&ids, 1, &row));
	ids_set(&ids, 2, 20);
	ids_set(&ids, 1, 11);
	CHECK(ids_get(&ids, 1, &row));
	CHECK_EQ(row, 11);
	ids_rotate(&ids);
	CHECK(ids_get(&ids, 1, &row));
	CHECK_EQ(row, 11);
	ids_rotate(&ids);
	CHECK(!ids_get(&ids, 1, &row));
	CHECK(!ids_get(&ids, 2, &row));
	ids_release(&ids);
}

/* Ids that differ in a bit only, as many as a slice of a large host has. */
static void many_ids(void)
{
	enum { NR = 100000 };
	struct ids ids = {};
	u32 row;

	for (u32 i = 0; i < NR; i++)
		ids_set(&ids, (u64)i << 40, i);
	for (u32 i = 0; i < NR; i++) {
		if (!ids_get(&ids, (u64)i << 40, &row) || row != i)
			test_report("id %u", i);
	}
	CHECK(!ids_get(&ids, (u64)NR << 40, &row));
	ids_release(&ids);
}

int main(void)
{
	RUN(an_id_means_what_it_was_set_to_last);
	RUN(an_id_survives_one_rotation);
	RUN(many_ids);
	return test_status();
}
