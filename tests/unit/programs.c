/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/events/programs.h"

#include "test.h"

enum { NR = 8 };

static const u64 addresses[NR] = {0x50, 0x100, 0x10f, 0x110, 0x1ff, 0x200, 0x300, 0x310};

struct answers {
	const char *names[NR], *modules[NR];
};

static void take(void *ctx, size_t i, const char *name, const char *module)
{
	struct answers *a = ctx;

	CHECK(i < NR && !a->names[i]);
	a->names[i] = name;
	a->modules[i] = module;
}

/* What the kernel knows at the end: all. */
static int now(void *self, const u64 *asked, size_t nr,
	       void (*answer)(void *ctx, size_t i, const char *name, const char *module), void *ctx)
{
	for (size_t i = 0; i < nr; i++) {
		CHECK(!i || asked[i - 1] < asked[i]);
		answer(ctx, i, asked[i] == 0x310 ? "at_310" : "now", NULL);
	}
	return *(int *)self;
}

static void check_names(const struct programs *programs, int status, const char *const *names)
{
	/* All were seen at 100, but for one that was not. */
	struct kernel_sight sights[] = {{0x110, 100}, {0x200, 100}, {0x100, 100}, {0x50, 100},
					{0x1ff, 100}, {0x300, 100}, {0x77, 1},	  {0x10f, 100}};
	const struct kernel_namer other = {.names = now, .self = &status};
	struct answers answers = {};

	CHECK_EQ(programs_names(programs, sights, ARRAY_SIZE(sights), &other, addresses, NR, take,
				&answers),
		 status);
	for (size_t i = 0; i < NR; i++) {
		CHECK_STR(answers.names[i] ? answers.names[i] : "(none)", names[i]);
		CHECK(!answers.modules[i] || !strcmp(answers.modules[i], "bpf"));
	}
}

enum { LOADED = 1, UNLOADED = 0 };

static void what_came_or_went_has_the_name_of_then(void)
{
	static const char *const names[] = {"now", "a", "a", "now", "now", "b", "c", "c"};
	struct programs programs;

	programs_init(&programs);
	programs_add(&programs, 0x100, 0x10, "a", 120, UNLOADED);
	programs_add(&programs, 0x200, 0x100, "b", 80, LOADED);
	programs_add(&programs, 0x300, 0x11, "c", 80, LOADED);
	programs_add(&programs, 0x300, 0x11, "c", 120, UNLOADED);
	check_names(&programs, 0, names);
	programs_release(&programs);
}

static void one_after_another_is_there(void)
{
	/* 0x310 was seen last of all. */
	static const char *const names[] = {"now", "b", "b", "now", "now", "e", "(none)", "h"};
	struct programs programs;

	programs_init(&programs);
	/* records come CPU by CPU, not in the order of their times */
	programs_add(&programs, 0x100, 0x10, "c", 115, LOADED);
	programs_add(&programs, 0x100, 0x10, "b", 90, LOADED);
	programs_add(&programs, 0x100, 0x10, "b", 110, UNLOADED);
	programs_add(&programs, 0x100, 0x10, "a", 80, UNLOADED);
	/* it may run on for a moment */
	programs_add(&programs, 0x200, 8, "d", 70, UNLOADED);
	programs_add(&programs, 0x200, 8, "e", 99, UNLOADED);
	programs_add(&programs, 0x200, 8, "f", 101, LOADED);
	programs_add(&programs, 0x300, 0x11, "g", 110, LOADED);
	programs_add(&programs, 0x310, 1, "h", 120, LOADED);
	check_names(&programs, 0, names);
	programs_release(&programs);
}

static void nothing_is_known_of_a_quiet_run(void)
{
	static const char *const names[] = {"now", "now", "now", "now",
					    "now", "now", "now", "at_310"};
	struct programs programs;

	programs_init(&programs);
	check_names(&programs, 0, names);
	check_names(&programs, -EPERM, names);
	programs_release(&programs);
}

static void there_are_bounds(void)
{
	static const char *const names[] = {"now", "a",	  "now", "now",
					    "now", "now", "now", "at_310"};
	struct programs programs;

	programs_init(&programs);
	programs_add(&programs, 0x100, 0, "empty", 1, LOADED);
	programs_add(&programs, UINT64_MAX - 4, 16, "wraps", 1, LOADED);
	CHECK_EQ(programs.events.nr, 0);
	programs_add(&programs, 0x100, 1, "a", 50, LOADED);
	programs_add(&programs, 0x310, 1, "a", 50, LOADED);
	for (u64 i = 0; i < PROGRAMS_MAX + 10; i++)
		programs_add(&programs, 0x1000 + i, 1, "many", 60 + i, LOADED);
	CHECK_EQ(programs.events.nr, PROGRAMS_MAX);
	CHECK_EQ(programs.full_from, 60 + PROGRAMS_MAX - 2);
	check_names(&programs, 0, names);
	programs_release(&programs);
}

int main(void)
{
	RUN(what_came_or_went_has_the_name_of_then);
	RUN(one_after_another_is_there);
	RUN(nothing_is_known_of_a_quiet_run);
	RUN(there_are_bounds);
	return test_status();
}
