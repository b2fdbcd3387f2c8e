/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting for programs, whose slots this test fills in, and draining where the kernel cannot lock a
 * bucket: the system call is one that this test makes.
 */
#include "collect/kernel/counts.h"

#include <bpf/bpf.h>

#include "test.h"

enum { BUCKETS = 20, ROOM = 4, OLD = 7, CPUS = 2 };

/* A map whose bucket i holds one entry, of value 1 << i, and is locked for the next locked[i] tries. */
static struct {
	u32 locked[BUCKETS];
	bool empty[BUCKETS];
	int error;
	u32 calls;
} map;

static u64 handed_on;

static struct wick_slots slots[CPUS];
static u32 generation;

int bpf_map_lookup_and_delete_batch(int fd, void *in, void *out, void *keys, void *values,
				    __u32 *count, const struct bpf_map_batch_opts *options)
{
	struct wick_columns *columns = values;
	u32 at, room = *count;

	(void)keys;
	(void)options;
	CHECK_EQ(fd, OLD);
	memcpy(&at, in, sizeof(at));
	map.calls++;
	for (*count = 0; at < BUCKETS && *count < room; at++) {
		if (map.locked[at]) {
			map.locked[at] -= map.locked[at] != UINT32_MAX;
			memcpy(out, &at, sizeof(at));
			errno = map.error;
			return -map.error;
		}
		if (!map.empty[at])
			columns[(*count)++] = (struct wick_columns){.column = {1ull << at}};
		map.empty[at] = true;
	}
	memcpy(out, &at, sizeof(at));
	errno = ENOENT;
	return at == BUCKETS ? -ENOENT : 0;
}

static void on_count(void *ctx, const struct wick_key *key, const struct wick_columns *columns)
{
	(void)ctx;
	(void)key;
	CHECK(!(handed_on & columns->column[0]));
	handed_on |= columns->column[0];
}

static struct counts fresh(int error)
{
	memset(&map, 0, sizeof(map));
	map.error = error;
	memset(slots, 0, sizeof(slots));
	handed_on = 0;
	generation = 0;
	return (struct counts){
		.map = {-1, OLD},
		.generation = &generation,
		.slots = slots,
		.nr_slots = CPUS,
		.max_keys = BUCKETS,
		.batch_room = ROOM,
		.keys = xcalloc(ROOM, sizeof(struct wick_key)),
		.columns = xcalloc(ROOM, sizeof(struct wick_columns)),
	};
}

static void release(struct counts *c)
{
	c->slots = NULL;
	counts_release(c);
}

static void a_flip_changes_the_generation(void)
{
	struct counts c = fresh(0);

	CHECK_EQ(counts_flip(&c), 0);
	CHECK_EQ(generation, 1);
	CHECK(!counts_wait(&c));
	CHECK_EQ(counts_flip(&c), 0);
	CHECK_EQ(generation, 0);
	release(&c);
}

/* Whatever it is that one is at work with, until it has ended or is done with by another. */
static void a_flip_waits_for_programs(void)
{
	static const struct {
		u32 use, later;
	} cases[] = {
		{WICK_SLOT_USED + 0, WICK_SLOT_FREE},
		{WICK_SLOT_USED + 0, WICK_SLOT_USED + 1},
		{WICK_SLOT_TAKEN, WICK_SLOT_FREE},
		{WICK_SLOT_TAKEN, WICK_SLOT_USED + 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct counts c = fresh(0);

		slots[CPUS - 1].used[WICK_SCRATCH_LEVELS - 1] = cases[i].use;
		CHECK_EQ(counts_flip(&c), -EAGAIN);
		CHECK_EQ(counts_flip(&c), -EAGAIN);
		CHECK(counts_wait(&c));
		CHECK_EQ(counts_used(&c), 1);
		CHECK_EQ(generation, 1);
		slots[CPUS - 1].used[WICK_SCRATCH_LEVELS - 1] = cases[i].later;
		CHECK_EQ(counts_flip(&c), 0);
		CHECK(!counts_wait(&c));
		CHECK_EQ(generation, 1);
		release(&c);
	}
}

static void a_flip_does_not_wait_for_later_programs(void)
{
	struct counts c = fresh(0);

	slots[0].used[0] = WICK_SLOT_USED + 1;
	CHECK_EQ(counts_flip(&c), 0);
	CHECK_EQ(counts_flip(&c), -EAGAIN);
	release(&c);
}

static const u64 all = (1ull << BUCKETS) - 1;

static void locked_for_a_while_loses_nothing(void)
{
	static const int errors[] = {ETIMEDOUT, EDEADLK, EBUSY};

	for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
		struct counts c = fresh(errors[i]);

		map.locked[0] = map.locked[6] = map.locked[7] = map.locked[BUCKETS - 1] = 2;
		CHECK_EQ(counts_drain(&c, on_count, NULL), 0);
		CHECK_EQ(handed_on, all);
		release(&c);
	}
}

static void locked_for_good_is_left_for_the_next_time(void)
{
	struct counts c = fresh(ETIMEDOUT);

	map.locked[6] = map.locked[BUCKETS - 1] = UINT32_MAX;
	CHECK_EQ(counts_drain(&c, on_count, NULL), 2);
	CHECK_EQ(counts_left(&c), 2);
	CHECK_EQ(handed_on, all & ~(1ull << 6 | 1ull << (BUCKETS - 1)));
	map.locked[6] = map.locked[BUCKETS - 1] = 0;
	CHECK_EQ(counts_drain(&c, on_count, NULL), 0);
	CHECK_EQ(counts_left(&c), 0);
	CHECK_EQ(handed_on, all);
	release(&c);
}

static void it_gives_up_where_all_is_locked(void)
{
	struct counts c = fresh(ETIMEDOUT);

	for (u32 i = 0; i < BUCKETS; i++)
		map.locked[i] = UINT32_MAX;
	CHECK(counts_drain(&c, on_count, NULL));
	CHECK(map.calls < 100);
	CHECK_EQ(handed_on, 0);
	release(&c);
}

int main(void)
{
	RUN(a_flip_changes_the_generation);
	RUN(a_flip_waits_for_programs);
	RUN(a_flip_does_not_wait_for_later_programs);
	RUN(locked_for_a_while_loses_nothing);
	RUN(locked_for_good_is_left_for_the_next_time);
	RUN(it_gives_up_where_all_is_locked);
	return test_status();
}
