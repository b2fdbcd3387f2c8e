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
	CHECK_STR(error.text, "it is no recording of wick's");
	release_read(&p, &r);
	CHECK_EQ(read_bytes("", 0, &p, &r, &error), -EINVAL);
	release_read(&p, &r);
}

int main(void)
{
	RUN(what_was_recorded_is_read);
	RUN(a_file_cut_off_anywhere_has_what_was_whole);
	RUN(a_flipped_byte_costs_one_record);
	RUN(other_files_are_refused);
	return test_status();
}
