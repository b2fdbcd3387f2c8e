/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "operations.h"

static bool keeps(struct operations *operations, struct strings *names, const char *name)
{
	struct tree_frame frame = {.name = strings_adds(names, name)};
	size_t nr = 1;

	return operations_apply(operations, names, &frame, &nr, 1);
}

/* The same number is another name in the next recording's pool. */
static void each_pool_is_asked_anew(void)
{
	_cleanup_(operations_release) struct operations operations = {};
	struct error error = {};

	CHECK_EQ(operations_add(&operations, OPERATION_HIDE_STACKS, "^a$", &error), 0);
	for (size_t i = 0; i < 2; i++) {
		_cleanup_(strings_release) struct strings names = {};

		strings_init(&names);
		operations_begin(&operations);
		CHECK(keeps(&operations, &names, i ? "a" : "b") == !i);
		CHECK(keeps(&operations, &names, i ? "b" : "a") == i);
		CHECK(keeps(&operations, &names, "b"));
		CHECK_EQ(operations.total, 3);
		CHECK_EQ(operations_kept(&operations), 2);
	}
}

int main(void)
{
	RUN(each_pool_is_asked_anew);
	return test_status();
}
