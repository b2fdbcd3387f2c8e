/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * holdings.c: what is held, case by case, and against a model of single pages under random changes.
 */
#include "test.h"
#include "follow/holdings.h"

enum { PAGE = 4096, MM = 7 };

struct fixture {
	struct profile p;
	struct holdings *h;
	u64 now;
};

static void fixture_init(struct fixture *f, size_t max_pieces)
{
	*f = (struct fixture){.now = 1000};
	profile_init(&f->p);
	f->h = holdings_new(&f->p, max_pieces);
}

static void fixture_release(struct fixture *f)
{
	holdings_free(f->h);
	profile_release(&f->p);
}

static struct wick_mapping_body at(struct fixture *f)
{
	f->now += 10;
	return (struct wick_mapping_body){
		.body.time = f->now, .mm = MM, .since = f->now - 5, .kind = WICK_MMAP};
}

/* In pages; `leg` tells who it was. */
static void map(struct fixture *f, u64 page, u64 pages, u32 leg)
{
	struct wick_mapping_body b = at(f);

	b.leg = leg;
	b.to = page * PAGE;
	b.to_size = pages * PAGE;
	holdings_change(f->h, &b, leg, 0);
}

static void unmap(struct fixture *f, u64 page, u64 pages)
{
	struct wick_mapping_body b = at(f);

	b.from = page * PAGE;
	b.from_size = pages * PAGE;
	holdings_change(f->h, &b, 0, 0);
}

static void move(struct fixture *f, u64 from, u64 old, u64 to, u64 new, u32 leg)
{
	struct wick_mapping_body b = at(f);

	b.leg = leg;
	b.from = from * PAGE;
	b.from_size = old * PAGE;
	b.to = to * PAGE;
	b.to_size = new *PAGE;
	b.moved = min(b.from_size, b.to_size);
	holdings_change(f->h, &b, leg, 0);
}

static void gone(struct fixture *f, u64 mm)
{
	struct wick_mapping_body b = at(f);

	b.mm = mm;
	b.gone = 1;
	holdings_change(f->h, &b, 0, 0);
}

/* Pages that a leg's samples hold, after holdings_finish(). */
static u64 held_by(const struct fixture *f, u32 leg)
{
	u64 sum = 0;

	vec_for_each (&f->p.samples, sample)
		if (sample->leg == leg)
			sum += sample->column[HELD_COLUMN];
	return sum / PAGE;
}

static void what_is_mapped_is_held(void)
{
	const struct memory_account *account;
	struct fixture f;

	fixture_init(&f, 0);
	map(&f, 100, 10, 1);
	map(&f, 200, 5, 2);
	holdings_finish(f.h);
	account = &f.p.memory[MEMORY_MMAP];
	CHECK_EQ(held_by(&f, 1), 10);
	CHECK_EQ(held_by(&f, 2), 5);
	CHECK_EQ(account->mapped, 15 * PAGE);
	CHECK_EQ(account->held, 15 * PAGE);
	CHECK_EQ(account->unmapped, 0);
	fixture_release(&f);
}

static void parts_and_many_at_once_are_given_back(void)
{
	struct fixture f;

	fixture_init(&f, 0);
	map(&f, 100, 10, 1);
	map(&f, 120, 10, 2);
	map(&f, 140, 10, 3);
	unmap(&f, 105, 40); /* the end of one, all of two, the begin of three, and the holes */
	unmap(&f, 102, 1);
	holdings_finish(f.h);
	CHECK_EQ(held_by(&f, 1), 4);
	CHECK_EQ(held_by(&f, 2), 0);
	CHECK_EQ(held_by(&f, 3), 5);
	CHECK_EQ(f.p.memory[MEMORY_MMAP].unmapped, (5 + 10 + 5 + 1) * PAGE);
	fixture_release(&f);
}

static void a_new_mapping_takes_the_place_of_what_is_there(void)
{
	struct fixture f;

	fixture_init(&f, 0);
	map(&f, 100, 10, 1);
	map(&f, 104, 2, 2);
	holdings_finish(f.h);
	CHECK_EQ(held_by(&f, 1), 8);
	CHECK_EQ(held_by(&f, 2), 2);
	CHECK_EQ(f.p.memory[MEMORY_MMAP].unmapped, 2 * PAGE);
	fixture_release(&f);
}

static void mremap_moves_pieces_and_adds_its_own(void)
{
	struct fixture f;

	fixture_init(&f, 0);
	map(&f, 100, 10, 1);
	unmap(&f, 103, 1);
	map(&f, 500, 4, 2); /* where it goes to */
	move(&f, 100, 10, 500, 16, 3);
	unmap(&f, 500, 1);
	holdings_finish(f.h);
	CHECK_EQ(held_by(&f, 1), 8);
	CHECK_EQ(held_by(&f, 2), 0);
	CHECK_EQ(held_by(&f, 3), 6);
	fixture_release(&f);
}

static void mremap_makes_smaller_at_its_place(void)
{
	struct fixture f;

	fixture_init(&f, 0);
	map(&f, 100, 4, 1);
	move(&f, 100, 4, 100, 10, 2);
	move(&f, 100, 10, 100, 6, 3);
	holdings_finish(f.h);
	CHECK_EQ(held_by(&f, 1), 4);
	CHECK_EQ(held_by(&f, 2), 2);
	CHECK_EQ(held_by(&f, 3), 0);
	fixture_release(&f);
}

static void an_exit_drops_all_of_one_process(void)
{
	struct fixture f;

	fixture_init(&f, 0);
	map(&f, 100, 4, 1);
	gone(&f, MM + 1);
	gone(&f, MM);
	map(&f, 100, 2, 2); /* another process, at the same address */
	holdings_finish(f.h);
	CHECK_EQ(held_by(&f, 1), 0);
	CHECK_EQ(held_by(&f, 2), 2);
	CHECK_EQ(f.p.memory[MEMORY_MMAP].gone, 4 * PAGE);
	CHECK_EQ(f.p.memory[MEMORY_MMAP].unmapped, 0);
	fixture_release(&f);
}

/* munmap() in one thread, and mmap() of the same range in another, whose record comes first. */
static void nobody_gives_back_what_he_has_not_been_given(void)
{
	struct wick_mapping_body late;
	struct fixture f;

	fixture_init(&f, 0);
	map(&f, 100, 4, 1);
	late = at(&f);
	late.from = 100 * PAGE;
	late.from_size = 4 * PAGE;
	map(&f, 100, 4, 2);
	holdings_change(f.h, &late, 0, 0);
	holdings_finish(f.h);
	CHECK_EQ(held_by(&f, 1), 0);
	CHECK_EQ(held_by(&f, 2), 4);
	CHECK_EQ(f.p.memory[MEMORY_MMAP].unmapped, 4 * PAGE);
	fixture_release(&f);
}

static void a_heap_has_its_own_account(void)
{
	struct wick_mapping_body b;
	struct fixture f;

	fixture_init(&f, 0);
	b = at(&f);
	b.kind = WICK_BRK;
	b.leg = 1;
	b.to = 10000;
	b.to_size = 1001;
	holdings_change(f.h, &b, 1, 0);
	/* Shrunk by more than it has grown: the rest was there before. */
	b = at(&f);
	b.kind = WICK_BRK;
	b.wanted = 1;
	b.from = 9500;
	b.from_size = 1000;
	holdings_change(f.h, &b, 1, 0);
	CHECK_EQ(f.p.memory[MEMORY_BRK].given_back, 1000);
	/* By another thread, which is not watched: only what is known to have grown. */
	b = at(&f);
	b.kind = WICK_BRK;
	b.from = 10500;
	b.from_size = 100;
	holdings_change(f.h, &b, 0, 0);
	b.mm = 0xbad;
	holdings_change(f.h, &b, 0, 0);
	holdings_finish(f.h);
	CHECK_EQ(f.p.memory[MEMORY_BRK].mapped, 1001);
	CHECK_EQ(f.p.memory[MEMORY_BRK].unmapped, 600);
	CHECK_EQ(f.p.memory[MEMORY_BRK].held, 401);
	CHECK_EQ(f.p.memory[MEMORY_BRK].given_back, 1100);
	CHECK_EQ(f.p.memory[MEMORY_MMAP].mapped, 0);
	fixture_release(&f);
}

static void addresses_without_access_have_their_own(void)
{
	struct wick_mapping_body b;
	struct fixture f;

	fixture_init(&f, 0);
	b = at(&f);
	b.leg = 1;
	b.state = WICK_MEMORY_RESERVED;
	b.to_size = 64ull << 30;
	holdings_change(f.h, &b, 1, 0);
	map(&f, 100, 4, 1); /* a part of it becomes memory */
	holdings_finish(f.h);
	CHECK_EQ(f.p.memory[MEMORY_RESERVED].held, (64ull << 30) - 4 * PAGE);
	CHECK_EQ(f.p.memory[MEMORY_MMAP].held, 4 * PAGE);
	fixture_release(&f);
}

/* Of a thread that the filters leave out: not counted, but what was there is gone. */
static void others_mappings_replace_too(void)
{
	struct fixture f;

	fixture_init(&f, 0);
	map(&f, 100, 4, 1);
	map(&f, 102, 4, 0);
	holdings_finish(f.h);
	CHECK_EQ(held_by(&f, 1), 2);
	CHECK_EQ(f.p.memory[MEMORY_MMAP].mapped, 4 * PAGE);
	fixture_release(&f);
}

static u64 loss(const struct fixture *f)
{
	u64 sum = 0;

	vec_for_each (&f->p.losses, l)
		sum += l->value;
	return sum;
}

static void what_finds_no_room_is_counted(void)
{
	struct fixture f;
	u64 account;

	fixture_init(&f, 10);
	for (u32 i = 0; i < 30; i++)
		map(&f, 100 + 2 * i, 1, 1 + i % 2);
	/* Holes make pieces as well. */
	unmap(&f, 0, 1000);
	map(&f, 100, 100, 1);
	for (u32 i = 0; i < 40; i++)
		unmap(&f, 101 + 2 * i, 1);
	holdings_finish(f.h);
	CHECK(loss(&f) > 0);
	account = f.p.memory[MEMORY_MMAP].unmapped + f.p.memory[MEMORY_MMAP].held + loss(&f);
	CHECK_EQ(f.p.memory[MEMORY_MMAP].mapped, account);
	fixture_release(&f);
}

/* Neighbours of one call site are one piece: a bound of 2 is enough for a thousand. */
static void neighbours_of_one_place_are_one_piece(void)
{
	struct fixture f;

	fixture_init(&f, 2);
	for (u32 i = 0; i < 1000; i++)
		map(&f, 5000 - i, 1, 1);
	holdings_finish(f.h);
	CHECK_EQ(held_by(&f, 1), 1000);
	CHECK_EQ(loss(&f), 0);
	fixture_release(&f);
}

static void nonsense_is_ignored(void)
{
	struct wick_mapping_body b;
	struct fixture f;

	fixture_init(&f, 0);
	map(&f, 100, 4, 1);
	b = at(&f);
	b.from = UINT64_MAX - 10;
	b.from_size = 4096;
	holdings_change(f.h, &b, 1, 0);
	b = at(&f);
	b.moved = PAGE;
	holdings_change(f.h, &b, 1, 0);
	b = at(&f);
	b.kind = 99;
	b.to_size = PAGE;
	holdings_change(f.h, &b, 1, 0);
	holdings_finish(f.h);
	CHECK_EQ(f.p.memory[MEMORY_MMAP].held, 4 * PAGE);
	fixture_release(&f);
}

/* ---- a model: whose each page is */

enum { PAGES = 200, LEGS = 5, CHANGES = 20000 };

static void model_map(u8 *owner, u64 page, u64 pages, u32 leg)
{
	memset(owner + page, (int)leg, pages);
}

static void model_move(u8 *owner, u64 from, u64 old, u64 to, u64 new, u32 leg)
{
	u8 moved[PAGES];

	memcpy(moved, owner + from, old);
	memset(owner + from, 0, old);
	memset(owner + to, (int)leg, new);
	memcpy(owner + to, moved, min(old, new));
}

static bool overlap(u64 a, u64 nr_a, u64 b, u64 nr_b)
{
	return a < b + nr_b && b < a + nr_a;
}

static void random_changes_agree_with_a_model(void)
{
	u8 owner[PAGES] = {};
	struct fixture f;
	u64 sum;

	fixture_init(&f, 0);
	srandom(6);
	for (u32 i = 0; i < CHANGES; i++) {
		u64 page = (u64)random() % (PAGES / 2), pages = 1 + (u64)random() % 20;
		u64 to = (u64)random() % (PAGES / 2) + PAGES / 4, new = 1 + (u64)random() % 20;
		u32 leg = 1 + (u32)random() % LEGS;

		switch (random() % 3) {
		case 0:
			map(&f, page, pages, leg);
			model_map(owner, page, pages, leg);
			break;
		case 1:
			unmap(&f, page, pages);
			model_map(owner, page, pages, 0);
			break;
		default:
			/* The kernel refuses to move over itself. */
			if (overlap(page, pages, to, new))
				to = page;
			move(&f, page, pages, to, new, leg);
			model_move(owner, page, pages, to, new, leg);
		}
	}
	holdings_finish(f.h);
	for (u32 leg = 1; leg <= LEGS; leg++) {
		sum = 0;
		for (u32 i = 0; i < PAGES; i++)
			sum += owner[i] == leg;
		CHECK_EQ(held_by(&f, leg), sum);
	}
	CHECK_EQ(f.p.memory[MEMORY_MMAP].mapped,
		 f.p.memory[MEMORY_MMAP].unmapped + f.p.memory[MEMORY_MMAP].held);
	fixture_release(&f);
}

int main(void)
{
	RUN(what_is_mapped_is_held);
	RUN(parts_and_many_at_once_are_given_back);
	RUN(a_new_mapping_takes_the_place_of_what_is_there);
	RUN(mremap_moves_pieces_and_adds_its_own);
	RUN(mremap_makes_smaller_at_its_place);
	RUN(an_exit_drops_all_of_one_process);
	RUN(nobody_gives_back_what_he_has_not_been_given);
	RUN(a_heap_has_its_own_account);
	RUN(addresses_without_access_have_their_own);
	RUN(others_mappings_replace_too);
	RUN(what_finds_no_room_is_counted);
	RUN(neighbours_of_one_place_are_one_piece);
	RUN(nonsense_is_ignored);
	RUN(random_changes_agree_with_a_model);
	return test_status();
}
