/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "difference.h"

#include <stdlib.h>

enum { TRIALS = 4000 };

/*
 * Events within `time`, one a unit of it by chance: their sum. An event takes nothing or twice the
 * mean, whose mean square is that of an exponential distribution.
 */
static u64 run(unsigned int time, u64 mean, u64 *events, unsigned int *seed)
{
	u64 sum = 0;

	for (size_t i = 0; i < 20ul * time; i++) {
		unsigned int any = (unsigned int)rand_r(seed) >> 4;

		if (any % 20)
			continue;
		sum += any / 20 % 2 ? 2 * mean : 0;
		++*events;
	}
	return sum;
}

/* How many of a thousand changes are more than chance: now's events are `longer` times as long. */
static double exceeded(unsigned int time_before, unsigned int time_now, double longer)
{
	unsigned int seed = 11;
	double nr = 0;

	for (size_t i = 0; i < TRIALS; i++) {
		struct changed_value value = {};

		value.before = run(time_before, 1000000, &value.events, &seed);
		value.now = run(time_now, (u64)(1e6 * longer), &value.events, &seed);
		nr += difference_of_sums_is_significant(&value, (double)time_now / time_before);
	}
	return 1000 * nr / TRIALS;
}

static void chance_alone_is_noise_in_95_of_100(void)
{
	double equal_times = exceeded(200, 200, 1), other_times = exceeded(300, 100, 1);

	CHECK(equal_times > 40 && equal_times < 60);
	CHECK(other_times > 40 && other_times < 60);
}

static void what_takes_longer_is_found(void)
{
	CHECK(exceeded(200, 200, 2) > 990);
	CHECK(exceeded(200, 200, 1.3) > 300);
}

static void few_events_are_never_more(void)
{
	const struct changed_value none = {}, one = {.now = 5000000000, .events = 1};
	const struct changed_value three = {.before = 3000000000, .events = 3};
	const struct changed_value hundred = {.now = 5000000000, .events = 100};

	CHECK(!difference_of_sums_is_significant(&none, 1));
	CHECK(!difference_of_sums_is_significant(&one, 1));
	CHECK(!difference_of_sums_is_significant(&three, 1));
	CHECK(difference_of_sums_is_significant(&hundred, 1));
}

static void events_add_up(void)
{
	_cleanup_(strings_release) struct strings names = {};
	_cleanup_(difference_release) struct difference d;
	struct changed_functions functions = {};
	struct tree_frame a, b;

	strings_init(&names);
	a = (struct tree_frame){.name = strings_adds(&names, "a")};
	b = (struct tree_frame){.name = strings_adds(&names, "b")};
	difference_init(&d, &names);
	for (size_t i = 0; i < 2; i++) {
		_cleanup_(call_tree_release) struct call_tree values = {}, events = {};

		call_tree_init(&values, &names);
		call_tree_init(&events, &names);
		call_tree_add(&values, (struct tree_frame[]){a, b, a}, 3, 100 + i);
		call_tree_add(&values, (struct tree_frame[]){a}, 1, 10);
		call_tree_add(&events, (struct tree_frame[]){a, b, a}, 3, 5);
		call_tree_add(&events, (struct tree_frame[]){a}, 1, 2 + i);
		call_tree_finish(&values);
		call_tree_finish(&events);
		difference_add(&d, &values, !i);
		difference_add_events(&d, &events);
	}
	difference_finish(&d, true);
	difference_functions(&d, &functions);
	vec_for_each (&functions, f) {
		bool is_a = f->frame.name == a.name;

		CHECK_EQ(f->self.events, is_a ? 15 : 0);
		CHECK_EQ(f->total.events, is_a ? 15 : 10);
		CHECK_EQ(f->total.now, is_a ? 111 : 101);
	}
	CHECK_EQ(functions.nr, 2);
	CHECK_EQ(tree_events(&d.tree, 0), 15);
	vec_release(&functions);
}

/* A recording and its folded text, which does not say what is of the kernel, or a group. */
static void a_side_that_tells_no_kinds_is_compared_by_name(void)
{
	for (size_t first = 0; first < 2; first++) {
		_cleanup_(strings_release) struct strings names = {};
		_cleanup_(difference_release) struct difference d;
		struct changed_functions functions = {};

		strings_init(&names);
		difference_init(&d, &names);
		for (size_t i = 0; i < 2; i++) {
			_cleanup_(call_tree_release) struct call_tree tree = {};
			bool told = i == first;
			struct tree_frame frames[] = {
				{.name = strings_adds(&names, "sh"),
				 .kind = told ? FRAME_GROUP : 0},
				{.name = strings_adds(&names, "read")},
				{.name = strings_adds(&names, "vfs"),
				 .kind = told ? FRAME_KERNEL : 0},
			};

			call_tree_init(&tree, &names);
			call_tree_add(&tree, frames, 3, 10);
			call_tree_add(&tree, frames, 2, 5);
			call_tree_finish(&tree);
			difference_add(&d, &tree, !i);
		}
		difference_finish(&d, true);
		difference_functions(&d, &functions);
		CHECK_EQ(d.tree.nr, 4);
		vec_for_each (&functions, f)
			CHECK_EQ(f->total.before, f->total.now);
		vec_release(&functions);
	}
}

/* Where both tell kinds, functions of one name are two. */
static void kinds_that_both_tell_are_kept_apart(void)
{
	_cleanup_(strings_release) struct strings names = {};
	_cleanup_(difference_release) struct difference d;
	struct tree_frame user, kernel;

	strings_init(&names);
	user = (struct tree_frame){.name = strings_adds(&names, "read")};
	kernel = (struct tree_frame){.name = user.name, .kind = FRAME_KERNEL};
	difference_init(&d, &names);
	for (size_t i = 0; i < 2; i++) {
		_cleanup_(call_tree_release) struct call_tree tree = {};

		call_tree_init(&tree, &names);
		call_tree_add(&tree, (struct tree_frame[]){user, kernel}, 2, 10);
		call_tree_add(&tree, i ? &user : &kernel, 1, 10);
		call_tree_finish(&tree);
		difference_add(&d, &tree, !i);
	}
	difference_finish(&d, true);
	CHECK_EQ(d.tree.nr, 4);
}

/* What the compiler inlined in only one of two versions has neither gone nor come. */
static void an_inlined_function_is_the_same_function(void)
{
	_cleanup_(strings_release) struct strings names = {};
	_cleanup_(difference_release) struct difference d;
	struct changed_functions functions = {};
	struct tree_frame caller, called, inlined;

	strings_init(&names);
	caller = (struct tree_frame){.name = strings_adds(&names, "caller")};
	called = (struct tree_frame){.name = strings_adds(&names, "f"),
				     .path = strings_adds(&names, "f.c"),
				     .line = 5,
				     .last_line = 7};
	inlined = called;
	inlined.kind = FRAME_INLINED;
	inlined.line = 2;
	difference_init(&d, &names);
	for (size_t i = 0; i < 2; i++) {
		_cleanup_(call_tree_release) struct call_tree tree = {};

		call_tree_init(&tree, &names);
		call_tree_add(&tree, (struct tree_frame[]){caller, i ? inlined : called}, 2, 10);
		call_tree_add(&tree, i ? &called : &inlined, 1, 5);
		call_tree_finish(&tree);
		difference_add(&d, &tree, !i);
	}
	difference_finish(&d, true);
	difference_functions(&d, &functions);
	CHECK_EQ(d.tree.nr, 4);
	CHECK_EQ(functions.nr, 2);
	vec_for_each (&functions, f)
		CHECK_EQ(f->total.before, f->total.now);
	for (u32 node = call_tree_next(&d.tree, 0); node; node = call_tree_next(&d.tree, node)) {
		const struct tree_frame *frame = &d.tree.at[node].frame;

		CHECK_EQ(frame->line, frame->name == called.name ? 2 : 0);
		CHECK_EQ(frame->last_line, frame->name == called.name ? 7 : 0);
	}
	vec_release(&functions);
}

int main(void)
{
	RUN(chance_alone_is_noise_in_95_of_100);
	RUN(what_takes_longer_is_found);
	RUN(few_events_are_never_more);
	RUN(events_add_up);
	RUN(a_side_that_tells_no_kinds_is_compared_by_name);
	RUN(kinds_that_both_tell_are_kept_apart);
	RUN(an_inlined_function_is_the_same_function);
	return test_status();
}
