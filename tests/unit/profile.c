/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "profile.h"
#include "test.h"

static void rows_zero_stand_for_none(void)
{
	struct profile p;

	profile_init(&p);
	CHECK_STR(strings_get(&p.names, p.functions.at[0].shown.name).s, "[unknown]");
	CHECK(!p.functions.at[0].named);
	CHECK_EQ(p.stacks.at[0].nr, 0);
	CHECK_EQ(p.images.at[0].pid, 0);
	CHECK_EQ(p.frames.nr, 0);
	profile_release(&p);
}

static void equal_rows_have_equal_refs(void)
{
	struct profile p;
	u32 f, g, stack;

	profile_init(&p);
	f = profile_frame(&p, SPACE_FILE, 1, 0x1000);
	g = profile_frame(&p, SPACE_FILE, 2, 0x1000);
	CHECK(f != g);
	CHECK_EQ(profile_frame(&p, SPACE_FILE, 1, 0x1000), f);
	CHECK(profile_frame(&p, SPACE_IMAGE, 1, 0x1000) != f);

	stack = profile_stack(&p, (u32[]){f, g}, 2, WICK_COMPLETE);
	CHECK_EQ(profile_stack(&p, (u32[]){f, g}, 2, WICK_COMPLETE), stack);
	CHECK(profile_stack(&p, (u32[]){g, f}, 2, WICK_COMPLETE) != stack);
	CHECK(profile_stack(&p, (u32[]){f, g}, 2, WICK_TRUNCATED) != stack);
	CHECK(profile_stack(&p, (u32[]){f}, 1, WICK_COMPLETE) != stack);
	CHECK_EQ(profile_stack(&p, NULL, 0, WICK_COMPLETE), 0);
	profile_release(&p);
}

static void functions_differ_by_kind_module_and_name(void)
{
	struct profile p;
	u32 f;

	profile_init(&p);
	f = profile_function(&p, "f", 1, "a.so", FRAME_USER, true);
	CHECK_EQ(profile_function(&p, "f", 1, "a.so", FRAME_USER, true), f);
	CHECK(profile_function(&p, "f", 1, "b.so", FRAME_USER, true) != f);
	CHECK(profile_function(&p, "f", 1, "a.so", FRAME_JIT, true) != f);
	CHECK(profile_function(&p, "f\0g", 3, "a.so", FRAME_USER, true) != f);
	CHECK_EQ(profile_note(&p, "[unknown]"), 0);
	profile_release(&p);
}

static void a_note_frame_has_its_function_at_once(void)
{
	struct profile p;
	u32 note, frame;

	profile_init(&p);
	note = profile_note(&p, "[truncated]");
	frame = profile_frame(&p, SPACE_NOTE, 0, note);
	CHECK_EQ(p.frames.at[frame].function, note);
	profile_release(&p);
}

static void files_have_base_names(void)
{
	static const struct {
		const char *path, *kept, *name;
	} cases[] = {
		{"/usr/lib/libc.so.6", "/usr/lib/libc.so.6", "libc.so.6"},
		{"/tmp/x y (deleted)", "/tmp/x y", "x y"},
		{"/tmp/x (deleted) y", "/tmp/x (deleted) y", "x (deleted) y"},
		{"/memfd:jit (deleted)", "/memfd:jit", "memfd:jit"},
		{"plain", "plain", "plain"},
		{"", "", ""},
	};
	struct profile p;

	profile_init(&p);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile_file *file = &p.files.at[profile_file(&p, cases[i].path)];

		CHECK_STR(strings_get(&p.names, file->path).s, cases[i].kept);
		CHECK_STR(strings_get(&p.names, file->name).s, cases[i].name);
	}
	profile_release(&p);
}

static void images_are_execs(void)
{
	struct image one = {.pid = 10, .start_ns = 5, .exec_id = 1}, two = one, same = one;
	struct profile p;
	u32 ref;

	profile_init(&p);
	ref = profile_image(&p, &one);
	two.exec_id = 2;
	same.comm = strings_adds(&p.names, "other");
	CHECK(profile_image(&p, &two) != ref);
	CHECK_EQ(profile_image(&p, &same), ref);
	profile_release(&p);
}

static void counts_add_up_per_key(void)
{
	struct sample a = {.leg = 1, .user = 2, .kernel = 3, .column = {5, 0, 1}}, b = a;
	struct profile p;

	profile_init(&p);
	b.kernel = 4;
	for (int i = 0; i < 1000; i++) {
		profile_count(&p, &a);
		profile_count(&p, &b);
	}
	CHECK_EQ(p.samples.nr, 2);
	CHECK_EQ(p.samples.at[0].column[0], 5000);
	CHECK_EQ(p.samples.at[1].column[2], 1000);
	profile_release(&p);
}

static void losses_add_up_per_cause(void)
{
	struct profile p;

	profile_init(&p);
	profile_loss(&p, "the ring was full", "[lost stack]", WICK_CPU, 0, 3);
	profile_loss(&p, "the ring was full", "[lost stack]", WICK_CPU, 0, 4);
	profile_loss(&p, "too many keys", "[lost keys]", WICK_CPU, 0, 1);
	CHECK_EQ(p.losses.nr, 2);
	CHECK_EQ(p.losses.at[0].value, 7);
	profile_release(&p);
}

static void legs_differ_in_every_column(void)
{
	struct leg base = {.pid = 1, .tid = 2, .start_ns = 3, .image = 4, .comm = 5, .cgroup = 6};
	struct leg other[7];
	struct profile p;

	profile_init(&p);
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		other[i] = base;
	other[0].pid++, other[1].tid++, other[2].start_ns++, other[3].image++, other[4].comm++;
	other[5].cgroup++, other[6].kind = WICK_IO_WORKER;
	CHECK_EQ(profile_leg(&p, &base), 1);
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		CHECK_EQ(profile_leg(&p, &other[i]), i + 2);
	CHECK_EQ(profile_leg(&p, &base), 1);
	profile_release(&p);
}

static void sums_stay_at_their_largest_value(void)
{
	struct sample sample = {.kind = WICK_MMAP, .column = {1, UINT64_MAX / 2, 0}};
	struct profile p;

	profile_init(&p);
	profile_count(&p, &sample);
	profile_count(&p, &sample);
	CHECK_EQ(profile_nr_largest(&p), 0);
	profile_count(&p, &sample);
	CHECK(p.samples.at[0].column[1] == UINT64_MAX);
	CHECK_EQ(p.samples.at[0].column[0], 3);
	sample.leg = 1;
	profile_count(&p, &sample);
	CHECK(profile_sum(&p, WICK_MMAP, 1, 0, 0) == UINT64_MAX);
	/* The sample's, and that of all of them. */
	CHECK_EQ(profile_nr_largest(&p), 2);
	p.memory[MEMORY_MMAP].mapped = UINT64_MAX;
	CHECK_EQ(profile_nr_largest(&p), 3);
	profile_release(&p);
}

static void a_full_log_of_blocks_keeps_the_longest(void)
{
	enum { BLOCKS = 10000, ROOM = 1000 };
	const struct block *longest[NR_LONGEST];
	struct profile p;
	u64 kept = 0;

	profile_init(&p);
	p.most_blocks = ROOM;
	/* Lengths 1 ... BLOCKS, in an order of their own. */
	for (u64 i = 0; i < BLOCKS; i++) {
		u64 length = i * 7919 % BLOCKS + 1;

		profile_block(&p, &(struct block){.state = 'S',
						  .begin = i,
						  .woken = i + length,
						  .end = i + length});
		CHECK(p.blocks.nr <= ROOM);
	}
	CHECK(p.blocks.nr >= ROOM / 4);
	CHECK_EQ(p.blocks.nr + p.dropped_blocks, BLOCKS);
	vec_for_each (&p.blocks, block) {
		CHECK(block_ns(block) >= p.shortest_block);
		kept += block_ns(block) > BLOCKS - ROOM / 4;
	}
	CHECK_EQ(kept, ROOM / 4);
	CHECK_EQ(profile_longest(&p, longest), NR_LONGEST);
	for (u64 i = 0; i < NR_LONGEST; i++)
		CHECK_EQ(block_ns(longest[i]), BLOCKS - i);
	profile_release(&p);
}

static void blocks_of_one_length_leave_room_for_longer_ones(void)
{
	struct profile p;

	profile_init(&p);
	p.most_blocks = 10;
	for (u64 i = 0; i < 100; i++)
		profile_block(&p, &(struct block){.state = 'S', .woken = 5, .end = 5});
	profile_block(&p, &(struct block){.state = 'S', .woken = 6, .end = 6});
	CHECK_EQ(block_ns(&p.blocks.at[p.blocks.nr - 1]), 6);
	CHECK(p.blocks.nr <= 10);
	profile_release(&p);
}

static void a_recording_gets_all_blocks(void)
{
	struct profile p;

	profile_init(&p);
	p.most_blocks = 10;
	p.slice.wanted = true;
	for (u64 i = 100; i; i--)
		profile_block(&p, &(struct block){.state = 'S', .woken = i, .end = i});
	CHECK(p.blocks.nr <= 10);
	CHECK_EQ(p.blocks.nr + p.dropped_blocks, 100);
	CHECK_EQ(p.slice.blocks.nr, 100);
	CHECK_EQ(block_ns(&p.slice.blocks.at[99]), 1);
	CHECK(p.shortest_block > 1);
	CHECK_EQ(profile_log_above(&p), 0);
	/* Nothing writes it down any more. */
	profile_end_recording(&p);
	CHECK_EQ(p.slice.blocks.nr, 0);
	CHECK_EQ(profile_log_above(&p), p.shortest_block);
	profile_block(&p, &(struct block){.state = 'S', .woken = 1000, .end = 1000});
	CHECK_EQ(p.slice.blocks.nr, 0);
	profile_release(&p);
}

int main(void)
{
	RUN(rows_zero_stand_for_none);
	RUN(equal_rows_have_equal_refs);
	RUN(functions_differ_by_kind_module_and_name);
	RUN(a_note_frame_has_its_function_at_once);
	RUN(files_have_base_names);
	RUN(images_are_execs);
	RUN(counts_add_up_per_key);
	RUN(losses_add_up_per_cause);
	RUN(legs_differ_in_every_column);
	RUN(sums_stay_at_their_largest_value);
	RUN(a_full_log_of_blocks_keeps_the_longest);
	RUN(blocks_of_one_length_leave_room_for_longer_ones);
	RUN(a_recording_gets_all_blocks);
	return test_status();
}
