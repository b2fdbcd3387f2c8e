/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "publish/shelf.h"

#include "test.h"
#include "unwind/table.h"

enum {
	BLOCKS = 4096, /* of a segment */
};
static const u64 TICK = NSEC_PER_SEC / 10;

/* Maps that are plain memory. */
struct fake {
	struct wick_region regions[WICK_REGIONS];
	u32 clock;
	u32 *chunks[WICK_CHUNKS];
	u32 nr_chunks, max_chunks;
	bool is_late; /* the next chunk */
	struct shelf *shelf;
	u64 now;
};

static int add_chunk(void *ctx, u32 number, u32 **words)
{
	struct fake *f = ctx;

	CHECK_EQ(number, f->nr_chunks);
	if (number == f->max_chunks)
		return -ENOMEM;
	if (f->is_late)
		return -EAGAIN;
	f->nr_chunks++;
	*words = f->chunks[number] = xcalloc(WICK_CHUNK_WORDS, sizeof(u32));
	return 0;
}

static void wait_a_while(struct fake *f, u64 ns)
{
	f->now += ns;
	shelf_tick(f->shelf, f->now);
}

static struct fake *fake_new(u32 megabytes)
{
	struct fake *f = xcalloc(1, sizeof(*f));

	f->max_chunks = WICK_CHUNKS;
	f->now = 100 * NSEC_PER_SEC;
	f->shelf = shelf_new(&(struct shelf_memory){.regions = f->regions,
						    .clock = &f->clock,
						    .add_chunk = add_chunk,
						    .ctx = f},
			     (u64)megabytes << 20);
	wait_a_while(f, TICK);
	return f;
}

static void fake_free(struct fake *f)
{
	for (u32 i = 0; i < f->nr_chunks; i++)
		free(f->chunks[i]);
	shelf_free(f->shelf);
	free(f);
}

/*
 * A table of `segments` segments; each block has `rows` rows, of a rule that says whose they are.
 */
static struct unwind_table *table_of(u32 segments, u32 rows, u32 rule)
{
	struct unwind_table *table = xcalloc(1, sizeof(*table));
	u32 nr_blocks = segments * BLOCKS;

	table->shape =
		(struct wick_unwind_shape){.nr_blocks = nr_blocks, .nr_rows = nr_blocks * rows};
	table->nr_words = nr_blocks + 1 + nr_blocks * rows;
	table->words = xcalloc(table->nr_words, sizeof(u32));
	for (u32 i = 0; i <= nr_blocks; i++)
		table->words[i] = i * rows;
	for (u32 i = 0; i < nr_blocks * rows; i++)
		table->words[nr_blocks + 1 + i] =
			i % rows << WICK_RULE_BITS | wick_rule(WICK_RULE_SP, rule);
	return table;
}

static u32 add_file(struct fake *f, const struct unwind_table *table, u32 nr)
{
	u32 first = UINT32_MAX;

	CHECK_EQ(shelf_add_file(f->shelf, table, 0, nr, &first), 0);
	return first;
}

/* As BPF does. */
struct chunk_rows {
	const u32 *chunk;
	u32 first;
};

static u32 chunk_word(const void *words, u32 at)
{
	const struct chunk_rows *rows = words;

	return rows->chunk[rows->first + at];
}

static u32 lookup(struct fake *f, u32 number, u64 offset)
{
	struct wick_region *region = &f->regions[number];
	u32 place = region->place & ~WICK_ROWS_HERE;
	struct chunk_rows rows = {.chunk = f->chunks[place >> WICK_CHUNK_BITS],
				  .first = place & (WICK_CHUNK_WORDS - 1)};

	region->used = f->clock;
	return wick_unwind_lookup(&region->shape, chunk_word, &rows, offset);
}

static void make_room(struct fake *f)
{
	shelf_make_room(f->shelf);
	shelf_reclaim(f->shelf);
}

static void rows_are_those_of_the_table(void)
{
	struct fake *f = fake_new(4);
	struct unwind_table *table = table_of(3, 20, 7);
	u32 first = add_file(f, table, 3);

	for (u32 i = 0; i < 3; i++) {
		CHECK(!shelf_has(f->shelf, first + i));
		CHECK_EQ(shelf_put(f->shelf, first + i, table, i), 0);
		CHECK(shelf_has(f->shelf, first + i));
	}
	for (u64 offset = 0; offset < 3ull << WICK_SEGMENT_BITS; offset += 999)
		CHECK_EQ(lookup(f, first + (u32)(offset >> WICK_SEGMENT_BITS), offset),
			 unwind_table_lookup(table, offset));
	unwind_table_free(table);
	fake_free(f);
}

static void unused_for_longest_leaves_first(void)
{
	struct fake *f = fake_new(1);
	struct unwind_table *table = table_of(1, 22, 7); /* 377 KB: three have no room */
	u32 a = add_file(f, table, 1), b = add_file(f, table, 1), c = add_file(f, table, 1);

	CHECK_EQ(shelf_put(f->shelf, a, table, 0), 0);
	wait_a_while(f, TICK);
	CHECK_EQ(shelf_put(f->shelf, b, table, 0), 0);
	wait_a_while(f, 2 * NSEC_PER_SEC);
	lookup(f, a, 0);
	wait_a_while(f, 2 * NSEC_PER_SEC);
	CHECK_EQ(shelf_put(f->shelf, c, table, 0), -ENOSPC);
	make_room(f);
	CHECK(shelf_has(f->shelf, a));
	CHECK(!shelf_has(f->shelf, b));
	CHECK_EQ(shelf_put(f->shelf, c, table, 0), 0);
	CHECK_EQ(shelf_stats(f->shelf).nr_evicted, 1);
	CHECK(shelf_stats(f->shelf).bytes <= 1 << 20);
	unwind_table_free(table);
	fake_free(f);
}

static void what_is_in_use_stays(void)
{
	struct fake *f = fake_new(1);
	struct unwind_table *table = table_of(1, 50, 7); /* 836 KB */
	u32 a = add_file(f, table, 1), b = add_file(f, table, 1);

	CHECK_EQ(shelf_put(f->shelf, a, table, 0), 0);
	wait_a_while(f, 2 * NSEC_PER_SEC);
	CHECK_EQ(shelf_put(f->shelf, b, table, 0), -ENOSPC);
	lookup(f, a, 0);
	make_room(f);
	CHECK(shelf_has(f->shelf, a));
	CHECK_EQ(shelf_put(f->shelf, b, table, 0), -ENOSPC);
	unwind_table_free(table);
	fake_free(f);
}

/* A program may walk in rows that were unlinked, until the caller says that none does. */
static void room_is_not_given_away_before_its_time(void)
{
	struct fake *f = fake_new(1);
	struct unwind_table *old = table_of(1, 50, 7), *new = table_of(1, 50, 8);
	u32 a = add_file(f, old, 1), b = add_file(f, new, 1), place;

	CHECK_EQ(shelf_put(f->shelf, a, old, 0), 0);
	place = f->regions[a].place;
	wait_a_while(f, 2 * NSEC_PER_SEC);
	CHECK_EQ(shelf_put(f->shelf, b, new, 0), -ENOSPC);
	shelf_make_room(f->shelf);
	CHECK(!shelf_has(f->shelf, a));
	CHECK_EQ(shelf_put(f->shelf, b, new, 0), -ENOSPC);
	f->regions[a].place = place;
	CHECK_EQ(lookup(f, a, 0), wick_rule(WICK_RULE_SP, 7));
	f->regions[a].place = 0;
	shelf_reclaim(f->shelf);
	CHECK_EQ(shelf_put(f->shelf, b, new, 0), 0);
	CHECK_EQ(lookup(f, b, 0), wick_rule(WICK_RULE_SP, 8));
	unwind_table_free(old);
	unwind_table_free(new);
	fake_free(f);
}

static void what_never_fits_is_refused(void)
{
	struct fake *f = fake_new(1);
	struct unwind_table *large = table_of(1, 80, 7), *small = table_of(1, 1, 7);
	u32 a = add_file(f, large, 1), b = add_file(f, small, 1);

	CHECK_EQ(shelf_put(f->shelf, a, large, 0), -EFBIG);
	/* Another table than the file had. */
	CHECK_EQ(shelf_put(f->shelf, b, large, 0), -EFBIG);
	CHECK_EQ(shelf_stats(f->shelf).bytes, 0);
	unwind_table_free(large);
	unwind_table_free(small);
	fake_free(f);
}

static void kernel_that_has_no_memory_is_a_bound(void)
{
	struct fake *f = fake_new(8);
	struct unwind_table *table = table_of(1, 50, 7);
	u32 a = add_file(f, table, 1), b = add_file(f, table, 1);

	f->max_chunks = 1;
	CHECK_EQ(shelf_put(f->shelf, a, table, 0), 0);
	CHECK_EQ(shelf_put(f->shelf, b, table, 0), -ENOSPC);
	wait_a_while(f, 2 * NSEC_PER_SEC);
	make_room(f);
	CHECK_EQ(shelf_put(f->shelf, b, table, 0), 0);
	unwind_table_free(table);
	fake_free(f);
}

static void chunk_that_is_being_made_drives_nothing_out(void)
{
	struct fake *f = fake_new(8);
	struct unwind_table *table = table_of(1, 50, 7);
	u32 a = add_file(f, table, 1), b = add_file(f, table, 1);

	CHECK_EQ(shelf_put(f->shelf, a, table, 0), 0);
	f->is_late = true;
	CHECK_EQ(shelf_put(f->shelf, b, table, 0), -EAGAIN);
	wait_a_while(f, 2 * NSEC_PER_SEC);
	make_room(f);
	CHECK(shelf_has(f->shelf, a));
	CHECK_EQ(shelf_put(f->shelf, b, table, 0), -EAGAIN);
	f->is_late = false;
	CHECK_EQ(shelf_put(f->shelf, b, table, 0), 0);
	CHECK_EQ(f->nr_chunks, 2);
	unwind_table_free(table);
	fake_free(f);
}

static void file_takes_its_rows_along(void)
{
	struct fake *f = fake_new(1);
	struct unwind_table *table = table_of(2, 20, 7);
	u32 first = 0, files = 0;

	while (!shelf_add_file(f->shelf, table, 0, 2, &first))
		files++;
	CHECK_EQ(files, WICK_REGIONS / 2);
	CHECK_EQ(shelf_put(f->shelf, 0, table, 0), 0);
	shelf_remove_file(f->shelf, 0, 2);
	CHECK_EQ(shelf_add_file(f->shelf, table, 0, 2, &first), -ENOSPC);
	shelf_reclaim(f->shelf);
	CHECK_EQ(shelf_stats(f->shelf).bytes, 0);
	CHECK_EQ(shelf_add_file(f->shelf, NULL, 0, 0, &first), 0);
	CHECK_EQ(first, 0);
	CHECK(!shelf_has(f->shelf, first));
	unwind_table_free(table);
	fake_free(f);
}

/*
 * Many files of all sizes by turns, as on a busy host: what is wanted comes in, after a while at
 * most.
 */
static void nothing_starves(void)
{
	enum { FILES = 40, ROUNDS = 200, PATIENCE = 3 };
	struct fake *f = fake_new(2);
	struct unwind_table *tables[FILES];
	u32 first[FILES];

	srandom(2);
	for (u32 i = 0; i < FILES; i++) {
		tables[i] = table_of(1, 1 + (u32)random() % 55, i + 1);
		first[i] = add_file(f, tables[i], 1);
	}
	for (int round = 0; round < ROUNDS; round++) {
		u32 i = (u32)random() % FILES;
		int tries = 0;

		while (shelf_put(f->shelf, first[i], tables[i], 0) && tries++ < PATIENCE) {
			wait_a_while(f, 2 * NSEC_PER_SEC);
			make_room(f);
		}
		CHECK(shelf_has(f->shelf, first[i]));
		CHECK_EQ(lookup(f, first[i], (u64)random() % (1 << WICK_SEGMENT_BITS)),
			 wick_rule(WICK_RULE_SP, i + 1));
		CHECK(shelf_stats(f->shelf).bytes <= 2 << 20);
		CHECK(f->nr_chunks <= 2);
		wait_a_while(f, TICK);
	}
	for (u32 i = 0; i < FILES; i++)
		unwind_table_free(tables[i]);
	fake_free(f);
}

int main(void)
{
	RUN(rows_are_those_of_the_table);
	RUN(unused_for_longest_leaves_first);
	RUN(what_is_in_use_stays);
	RUN(room_is_not_given_away_before_its_time);
	RUN(what_never_fits_is_refused);
	RUN(kernel_that_has_no_memory_is_a_bound);
	RUN(chunk_that_is_being_made_drives_nothing_out);
	RUN(file_takes_its_rows_along);
	RUN(nothing_starves);
	return test_status();
}
