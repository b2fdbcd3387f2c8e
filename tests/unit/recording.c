/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording_fixture.h"

static void what_was_recorded_is_read(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_strbuf_ struct strbuf bytes = {};
	_cleanup_free_ char *before = NULL, *after = NULL;
	struct recording r;
	struct profile p;

	record_run(&f, &bytes);
	CHECK_EQ(read_bytes(bytes.s, bytes.size, &p, &r, NULL), 0);
	before = dump(&f.p);
	after = dump(&p);
	CHECK_STR(after, before);
	CHECK(r.ended && r.named);
	CHECK_EQ(r.slices.nr, 3);
	CHECK_EQ(r.slices.at[1].begin, NSEC_PER_SEC);
	CHECK_EQ(r.slices.at[1].sums[WICK_CPU][0], 4);
	CHECK_EQ(r.nr_damaged + r.nr_unknown + r.lost_counts, 0);
	release_read(&p, &r);
}

/* Frames, stacks and samples that come in some order, `step` of so many further each time. */
static void record_in_order(struct strbuf *bytes, u32 step)
{
	enum { NR = 101 };
	struct recording_writer *w = recording_writer_new();
	_cleanup_fixture_ struct fixture f;
	struct profile *p = &f.p;

	begin_run(&f);
	for (u32 i = 0; i < NR; i++) {
		u32 n = i * step % NR;
		u32 frames[] = {profile_frame(p, SPACE_KERNEL, 0, 4096 + 16 * n),
				profile_frame(p, SPACE_KERNEL, 0, 4096 + 16 * (n / 2)),
				profile_frame(p, SPACE_KERNEL, 0, 4096 + n % 3)};

		f.kernel = profile_stack(p, frames, 3, WICK_COMPLETE);
		count(&f, WICK_CPU, 0, n % 2 ? f.sleeper : f.waker, 0, n + 1, 0, 0);
		count(&f, WICK_SCHED, 'S', f.sleeper, 0, 1, 10 * n, 10 * n);
	}
	recording_put_header(bytes);
	recording_put_slice(w, p, p->begin + NSEC_PER_SEC, bytes);
	recording_writer_free(w);
}

static void what_comes_in_another_order_is_the_same_file(void)
{
	_cleanup_strbuf_ struct strbuf bytes = {}, other = {};

	record_in_order(&bytes, 1);
	record_in_order(&other, 37);
	CHECK_EQ(bytes.size, other.size);
	CHECK(!memcmp(bytes.s, other.s, bytes.size));
}

static const char *function_of(const struct profile *p, u32 frame)
{
	u32 name = p->functions.at[p->frames.at[frame].function].shown.name;

	return strings_get(&p->names, name).s;
}

static u32 frame_in_file(const struct profile *p)
{
	for (u32 i = 0; i < p->frames.nr; i++)
		if (p->frames.at[i].space == SPACE_FILE)
			return i;
	return 0;
}

/* It ends after a slice; its build ids are there, and names that come later are appended. */
static void a_killed_run_is_named_later(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_strbuf_ struct strbuf bytes = {};
	_cleanup_free_ char *before = NULL, *after = NULL;
	struct recording_writer *w = recording_writer_new();
	struct recording r, again;
	struct fixture read;
	struct profile p;

	begin_run(&f);
	recording_put_header(&bytes);
	first_slice(&f);
	second_slice(&f);
	recording_put_slice(w, &f.p, f.p.begin + NSEC_PER_SEC, &bytes);
	f.p.files.at[1].build_id = strings_adds(&f.p.names, "abcd");
	recording_put_slice(w, &f.p, f.p.begin + 2 * NSEC_PER_SEC, &bytes);
	recording_writer_free(w);
	CHECK_EQ(read_bytes(bytes.s, bytes.size, &read.p, &r, NULL), 0);
	CHECK(!r.ended && !r.named);
	CHECK_STR(strings_get(&read.p.names, read.p.files.at[1].build_id).s, "abcd");
	CHECK_STR(function_of(&read.p, frame_in_file(&read.p)), "[libx.so.1]");
	name_frames(&read);
	recording_append_names(&read.p, &r, &bytes);
	before = dump(&read.p);
	CHECK_EQ(read_bytes(bytes.s, bytes.size, &p, &again, NULL), 0);
	CHECK(again.named && !again.nr_damaged && !again.nr_unknown);
	CHECK_STR(function_of(&p, frame_in_file(&p)), "named late");
	CHECK_STR(p.naming.kernel, "bpf");
	after = dump(&p);
	CHECK_STR(after, before);
	release_read(&read.p, &r);
	release_read(&p, &again);
}

/* What is in whole records is read, whatever follows them; nothing else is believed. */
static void a_file_cut_off_anywhere_has_what_was_whole(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_strbuf_ struct strbuf bytes = {};
	size_t nr_slices = 0;

	record_run(&f, &bytes);
	for (size_t size = 0; size < bytes.size; size++) {
		struct recording r;
		struct profile p;
		int err = read_bytes(bytes.s, size, &p, &r, NULL);

		CHECK(!err || err == -EINVAL);
		CHECK(r.slices.nr >= nr_slices && r.slices.nr <= nr_slices + 1);
		CHECK(err || r.slices.nr);
		CHECK(!r.ended);
		nr_slices = r.slices.nr;
		release_read(&p, &r);
	}
	CHECK_EQ(nr_slices, 3);
}

/* One bit of any byte: at most one record is lost, and it is said. */
static void a_flipped_byte_costs_one_record(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_strbuf_ struct strbuf bytes = {};

	record_run(&f, &bytes);
	for (size_t i = 0; i < bytes.size; i++) {
		struct recording r;
		struct profile p;

		bytes.s[i] ^= (char)(1 << i % 8);
		CHECK_EQ(read_bytes(bytes.s, bytes.size, &p, &r, NULL), 0);
		CHECK_EQ(r.nr_damaged, 1);
		CHECK(r.damaged_bytes && r.damage[0]);
		CHECK(r.nr_records >= 4);
		release_read(&p, &r);
		bytes.s[i] ^= (char)(1 << i % 8);
	}
}

static void other_files_are_refused(void)
{
	static const char text[] = "main;work 12\nmain;rest 13\n";
	struct error error;
	struct recording r;
	struct profile p;

	CHECK_EQ(read_bytes(text, sizeof(text), &p, &r, &error), -EINVAL);
	CHECK(strstr(error.text, "it is no recording of wick's"));
	release_read(&p, &r);
	CHECK_EQ(read_bytes("", 0, &p, &r, &error), -EINVAL);
	release_read(&p, &r);
}

/* ---- parts */

/* Three slices; a block of 3 s from 0.5 s on, and ten samples in the first slice. */
static void record_block(struct fixture *f, struct strbuf *bytes)
{
	struct recording_writer *w = recording_writer_new();
	u64 begin;

	begin_run(f);
	recording_put_header(bytes);
	begin = f->p.begin;
	f->p.end = begin + 4 * NSEC_PER_SEC;
	count(f, WICK_CPU, 0, f->other, 0, 10, 0, 0);
	recording_put_slice(w, &f->p, begin + NSEC_PER_SEC, bytes);
	recording_put_slice(w, &f->p, begin + 2 * NSEC_PER_SEC, bytes);
	count(f, WICK_SCHED, 'S', f->sleeper, chain_by(f, f->waker), 1, 3 * NSEC_PER_SEC,
	      3 * NSEC_PER_SEC);
	profile_block(&f->p, &(struct block){.leg = f->sleeper,
					     .user = f->user,
					     .kernel = f->kernel,
					     .chain = chain_by(f, f->waker),
					     .state = 'S',
					     .begin = begin + NSEC_PER_SEC / 2,
					     .woken = begin + 7 * NSEC_PER_SEC / 2,
					     .end = begin + 7 * NSEC_PER_SEC / 2,
					     .counted_block = 3 * NSEC_PER_SEC});
	profile_thread(&f->p, &(struct thread_time){.leg = f->sleeper,
						    .begin = begin,
						    .end = f->p.end,
						    .running = NSEC_PER_SEC,
						    .ran = NSEC_PER_SEC,
						    .blocked = 3 * NSEC_PER_SEC});
	recording_put_slice(w, &f->p, f->p.end, bytes);
	recording_put_end(w, &f->p, bytes);
	recording_writer_free(w);
}

struct part {
	u64 blocked, samples, running, thread_blocked, length;
};

static struct part read_part(const struct strbuf *bytes, u64 from, u64 to)
{
	struct recording_range range = {.from = from, .to = to};
	struct recording r;
	struct profile p;
	struct part part;

	CHECK_EQ(read_range(bytes->s, bytes->size, &range, &p, &r, NULL), 0);
	part = (struct part){
		.blocked = profile_sum(&p, WICK_SCHED, 1, 0, 0),
		.samples = profile_sum(&p, WICK_CPU, 0, 0, 0),
		.running = profile_threads_time(&p).running,
		.thread_blocked = profile_threads_time(&p).blocked,
		.length = p.end - p.begin,
	};
	release_read(&p, &r);
	return part;
}

static void a_block_counts_for_its_part(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_strbuf_ struct strbuf bytes = {};

	record_block(&f, &bytes);
	for (u64 i = 0; i <= 20; i++) {
		u64 at = i * NSEC_PER_SEC / 5 + i;
		u64 before =
			at < NSEC_PER_SEC / 2 ? 0 : min(at - NSEC_PER_SEC / 2, 3 * NSEC_PER_SEC);
		struct part a = read_part(&bytes, 0, at), b = read_part(&bytes, at, UINT64_MAX);

		CHECK_EQ(a.blocked, before);
		CHECK_EQ(b.blocked, 3 * NSEC_PER_SEC - before);
		CHECK_EQ(a.thread_blocked, before);
		CHECK_EQ(a.running, a.length - before);
		CHECK_EQ(a.running + b.running, NSEC_PER_SEC);
		CHECK_EQ(a.samples + b.samples, 10);
		CHECK(a.samples <= i * 2 + 1 && a.samples + 1 >= min(i * 2, (u64)10));
	}
}

static void a_part_in_the_middle_has_its_own_length(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_strbuf_ struct strbuf bytes = {};
	struct part part;

	record_block(&f, &bytes);
	part = read_part(&bytes, NSEC_PER_SEC, 3 * NSEC_PER_SEC);
	CHECK_EQ(part.length, 2 * NSEC_PER_SEC);
	CHECK_EQ(part.blocked, 2 * NSEC_PER_SEC);
	CHECK_EQ(part.running, 0);
	CHECK_EQ(part.samples, 0);
}

/* Its times in the log are rounded, up here by 900 ns; what is counted of it is not. */
static void a_rounded_block_is_where_it_was(void)
{
	enum { REAL = 20000000, BEGIN = 10000384 };
	_cleanup_fixture_ struct fixture f;
	_cleanup_strbuf_ struct strbuf bytes = {};
	struct recording_writer *w = recording_writer_new();
	u64 begin;

	begin_run(&f);
	recording_put_header(&bytes);
	begin = f.p.begin;
	f.p.end = begin + NSEC_PER_SEC;
	count(&f, WICK_SCHED, 'S', f.sleeper, chain_by(&f, f.waker), 1, REAL, REAL);
	profile_block(&f.p, &(struct block){.leg = f.sleeper,
					    .user = f.user,
					    .kernel = f.kernel,
					    .chain = chain_by(&f, f.waker),
					    .state = 'S',
					    .begin = begin + BEGIN,
					    .woken = begin + BEGIN + REAL + 900,
					    .end = begin + BEGIN + REAL + 900,
					    .counted_block = REAL + 900});
	recording_put_slice(w, &f.p, f.p.end, &bytes);
	recording_put_end(w, &f.p, &bytes);
	recording_writer_free(w);
	CHECK_EQ(read_part(&bytes, 0, NSEC_PER_SEC / 2).blocked, REAL);
	CHECK_EQ(read_part(&bytes, NSEC_PER_SEC / 2, UINT64_MAX).blocked, 0);
}

int main(void)
{
	RUN(a_block_counts_for_its_part);
	RUN(a_part_in_the_middle_has_its_own_length);
	RUN(a_rounded_block_is_where_it_was);
	RUN(what_was_recorded_is_read);
	RUN(what_comes_in_another_order_is_the_same_file);
	RUN(a_killed_run_is_named_later);
	RUN(a_file_cut_off_anywhere_has_what_was_whole);
	RUN(a_flipped_byte_costs_one_record);
	RUN(other_files_are_refused);
	return test_status();
}
