/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/room.h"

#include "test.h"

enum { CHUNK = 1000, CHUNKS = 4 };

static struct room of_chunks(u32 nr)
{
	struct room r;

	room_init(&r, CHUNK);
	for (u32 i = 0; i < nr; i++)
		room_grow(&r);
	return r;
}

static void run_lies_within_a_chunk(void)
{
	struct room r = of_chunks(2);
	u32 a, b, c;

	CHECK(room_take(&r, 700, &a));
	CHECK(room_take(&r, 700, &b));
	CHECK(a / CHUNK != b / CHUNK);
	CHECK(!room_take(&r, 700, &c));
	CHECK(room_take(&r, 300, &c));
	CHECK_EQ(r.used, 1700);
	room_release(&r);
}

static void smallest_hole_is_taken(void)
{
	struct room r = of_chunks(1);
	u32 at[5], place;

	for (int i = 0; i < 5; i++)
		CHECK(room_take(&r, 200, &at[i]));
	room_give(&r, at[0], 200);
	room_give(&r, at[1], 200);
	room_give(&r, at[3], 200);
	CHECK(room_take(&r, 150, &place));
	CHECK_EQ(place, at[3]);
	CHECK(room_take(&r, 350, &place));
	CHECK_EQ(place, at[0]);
	room_release(&r);
}

static void chunks_do_not_grow_together(void)
{
	struct room r = of_chunks(2);
	u32 a, b, place;

	CHECK(room_take(&r, CHUNK, &a));
	CHECK(room_take(&r, CHUNK, &b));
	room_give(&r, a, CHUNK);
	room_give(&r, b, CHUNK);
	CHECK_EQ(r.nr, 2);
	CHECK(!room_take(&r, CHUNK + 1, &place));
	room_release(&r);
}

/* Against a map of units: no unit is given out twice, and what is all given back is whole again. */
static void runs_never_overlap(void)
{
	struct room r = of_chunks(CHUNKS);
	static char taken[CHUNKS * CHUNK];
	struct room_span runs[300] = {};
	u32 used = 0;

	srandom(1);
	for (int i = 0; i < 20000; i++) {
		struct room_span *run = &runs[(u32)random() % ARRAY_SIZE(runs)];
		u32 nr = 1 + (u32)random() % 60;

		if (run->nr) {
			room_give(&r, run->place, run->nr);
			memset(taken + run->place, 0, run->nr);
			used -= run->nr;
			run->nr = 0;
		} else if (room_take(&r, nr, &run->place)) {
			CHECK(!memchr(taken + run->place, 1, nr));
			CHECK_EQ(run->place / CHUNK, (run->place + nr - 1) / CHUNK);
			memset(taken + run->place, 1, nr);
			run->nr = nr;
			used += nr;
		}
		CHECK_EQ(r.used, used);
	}
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++)
		if (runs[i].nr)
			room_give(&r, runs[i].place, runs[i].nr);
	CHECK_EQ(r.nr, CHUNKS);
	CHECK_EQ(r.used, 0);
	room_release(&r);
}

static void copy_is_a_room_of_its_own(void)
{
	struct room r = of_chunks(1), copy;
	u32 a, place;

	CHECK(room_take(&r, CHUNK, &a));
	copy = room_copy(&r);
	room_give(&copy, a, CHUNK);
	CHECK(room_take(&copy, 10, &place));
	CHECK(!room_take(&r, 10, &place));
	room_release(&r);
	room_release(&copy);
}

int main(void)
{
	RUN(run_lies_within_a_chunk);
	RUN(smallest_hole_is_taken);
	RUN(chunks_do_not_grow_together);
	RUN(runs_never_overlap);
	RUN(copy_is_a_room_of_its_own);
	return test_status();
}
