/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording_parts.c: a file of several recordings, one after the other, is read as one. */
#include "profile/recording_bytes.h"
#include "recording_fixture.h"

/* The same run again, so much later. */
static void record_later(u64 after, struct strbuf *bytes)
{
	_cleanup_fixture_ struct fixture f;
	struct recording_writer *w = recording_writer_new();
	struct profile *p = &f.p;

	begin_run(&f);
	p->begin += after;
	p->end += after;
	recording_put_header(bytes);
	first_slice(&f);
	recording_put_slice(w, p, p->begin + NSEC_PER_SEC, bytes);
	second_slice(&f);
	recording_put_slice(w, p, p->begin + 2 * NSEC_PER_SEC, bytes);
	end_of_run(&f);
	recording_put_slice(w, p, p->end, bytes);
	name_frames(&f);
	recording_put_names(w, p, bytes);
	recording_put_end(w, p, bytes);
	recording_writer_free(w);
}

static u64 sum_of_kinds(const struct profile *p)
{
	u64 sum = 0;

	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++)
		for (u32 i = 0; i < 2; i++)
			sum += profile_sum(p, kind, i, 0, 0);
	return sum;
}

static u64 length_of(const struct profile *p)
{
	return p->end - p->begin;
}

static void two_parts_are_one_profile(void)
{
	_cleanup_strbuf_ struct strbuf one = {}, two = {};
	struct recording r, both;
	struct thread_time times, all;
	struct profile p, q;

	record_later(0, &one);
	CHECK_EQ(read_bytes(one.s, one.size, &p, &r, NULL), 0);
	CHECK_EQ(r.nr_parts, 1);
	strbuf_add(&two, one.s, one.size);
	record_later(length_of(&p), &two);
	CHECK_EQ(read_bytes(two.s, two.size, &q, &both, NULL), 0);
	CHECK_EQ(both.nr_parts, 2);
	CHECK(both.ended && both.named && !both.nr_damaged);
	CHECK_EQ(length_of(&q), 2 * length_of(&p));
	CHECK_EQ(both.slices.nr, 2 * r.slices.nr);
	CHECK_EQ(both.slices.at[r.slices.nr].begin, length_of(&p));
	CHECK_EQ(both.slices.at[r.slices.nr].offset, one.size + r.slices.at[0].offset);
	CHECK_EQ(sum_of_kinds(&q), 2 * sum_of_kinds(&p));
	CHECK_EQ(q.legs.nr, p.legs.nr);
	CHECK_EQ(q.images.nr, p.images.nr);
	CHECK_EQ(q.threads.nr, p.threads.nr);
	CHECK_EQ(q.blocks.nr, 2 * p.blocks.nr);
	times = profile_threads_time(&p);
	all = profile_threads_time(&q);
	CHECK_EQ(all.running, 2 * times.running);
	CHECK_EQ(all.unaccounted - 2 * times.unaccounted, all.end - 2 * times.end);
	release_read(&p, &r);
	release_read(&q, &both);
}

/* Of a range that lies in one part, the other is not read; one over both has all. */
static void ranges_of_parts_have_what_the_parts_have(void)
{
	_cleanup_strbuf_ struct strbuf bytes = {};
	struct recording_range all = {.to = UINT64_MAX}, first = {}, second = {.to = UINT64_MAX};
	struct recording r;
	struct profile p;
	u64 length, sum, halves = 0;

	record_later(0, &bytes);
	read_bytes(bytes.s, bytes.size, &p, &r, NULL);
	length = length_of(&p);
	release_read(&p, &r);
	record_later(length, &bytes);
	first.to = second.from = length;
	CHECK_EQ(read_range(bytes.s, bytes.size, &all, &p, &r, NULL), 0);
	sum = sum_of_kinds(&p);
	release_read(&p, &r);
	for (size_t i = 0; i < 2; i++) {
		CHECK_EQ(read_range(bytes.s, bytes.size, i ? &second : &first, &p, &r, NULL), 0);
		CHECK_EQ(length_of(&p), length);
		CHECK_EQ(r.slices.nr, 3);
		halves += sum_of_kinds(&p);
		release_read(&p, &r);
	}
	CHECK_EQ(halves, sum);
}

/* Cut or broken anywhere in the first part, the second one is read. */
static void damage_of_a_part_is_its_own(void)
{
	_cleanup_strbuf_ struct strbuf one = {}, broken = {};
	struct recording r;
	struct profile p;
	u64 first, sum;

	record_later(0, &one);
	read_bytes(one.s, one.size, &p, &r, NULL);
	sum = sum_of_kinds(&p);
	first = length_of(&p);
	release_read(&p, &r);
	for (size_t size = RECORDING_HEADER_SIZE; size < one.size; size += 7) {
		strbuf_clear(&broken);
		strbuf_add(&broken, one.s, size);
		record_later(first, &broken);
		CHECK_EQ(read_bytes(broken.s, broken.size, &p, &r, NULL), 0);
		CHECK_EQ(r.nr_parts, 2);
		CHECK(sum_of_kinds(&p) >= sum);
		CHECK(!r.ended);
		release_read(&p, &r);
	}
}

static void parts_of_other_runs_are_refused(void)
{
	_cleanup_strbuf_ struct strbuf bytes = {};
	struct recording r;
	struct error error;
	struct profile p;

	record_later(10 * NSEC_PER_SEC, &bytes);
	record_later(0, &bytes);
	CHECK_EQ(read_bytes(bytes.s, bytes.size, &p, &r, &error), -EINVAL);
	CHECK(strstr(error.text, "wick merge"));
	release_read(&p, &r);
}

int main(void)
{
	RUN(two_parts_are_one_profile);
	RUN(ranges_of_parts_have_what_the_parts_have);
	RUN(damage_of_a_part_is_its_own);
	RUN(parts_of_other_runs_are_refused);
	return test_status();
}
