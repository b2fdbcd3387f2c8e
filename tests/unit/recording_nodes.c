/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile/recording_nodes.h"
#include "base/numbers.h"
#include "base/table.h"
#include "profile/recording_tables.h"
#include "test.h"

enum { MAIN = 10, READ, COPY, SORT, WRITE }; /* frames */

/* Of recording_nodes.h; row 0 is the empty stack. */
static const struct recorded_node story[] = {{},	{0, MAIN}, {1, READ},
					     {2, COPY}, {2, SORT}, {1, WRITE}};

static struct column_place place(const struct recorded_node *nodes, u64 number, u64 first)
{
	return (struct column_place){.number = number, .first = first, .row = &nodes[number]};
}

static void a_parent_is_so_many_steps_up(void)
{
	static const u64 steps[] = {0, 0, 0, 0, 1, 2};

	for (u64 i = 1; i < ARRAY_SIZE(story); i++) {
		struct column_place at = place(story, i, 1);

		CHECK_EQ(code_parent(&at, story[i].parent), steps[i]);
		CHECK_EQ(decode_parent(&at, steps[i]), story[i].parent);
	}
}

static void a_frame_is_near_the_child_before(void)
{
	static const u32 near[] = {0, 0, MAIN, READ, COPY, READ};

	for (u64 i = 2; i < ARRAY_SIZE(story); i++) {
		struct column_place at = place(story, i, 1);

		CHECK_EQ(elder_sibling(&at)->last, near[i]);
	}
	CHECK(!elder_sibling(&(struct column_place){.number = 1, .first = 1, .row = &story[1]}));
}

/* Rows 1 to 3 may have been in a damaged record: only their numbers are known. */
static void rows_before_the_section_are_not_looked_at(void)
{
	struct recorded_node nodes[ARRAY_SIZE(story)];
	struct column_place at;

	memcpy(nodes, story, sizeof(nodes));
	at = place(nodes, 5, 4);
	CHECK_EQ(code_parent(&at, 2), 1);
	CHECK_EQ(code_parent(&at, 1), MOST_STEPS + 4);
	CHECK_EQ(decode_parent(&at, MOST_STEPS + 4), 1);
	CHECK_EQ(decode_parent(&at, 2), UINT64_MAX);
	memset(nodes, 0xff, 4 * sizeof(*nodes));
	CHECK_EQ(code_parent(&at, 1), MOST_STEPS + 4);
	CHECK_EQ(elder_sibling(&at)->last, SORT);
}

static void only_so_many_steps_are_taken(void)
{
	struct recorded_node nodes[2 * MOST_STEPS] = {};
	struct column_place at = place(nodes, ARRAY_SIZE(nodes) - 1, 1);

	for (u32 i = 1; i < ARRAY_SIZE(nodes); i++)
		nodes[i] = (struct recorded_node){.parent = i - 1, .last = i};
	CHECK_EQ(code_parent(&at, at.number - 1 - MOST_STEPS), MOST_STEPS);
	CHECK_EQ(code_parent(&at, at.number - 2 - MOST_STEPS), 2 * MOST_STEPS + 2);
	nodes[at.number].parent = 1;
	CHECK_EQ(elder_sibling(&at)->last, at.number - 1);
}

static void any_parent_is_what_it_was(void)
{
	enum { NR = 2000 };
	static struct recorded_node nodes[NR];
	u64 random = 1;

	for (u32 i = 1; i < NR; i++) {
		struct column_place at = place(nodes, i, i / 500 * 500 + 1);
		u64 coded;

		at.first = at.first > i ? i : at.first;
		random = hash_u64(random);
		nodes[i].parent = random % 3 ? i - 1 - (u32)(random % min(i, 5u)) : (u32)random % i;
		coded = code_parent(&at, nodes[i].parent);
		CHECK_EQ(decode_parent(&at, coded), nodes[i].parent);
	}
}

int main(void)
{
	RUN(a_parent_is_so_many_steps_up);
	RUN(a_frame_is_near_the_child_before);
	RUN(rows_before_the_section_are_not_looked_at);
	RUN(only_so_many_steps_are_taken);
	RUN(any_parent_is_what_it_was);
	return test_status();
}
