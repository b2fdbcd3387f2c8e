/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/table.h"

#include "test.h"

static void an_empty_table_has_nothing(void)
{
	struct table t = {};
	struct table_probe p = table_probe(&t, hash_u64(1));

	CHECK(!table_next(&p));
	table_release(&t);
}

static bool contains(const struct table *t, u64 hash, u32 ref)
{
	struct table_probe p = table_probe(t, hash);

	while (table_next(&p))
		if (p.ref == ref)
			return true;
	return false;
}

static void what_was_inserted_is_found(void)
{
	struct table t = {};
	size_t missing = 0, strange = 0;

	for (u32 i = 0; i < 100000; i++)
		table_insert(&t, hash_u64(i), i);
	CHECK_EQ(t.nr, 100000);
	for (u32 i = 0; i < 100000; i++)
		missing += !contains(&t, hash_u64(i), i);
	for (u32 i = 100000; i < 110000; i++)
		strange += contains(&t, hash_u64(i), i);
	CHECK_EQ(missing, 0);
	CHECK_EQ(strange, 0);
	table_release(&t);
}

static void equal_hashes_are_kept_apart_by_the_owner(void)
{
	struct table t = {};
	struct table_probe p;
	u32 seen = 0;

	for (u32 i = 0; i < 20; i++)
		table_insert(&t, 42, i);
	p = table_probe(&t, 42);
	while (table_next(&p))
		seen |= 1u << p.ref;
	CHECK_EQ(seen, (1u << 20) - 1);
	table_release(&t);
}

static void every_byte_counts_in_a_hash(void)
{
	char bytes[40] = {};
	u64 before = hash_bytes(bytes, sizeof(bytes));

	CHECK_EQ(hash_bytes(bytes, sizeof(bytes)), before);
	for (size_t i = 0; i < sizeof(bytes); i++) {
		bytes[i] ^= 1;
		CHECK(hash_bytes(bytes, sizeof(bytes)) != before);
		bytes[i] ^= 1;
	}
	for (size_t size = 0; size < sizeof(bytes); size++)
		CHECK(hash_bytes(bytes, size) != hash_bytes(bytes, size + 1));
}

int main(void)
{
	RUN(an_empty_table_has_nothing);
	RUN(what_was_inserted_is_found);
	RUN(equal_hashes_are_kept_apart_by_the_owner);
	RUN(every_byte_counts_in_a_hash);
	return test_status();
}
