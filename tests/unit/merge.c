/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "merge.h"
#include "recording_fixture.h"

/* A recording of the fixture's run on a host, which began so many seconds later, at a frequency. */
static void record_on(const char *host, u64 after_s, u32 frequency, struct strbuf *bytes)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_strbuf_ struct strbuf whole = {};
	struct recording_writer *w = recording_writer_new();

	begin_run(&f);
	f.p.host = strings_adds(&f.p.names, host);
	f.p.wall_start_ns += after_s * NSEC_PER_SEC;
	f.p.frequency = frequency;
	recording_put_header(bytes);
	first_slice(&f);
	recording_put_slice(w, &f.p, f.p.begin + NSEC_PER_SEC, bytes);
	second_slice(&f);
	recording_put_slice(w, &f.p, f.p.begin + 2 * NSEC_PER_SEC, bytes);
	end_of_run(&f);
	recording_put_slice(w, &f.p, f.p.end, bytes);
	name_frames(&f);
	recording_put_names(w, &f.p, bytes);
	recording_put_end(w, &f.p, bytes);
	recording_writer_free(w);
}

static int add(struct merge *m, const struct strbuf *bytes, struct error *error)
{
	_cleanup_close_ int fd = memfd_create("recording", MFD_CLOEXEC);
	struct recording r = {};
	int err;

	assert(fd >= 0 && !write_whole(fd, bytes->s, bytes->size));
	err = merge_add(m, fd, "x.wick", &r, error);
	recording_release(&r);
	return err;
}

/* Two recordings as one, read back. */
static void merge_two(const struct strbuf *a, const struct strbuf *b, struct profile *p,
		      struct recording *r, const struct recording_range *range)
{
	_cleanup_strbuf_ struct strbuf merged = {};
	struct merge *m = merge_new();

	CHECK_EQ(add(m, a, NULL), 0);
	CHECK_EQ(add(m, b, NULL), 0);
	CHECK_EQ(merge_write(m, &merged, NULL), 0);
	CHECK_EQ(read_range(merged.s, merged.size, range, p, r, NULL), 0);
	CHECK_EQ(r->nr_damaged + r->nr_unknown + r->lost_counts, 0);
	merge_free(m);
}

static void sums_are_those_of_both(void)
{
	_cleanup_strbuf_ struct strbuf a = {}, b = {};
	struct profile one, p;
	struct recording r_one, r;

	record_on("north", 0, 99, &a);
	record_on("south", 5, 99, &b);
	merge_two(&a, &b, &p, &r, NULL);
	CHECK_EQ(read_bytes(a.s, a.size, &one, &r_one, NULL), 0);
	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++)
		for (u32 i = 0; i < 2; i++)
			CHECK_EQ(profile_sum(&p, kind, i, 0, 0),
				 2 * profile_sum(&one, kind, i, 0, 0));
	CHECK_EQ(profile_sum(&p, WICK_BRK, HELD_COLUMN, 0, 0), 2 * 4096);
	CHECK_EQ(p.memory[MEMORY_BRK].mapped, 2 * one.memory[MEMORY_BRK].mapped);
	CHECK_EQ(p.memory[MEMORY_BRK].held, 2 * 4096);
	CHECK_EQ(p.expected, 2 * one.expected);
	CHECK_EQ(p.threads.nr, 2 * one.threads.nr);
	CHECK_EQ(p.blocks.nr, 2);
	CHECK_EQ(r.slices.nr, 6);
	release_read(&one, &r_one);
	release_read(&p, &r);
}

static void hosts_stay_apart_on_one_clock(void)
{
	_cleanup_strbuf_ struct strbuf a = {}, b = {};
	struct profile p;
	struct recording r;
	u32 cpu;

	/* The later one first. */
	record_on("south", 5, 99, &b);
	record_on("north", 0, 99, &a);
	merge_two(&b, &a, &p, &r, NULL);
	CHECK(profile_has_hosts(&p));
	CHECK_EQ(p.hosts.nr, 3);
	CHECK_STR(strings_get(&p.names, p.host).s, "south+north");
	CHECK_EQ(p.end - p.begin, 15 * NSEC_PER_SEC);
	CHECK_EQ(p.hosts.at[1].begin - p.begin, 5 * NSEC_PER_SEC);
	CHECK_EQ(p.nr_cpus, 4);
	CHECK_EQ(profile_cpu_window(&p, 3, &cpu), 10 * NSEC_PER_SEC);
	CHECK_EQ(cpu, 1);
	for (size_t i = 1; i < p.legs.nr; i++)
		CHECK(p.legs.at[i].host == 1 || p.legs.at[i].host == 2);
	/* Threads of the same ids are two: three legs of each run. */
	CHECK_EQ(p.legs.nr, 1 + 2 * 3);
	CHECK(p.blocks.at[0].begin != p.blocks.at[1].begin);
	release_read(&p, &r);
}

/* What is before the second run's begin is the first one's alone. */
static void a_part_has_what_was_in_it(void)
{
	const struct recording_range first = {.to = 5 * NSEC_PER_SEC},
				     rest = {.from = 5 * NSEC_PER_SEC, .to = UINT64_MAX};
	_cleanup_strbuf_ struct strbuf a = {}, b = {};
	struct profile p;
	struct recording r;
	u64 before;

	record_on("north", 0, 99, &a);
	record_on("south", 5, 99, &b);
	merge_two(&a, &b, &p, &r, &first);
	vec_for_each (&p.samples, sample)
		CHECK_EQ(p.legs.at[sample->leg].host, 1);
	before = profile_sum(&p, WICK_SCHED, 1, 0, 0);
	release_read(&p, &r);
	merge_two(&a, &b, &p, &r, &rest);
	CHECK_EQ(before + profile_sum(&p, WICK_SCHED, 1, 0, 0), 2 * 800);
	release_read(&p, &r);
}

static void record_blocks(u64 nr, size_t room, struct strbuf *bytes)
{
	_cleanup_fixture_ struct fixture f;
	struct recording_writer *w = recording_writer_new();

	begin_run(&f);
	f.p.most_blocks = room;
	recording_put_header(bytes);
	for (u64 i = 0; i < nr; i++)
		profile_block(&f.p, &(struct block){.leg = f.sleeper,
						    .state = 'S',
						    .begin = f.p.begin,
						    .woken = f.p.begin + 1000,
						    .end = f.p.begin + 1000});
	recording_put_slice(w, &f.p, f.p.end, bytes);
	recording_put_end(w, &f.p, bytes);
	recording_writer_free(w);
}

static void blocks_that_have_no_room_in_memory_are_merged(void)
{
	_cleanup_strbuf_ struct strbuf a = {}, b = {};
	struct profile p;
	struct recording r;

	record_blocks(50, 8, &a);
	record_blocks(50, 8, &b);
	merge_two(&a, &b, &p, &r, NULL);
	CHECK(p.blocks.nr <= 16);
	CHECK_EQ(p.blocks.nr + p.dropped_blocks, 100);
	release_read(&p, &r);
}

/* A run whose thread waited in two stacks that turned out to be equal, and in two that are lost. */
static void record_equal_stacks(struct strbuf *bytes)
{
	_cleanup_fixture_ struct fixture f;
	struct recording_writer *w = recording_writer_new();
	u32 frame;

	begin_run(&f);
	recording_put_header(bytes);
	frame = profile_frame(&f.p, SPACE_NOTE, 0, profile_note(&f.p, "[late]"));
	for (u32 i = 0; i < 4; i++) {
		u32 stack = profile_reserve_stack(&f.p);

		if (i < 2)
			profile_fill_stack(&f.p, stack, &frame, 1, WICK_COMPLETE);
		profile_count(&f.p, &(struct sample){.kind = WICK_SCHED,
						     .state = 'S',
						     .leg = f.sleeper,
						     .user = stack,
						     .column = {1, 100 + i, 100 + i}});
	}
	recording_put_slice(w, &f.p, f.p.end, bytes);
	recording_put_names(w, &f.p, bytes);
	recording_put_end(w, &f.p, bytes);
	recording_writer_free(w);
}

static void equal_stacks_of_a_run_stay_two(void)
{
	_cleanup_strbuf_ struct strbuf bytes = {};
	struct profile p, one;
	struct recording r, r_one;

	record_equal_stacks(&bytes);
	CHECK_EQ(read_bytes(bytes.s, bytes.size, &one, &r_one, NULL), 0);
	CHECK_EQ(one.samples.nr, 4);
	merge_two(&bytes, &bytes, &p, &r, NULL);
	CHECK_EQ(p.samples.nr, 8);
	for (u32 i = 0; i < min(p.samples.nr, (size_t)8); i++)
		CHECK(p.samples.at[i].column[1] < 104);
	release_read(&one, &r_one);
	release_read(&p, &r);
}

static void runs_of_one_host_are_of_one(void)
{
	_cleanup_strbuf_ struct strbuf a = {}, b = {};
	struct profile p;
	struct recording r;

	record_on("north", 0, 99, &a);
	record_on("north", 60, 99, &b);
	merge_two(&a, &b, &p, &r, NULL);
	CHECK(!profile_has_hosts(&p));
	CHECK_STR(strings_get(&p.names, p.host).s, "north");
	CHECK_EQ(p.nr_cpus, 2);
	release_read(&p, &r);
}

/* Also what was merged; the same file twice is two runs. */
static void merged_files_merge(void)
{
	_cleanup_strbuf_ struct strbuf a = {}, b = {}, ab = {};
	struct merge *m = merge_new();
	struct profile p;
	struct recording r;

	record_on("north", 0, 99, &a);
	record_on("south", 5, 99, &b);
	CHECK_EQ(add(m, &a, NULL), 0);
	CHECK_EQ(add(m, &b, NULL), 0);
	CHECK_EQ(merge_write(m, &ab, NULL), 0);
	merge_free(m);
	merge_two(&ab, &ab, &p, &r, NULL);
	CHECK_EQ(p.hosts.nr, 5);
	CHECK_EQ(p.nr_cpus, 4);
	CHECK_EQ(profile_sum(&p, WICK_SCHED, 1, 0, 0), 4 * 800);
	CHECK_EQ(p.threads.nr, 4);
	release_read(&p, &r);
}

static void what_does_not_add_up_is_refused(void)
{
	_cleanup_strbuf_ struct strbuf a = {}, b = {}, early = {}, late = {}, to = {};
	struct merge *m = merge_new();
	struct error error;

	record_on("north", 0, 99, &a);
	record_on("south", 0, 199, &b);
	CHECK_EQ(add(m, &a, &error), 0);
	CHECK_EQ(add(m, &b, &error), -EINVAL);
	CHECK(strstr(error.text, "99 Hz") && strstr(error.text, "199 Hz"));
	CHECK_EQ(merge_nr_runs(m), 1);
	record_on("always", -1700000000ull, 99, &early);
	CHECK_EQ(add(m, &early, &error), 0);
	record_on("never", UINT64_MAX / NSEC_PER_SEC - 1700000000, 99, &late);
	CHECK_EQ(add(m, &late, &error), 0);
	CHECK_EQ(merge_write(m, &to, &error), -EINVAL);
	CHECK_EQ(to.size, 0);
	merge_free(m);
}

int main(void)
{
	RUN(sums_are_those_of_both);
	RUN(hosts_stay_apart_on_one_clock);
	RUN(a_part_has_what_was_in_it);
	RUN(blocks_that_have_no_room_in_memory_are_merged);
	RUN(equal_stacks_of_a_run_stay_two);
	RUN(runs_of_one_host_are_of_one);
	RUN(merged_files_merge);
	RUN(what_does_not_add_up_is_refused);
	return test_status();
}
