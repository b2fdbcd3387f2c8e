/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What wick takes for itself, and what is turned down for it. */
#include "collect/run/own_cost.h"

#include "collect/host/sizes.h"
#include "test.h"
#include <sys/sysinfo.h>

enum { MEGABYTE = 1 << 20 };

struct bench {
	struct profile profile;
	struct wick_limits limits;
	struct own_cost own;
};

static void bench_begin(struct bench *b, u64 memory)
{
	*b = (struct bench){};
	profile_init(&b->profile);
	own_cost_begin(&b->own, 0, memory, 99, &b->limits);
}

/* As if the last slice had been `ns` ago, and wick had taken `cpu_ns` since. */
static void slice_that_took(struct bench *b, u64 ns, u64 cpu_ns)
{
	b->own.at_ns = monotonic_ns() - ns;
	own_cost_slice(&b->own, b->own.cpu_ns + cpu_ns, &b->profile, &b->limits);
}

static void slice(struct bench *b)
{
	slice_that_took(b, 0, 0);
}

static void begins_with_room_for_all_that_is_new(void)
{
	struct bench b;

	bench_begin(&b, UINT64_MAX);
	CHECK_EQ(b.limits.level, 0);
	CHECK_EQ(b.limits.process_size, 3 * MEGABYTE);
	/* The samples of all CPUs fit, each a new one, 50 frames deep on both sides. */
	CHECK(b.limits.process_rate >= 99ull * 2 * 50 * sizeof(u64) * (u64)get_nprocs() >> 10);
	CHECK_EQ(b.limits.user_rate, 4 * b.limits.process_rate);
	CHECK_EQ(b.limits.change_size, 0); /* no limit */
	profile_release(&b.profile);
}

static void turns_down_what_costs_too_much_and_up_again(void)
{
	struct wick_limits before;
	struct bench b;

	bench_begin(&b, UINT64_MAX);
	before = b.limits;
	/* All CPUs at once: what is saved for a CPU is less than a tenth of a second. */
	slice_that_took(&b, NSEC_PER_SEC, 1000 * NSEC_PER_SEC);
	CHECK_EQ(b.limits.level, 1);
	CHECK_EQ(b.limits.process_rate, before.process_rate / 2);
	CHECK(b.limits.change_size > 0);
	slice_that_took(&b, NSEC_PER_SEC, 1000 * NSEC_PER_SEC);
	CHECK_EQ(b.limits.level, 2);
	/* Below its share again; it has to save for a while. */
	for (int i = 0; i < 2; i++)
		slice_that_took(&b, 1000000 * NSEC_PER_SEC, 0);
	CHECK_EQ(b.limits.level, 0);
	CHECK_EQ(b.limits.process_rate, before.process_rate);
	CHECK_EQ(b.own.highest, 2);
	CHECK(b.own.over_ns > 0);
	profile_release(&b.profile);
}

static void a_slice_that_is_cheap_changes_nothing(void)
{
	struct bench b;

	bench_begin(&b, UINT64_MAX);
	for (int i = 0; i < 100; i++)
		slice_that_took(&b, NSEC_PER_SEC, NSEC_PER_SEC / 100);
	CHECK_EQ(b.own.highest, 0);
	CHECK_EQ(b.own.over_ns, 0);
	profile_release(&b.profile);
}

static void fill(struct bench *b, u32 nr)
{
	for (u32 i = 0; i < nr; i++)
		profile_count(&b->profile,
			      &(struct sample){.kind = WICK_CPU, .leg = i, .column = {1}});
}

static void rows_that_fill_up_leave_less_to_those_that_make_them(void)
{
	u64 room = 24 * MEGABYTE, nr = room / 2 / sizeof(struct sample);
	struct wick_limits before;
	struct bench b;

	bench_begin(&b, UINT64_MAX);
	before = b.limits;
	fill(&b, (u32)nr - 100);
	slice(&b);
	CHECK_EQ(b.limits.process_rate, before.process_rate);
	fill(&b, (u32)nr + 100);
	slice(&b);
	CHECK_EQ(b.limits.process_rate, before.process_rate / 2);
	CHECK_EQ(b.limits.level, 0); /* it costs no CPU time yet */
	CHECK_EQ(b.limits.process_size, before.process_size);
	fill(&b, (u32)nr * 2 + 100);
	slice(&b);
	CHECK_EQ(b.limits.process_rate, 0);
	profile_release(&b.profile);
}

static void a_long_run_has_more_room(void)
{
	u64 nr = 24 * MEGABYTE / sizeof(struct sample);
	u64 rate, seconds = 24 * MEGABYTE / (256 << 10);
	struct bench b;

	bench_begin(&b, UINT64_MAX);
	rate = b.limits.process_rate;
	fill(&b, (u32)nr);
	slice(&b);
	CHECK(b.limits.process_rate < rate / 2);
	slice_that_took(&b, 2 * seconds * NSEC_PER_SEC, 0);
	CHECK_EQ(b.limits.process_rate, rate);
	profile_release(&b.profile);
}

static void little_memory_makes_all_of_it_smaller(void)
{
	struct collect_options o = {
		.frequency = 99, .needs = NEED_CPU | NEED_SCHED, .unwind_bytes = 256 * MEGABYTE};
	u64 memory = 64 * MEGABYTE;
	struct sizes large = sizes_for(&o, UINT64_MAX), small = sizes_for(&o, memory);
	struct bench b;

	CHECK_EQ(large.tables, o.unwind_bytes);
	CHECK(small.keys < large.keys && small.ring < large.ring);
	CHECK_EQ(small.ring & (small.ring - 1), 0);
	CHECK((u64)small.keys * 256 + small.ring + small.bodies + small.records + small.copies +
		      small.tables + small.blocks * sizeof(struct block) <
	      memory / 2);
	bench_begin(&b, memory);
	CHECK(b.limits.process_size > 0 && b.limits.process_size < 2 * MEGABYTE);
	profile_release(&b.profile);
}

int main(void)
{
	RUN(begins_with_room_for_all_that_is_new);
	RUN(turns_down_what_costs_too_much_and_up_again);
	RUN(a_slice_that_is_cheap_changes_nothing);
	RUN(rows_that_fill_up_leave_less_to_those_that_make_them);
	RUN(a_long_run_has_more_room);
	RUN(little_memory_makes_all_of_it_smaller);
	return test_status();
}
