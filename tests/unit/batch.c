/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "input/batch.h"

enum { MANY = 5000, LONGEST = 40 };

static void add(struct batch *b, const char *s, u64 value)
{
	batch_add(b, (struct string){s, strlen(s)}, (struct batch_counts){.value = value});
}

static int compare(struct string a, struct string b)
{
	int order = memcmp(a.s, b.s, min(a.size, b.size));

	return order ? order : (a.size > b.size) - (a.size < b.size);
}

/* Each value is told by its stack's bytes. */
static u64 sum_of(const char *s, size_t size)
{
	u64 sum = 7;

	for (size_t i = 0; i < size; i++)
		sum = sum * 31 + (unsigned char)s[i];
	return sum;
}

/* Few letters, so that many are equal or begin alike. */
static size_t make(char *s, unsigned int *seed)
{
	size_t size = (size_t)(rand_r(seed) % (LONGEST + 1));

	for (size_t i = 0; i < size; i++)
		s[i] = "aab;\xff"[(unsigned int)rand_r(seed) % 5];
	return size;
}

static void any_stacks_are_sorted(void)
{
	_cleanup_(batch_release) struct batch b = {};
	unsigned int seed = 3;
	u64 added = 0, found = 0;

	for (size_t i = 0; i < MANY; i++) {
		char s[LONGEST];
		size_t size = make(s, &seed);

		added += sum_of(s, size);
		batch_add(&b, (struct string){s, size},
			  (struct batch_counts){.value = sum_of(s, size), .before = i});
	}
	batch_sort(&b);
	CHECK_EQ(b.stacks.nr, MANY);
	vec_for_each (&b.stacks, stack) {
		struct string s = batch_text(&b, stack);

		found += batch_counts(&b, stack).value;
		CHECK_EQ(batch_counts(&b, stack).value, sum_of(s.s, s.size));
		CHECK(stack == b.stacks.at || compare(batch_text(&b, stack - 1), s) <= 0);
	}
	CHECK_EQ(found, added);
}

/* Names are longer than the words that are compared. */
static void stacks_with_long_beginnings_are_sorted(void)
{
	_cleanup_(batch_release) struct batch b = {};
	unsigned int seed = 5;

	for (size_t i = 0; i < MANY; i++) {
		_cleanup_free_ char *s =
			format("a_name_of_many_letters(char *);%s;leaf%d",
			       rand_r(&seed) % 2 ? "another_long_name" : "another_long",
			       rand_r(&seed) % 100);

		add(&b, s, sum_of(s, strlen(s)));
	}
	batch_sort(&b);
	vec_for_each (&b.stacks, stack) {
		struct string s = batch_text(&b, stack);

		CHECK_EQ(batch_counts(&b, stack).value, sum_of(s.s, s.size));
		CHECK(stack == b.stacks.at || compare(batch_text(&b, stack - 1), s) <= 0);
	}
}

/* A text that moved would lose its huge pages just before it is sorted. */
static void the_stack_that_fills_a_batch_has_room(void)
{
	_cleanup_(batch_release) struct batch b = {};
	const char *text;

	batch_expect(&b, 1);
	add(&b, "main;a", 1);
	text = b.text.at;
	while (!batch_is_full(&b))
		add(&b, "main;a_function_of_some_name;another_function_of_some_name", 1);
	CHECK(b.text.at == text);
}

static void stacks_in_order_stay_as_they_are(void)
{
	_cleanup_(batch_release) struct batch b = {};

	add(&b, "a", 1);
	add(&b, "a;b", 2);
	add(&b, "a;b", 3);
	add(&b, "b", 4);
	CHECK(!b.unsorted);
	add(&b, "a;c", 5);
	CHECK(b.unsorted);
	batch_sort(&b);
	CHECK_EQ(batch_counts(&b, &b.stacks.at[3]).value, 5);
	CHECK_EQ(batch_counts(&b, &b.stacks.at[4]).value, 4);
	batch_clear(&b);
	CHECK(!b.unsorted && !b.stacks.nr);
}

static void a_batch_is_full_at_last(void)
{
	_cleanup_(batch_release) struct batch b = {};
	char s[1 << 10] = {};
	size_t nr = 0;

	CHECK(!batch_is_full(&b));
	for (; !batch_is_full(&b) && nr < 1 << 20; nr++)
		batch_add(&b, (struct string){s, sizeof(s)}, (struct batch_counts){.value = 1});
	CHECK(nr < 1 << 17);
	batch_clear(&b);
	CHECK(!batch_is_full(&b));
}

static void equal_stacks_and_empty_ones_end(void)
{
	_cleanup_(batch_release) struct batch b = {};
	_cleanup_free_ char *deep = xcalloc(1, 1 << 20);

	memset(deep, 'x', (1 << 20) - 1);
	for (size_t i = 0; i < 20; i++) {
		add(&b, i % 2 ? "" : deep, 1);
		batch_add(&b, (struct string){"\0\0", i % 3}, (struct batch_counts){.value = 1});
	}
	batch_sort(&b);
	CHECK_EQ(b.stacks.at[0].size < 3, 1);
	CHECK_EQ(b.stacks.at[39].size, (1 << 20) - 1);
}

int main(void)
{
	RUN(any_stacks_are_sorted);
	RUN(stacks_with_long_beginnings_are_sorted);
	RUN(the_stack_that_fills_a_batch_has_room);
	RUN(stacks_in_order_stay_as_they_are);
	RUN(a_batch_is_full_at_last);
	RUN(equal_stacks_and_empty_ones_end);
	return test_status();
}
