/* SPDX-License-Identifier: GPL-2.0-or-later */
/* parts.c: what is tried apart from the rest, in an order in which the larger parts come first. */
#include "cmd/parts.h"
#include "test.h"

static void every_instrument_is_a_part(void)
{
	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++) {
		size_t nr = 0;

		for (size_t i = 0; i < NR_PARTS; i++)
			if (!strcmp(part_at(i).name, instruments[kind].name))
				nr += part_at(i).needs == 1u << kind;
		CHECK_EQ(nr, 1);
	}
}

static void all_of_them_are_different(void)
{
	for (size_t i = 0; i < NR_PARTS; i++)
		for (size_t k = 0; k < i; k++) {
			CHECK(strcmp(part_at(i).name, part_at(k).name));
			CHECK(part_at(i).needs != part_at(k).needs);
		}
}

static void what_has_all_of_another_comes_before_it(void)
{
	size_t nr = 0;

	for (size_t i = 0; i < NR_PARTS; i++)
		for (size_t k = 0; k < NR_PARTS; k++)
			if (part_includes(i, k)) {
				CHECK(i < k);
				nr++;
			}
	CHECK_EQ(nr, 5); /* chains: wakers and sched; wakers: sched; brk and mmap: both */
}

int main(void)
{
	RUN(every_instrument_is_a_part);
	RUN(all_of_them_are_different);
	RUN(what_has_all_of_another_comes_before_it);
	return test_status();
}
