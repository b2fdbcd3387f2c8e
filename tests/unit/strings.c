/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/strings.h"

#include "test.h"

static void equal_strings_have_equal_refs(void)
{
	struct strings pool;
	u32 a, b;

	strings_init(&pool);
	CHECK_EQ(strings_adds(&pool, ""), 0);
	a = strings_adds(&pool, "alpha");
	b = strings_adds(&pool, "beta");
	CHECK(a != b);
	CHECK_EQ(strings_add(&pool, "alphabet", 5), a);
	CHECK_STR(strings_get(&pool, a).s, "alpha");
	CHECK_EQ(strings_get(&pool, b).size, 4);
	strings_release(&pool);
}

static void strings_may_hold_any_bytes(void)
{
	struct strings pool;
	u32 a, b;

	strings_init(&pool);
	a = strings_add(&pool, "x\0y", 3);
	b = strings_add(&pool, "x\0z", 3);
	CHECK(a != b);
	CHECK(strings_adds(&pool, "x") != a);
	CHECK_EQ(strings_get(&pool, a).size, 3);
	CHECK(!memcmp(strings_get(&pool, b).s, "x\0z", 4));
	strings_release(&pool);
}

/* Blocks are 64 KB: shorter, just as long, and longer ones. */
static void strings_stay_where_they_are(void)
{
	static const size_t sizes[] = {1, 100, 65000, 65536, 65535, 200000, 3};
	const char *at[ARRAY_SIZE(sizes)];
	struct strings pool;

	strings_init(&pool);
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		_cleanup_free_ char *s = xcalloc(1, sizes[i]);

		memset(s, 'a' + (int)i, sizes[i]);
		at[i] = strings_get(&pool, strings_add(&pool, s, sizes[i])).s;
	}
	for (u32 i = 0; i < 50000; i++) {
		char text[16];

		snprintf(text, sizeof(text), "%u", i);
		strings_adds(&pool, text);
	}
	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		CHECK_EQ(at[i][0], 'a' + (int)i);
		CHECK_EQ(at[i][sizes[i] - 1], 'a' + (int)i);
		CHECK_EQ(at[i][sizes[i]], '\0');
	}
	CHECK_EQ(pool.nr, 1 + ARRAY_SIZE(sizes) + 50000);
	strings_release(&pool);
}

int main(void)
{
	RUN(equal_strings_have_equal_refs);
	RUN(strings_may_hold_any_bytes);
	RUN(strings_stay_where_they_are);
	return test_status();
}
