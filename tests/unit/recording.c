/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <zlib.h>

#include "profile/recording_bytes.h"
#include "profile/recording_chapter.h"
#include "profile/recording_tables.h"
#include "recording_fixture.h"

/* The header's own. */
static void put_checksum(u8 *header)
{
	u32 sum = (u32)crc32(0, header, 12);

	for (size_t i = 0; i < 4; i++)
		header[12 + i] = (u8)(sum >> 8 * i);
}

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

/* Random bytes of one half of an alphabet, then of the other: each takes a code of its own. */
static void bytes_that_differ_have_codes_of_their_own(void)
{
	enum { HALF = 4000 };
	_cleanup_strbuf_ struct strbuf payload = {}, one = {}, two = {}, inflated = {};
	struct borders borders = {};
	u64 random = 1;

	for (u32 i = 0; i < 2 * HALF; i++) {
		random = hash_u64(random);
		strbuf_addc(&payload, (char)((random & 63) + (i < HALF ? 0 : 64)));
	}
	*vec_add(&borders) = HALF;
	put_record(&one, RECORD_SLICE, &payload, NULL);
	put_record(&two, RECORD_SLICE, &payload, &borders);
	CHECK(two.size + HALF / 8 < one.size);
	CHECK_EQ(inflate_payload(two.s + RECORD_HEADER_SIZE, two.size - RECORD_HEADER_SIZE,
				 payload.size, &inflated),
		 0);
	CHECK(inflated.size == payload.size && !memcmp(inflated.s, payload.s, payload.size));
	vec_release(&borders);
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

/*
 * Waits of lengths that nothing tells, in the log and in samples that have as much, or `more`.
 * Returns the file's size.
 */
static size_t size_with(u64 more)
{
	enum { NR = 200 };
	struct recording_writer *w = recording_writer_new();
	_cleanup_strbuf_ struct strbuf bytes = {};
	_cleanup_fixture_ struct fixture f;
	struct profile *p = &f.p;
	u64 random = 1;
	size_t size;

	begin_run(&f);
	for (u32 i = 0; i < NR; i++) {
		u64 blocked = (random = hash_u64(random + i)) % 100000, waited = random >> 47;
		struct block block = {.leg = f.sleeper,
				      .user = f.user,
				      .state = 'S',
				      .begin = p->begin + 200000ull * i,
				      .counted_block = blocked,
				      .counted_wait = waited};

		f.kernel = profile_stack(p, (u32[]){profile_frame(p, SPACE_KERNEL, 0, 4096 + i)}, 1,
					 WICK_COMPLETE);
		block.kernel = f.kernel;
		block.woken = block.begin + blocked;
		block.end = block.woken + waited;
		profile_block(p, &block);
		random = hash_u64(random + i);
		count(&f, WICK_SCHED, 'S', f.sleeper, 0, 1, blocked + more * (random % 100000),
		      blocked + more * (random % 100000));
		count(&f, WICK_SCHED, 'Q', f.sleeper, 0, 1, waited + more * (random >> 47),
		      waited + more * (random >> 47));
	}
	recording_put_slice(w, p, p->begin + NSEC_PER_SEC, &bytes);
	size = bytes.size;
	recording_writer_free(w);
	return size;
}

/* Four columns of two bytes and more; blocks have the rest. */
static void what_the_log_has_is_not_written_twice(void)
{
	CHECK(size_with(0) + 200 * 3 < size_with(1));
}

/* A thread ends that has waited under two names, and what the samples do not have of that. */
static u64 size_of_end(struct profile *read, u64 more)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_strbuf_ struct strbuf bytes = {};
	struct recording_writer *w = recording_writer_new();
	struct leg renamed;
	struct recording r;
	u64 end;

	begin_run(&f);
	end = f.p.begin + NSEC_PER_SEC;
	renamed = f.p.legs.at[f.sleeper];
	renamed.comm = strings_adds(&f.p.names, "renamed");
	count(&f, WICK_SCHED, 'S', f.sleeper, 0, 2, 123456789, 123456700);
	count(&f, WICK_SCHED, 'S', profile_leg(&f.p, &renamed), 0, 1, 23456789, 23456789);
	count(&f, WICK_SCHED, 'R', f.sleeper, 0, 2, 34567891, 34567800);
	count(&f, WICK_SCHED, 'Q', f.sleeper, 0, 2, 45678912, 45678900);
	count(&f, WICK_BRK, 0, f.sleeper, 0, 3, 77 * 4096, 0);
	count(&f, WICK_BRK, 0, f.waker, 0, 3, 77 * 4096 + 1, 0);
	profile_thread(&f.p, &(struct thread_time){.leg = f.sleeper,
						   .begin = end - 300000000,
						   .end = end,
						   .blocked = 146913578 + more,
						   .preempted = 34567891 + more,
						   .queued = 45678912 + more,
						   .running = 300000000 - 227160381 - 3 * more,
						   .ran = 300000000});
	recording_put_header(&bytes);
	recording_put_slice(w, &f.p, end, &bytes);
	recording_writer_free(w);
	read_bytes(bytes.s, bytes.size, read, &r, NULL);
	CHECK_EQ(r.nr_damaged, 0);
	recording_release(&r);
	return r.raw_bytes;
}

static void what_counts_have_of_a_thread_is_not_written_twice(void)
{
	u64 sizes[2];

	for (u64 more = 0; more < 2; more++) {
		u64 different = more * 1234567;
		struct profile p;

		sizes[more] = size_of_end(&p, different);
		CHECK_EQ(p.threads.nr, 1);
		CHECK_EQ(p.threads.at[0].blocked, 146913578 + different);
		CHECK_EQ(p.threads.at[0].preempted, 34567891 + different);
		CHECK_EQ(p.threads.at[0].queued, 45678912 + different);
		CHECK_EQ(p.threads.at[0].end - p.threads.at[0].begin, 300000000);
		CHECK_EQ(p.samples.at[p.samples.nr - 1].column[1] % 4096 +
				 p.samples.at[p.samples.nr - 2].column[1] % 4096,
			 1);
		profile_release(&p);
	}
	CHECK_EQ(sizes[0] + 3 * 3, sizes[1]); /* three columns of four bytes, not one */
}

static void a_file_of_an_older_version_is_refused(void)
{
	_cleanup_strbuf_ struct strbuf bytes = {};
	struct error error;
	struct recording r;
	struct profile p;

	recording_put_header(&bytes);
	bytes.s[8] = 1;
	put_checksum((u8 *)bytes.s);
	CHECK_EQ(read_bytes(bytes.s, bytes.size, &p, &r, &error), -ENOTSUP);
	CHECK(strstr(error.text, "read it with the wick that has written it"));
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

/* A column that is not there is 0, which is a row only where there are any. */
static void rows_of_nothing_are_refused(void)
{
	static const enum table_number tables[] = {TABLE_COUNTS, TABLE_HELD, TABLE_LOST};

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		_cleanup_strbuf_ struct strbuf bytes = {}, payload = {};
		struct recording r;
		struct profile p;

		recording_put_header(&bytes);
		put_number(&payload, (u64)tables[i] << 1);
		put_number(&payload, 0);
		put_number(&payload, 3);
		put_number(&payload, 0);
		put_record(&bytes, RECORD_SLICE, &payload, NULL);
		CHECK_EQ(read_bytes(bytes.s, bytes.size, &p, &r, NULL), 0);
		CHECK_EQ(r.nr_damaged, 1);
		release_read(&p, &r);
	}
}

/* ---- chapters */

enum { LONG_SLICES = 40 };

static u64 random_below(u64 *state, u64 limit)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (*state >> 20) % limit;
}

/* Waits of a slice: some began long ago, some are counted a slice later, some have no block. */
static void random_slice(struct fixture *f, struct sample *late, u64 *state, u64 end)
{
	struct profile *p = &f->p;
	u32 legs[] = {f->sleeper, f->waker, f->other};

	if (late->kind == WICK_SCHED)
		profile_count(p, late);
	*late = (struct sample){};
	for (u64 i = 0; i < 6; i++) {
		u64 ns = random_below(state, i ? NSEC_PER_SEC : 9 * NSEC_PER_SEC);
		u64 until = end - random_below(state, NSEC_PER_SEC / 2);
		u32 frame = profile_frame(p, SPACE_KERNEL, 0, 64 * random_below(state, 30));
		struct sample sample = {
			.kind = WICK_SCHED,
			.state = "SDQR"[random_below(state, 4)],
			.leg = legs[random_below(state, 3)],
			.kernel = profile_stack(p, &frame, 1, WICK_COMPLETE),
		};

		ns = min(ns, until);
		sample.state |= random_below(state, 9) ? 0 : WICK_STATE_SHORT;
		sample.column[0] = 1;
		sample.column[1] = sample.column[2] = ns;
		if (random_below(state, 2))
			profile_block(p, &(struct block){.leg = sample.leg,
							 .kernel = sample.kernel,
							 .state = sample.state,
							 .begin = p->begin + until - ns,
							 .woken = p->begin + until,
							 .end = p->begin + until,
							 .counted_block = ns});
		if (i == 3 && random_below(state, 2))
			*late = sample;
		else
			profile_count(p, &sample);
	}
	count(f, WICK_CPU, 0, legs[random_below(state, 3)], 0, 7, 0, 0);
	p->memory[MEMORY_BRK].mapped += random_below(state, 5000);
	p->expected += random_below(state, 9);
	if (!random_below(state, 5))
		profile_loss(p, "lost in a chapter", NULL, WICK_SCHED, 0, random_below(state, 9));
}

/* The same run, in chapters of so many slices; 0: without. */
static void record_long(struct strbuf *bytes, u64 seed, size_t nr_slices)
{
	struct recording_writer *w = recording_writer_new();
	_cleanup_fixture_ struct fixture f;
	struct sample late = {};
	u64 state = seed;

	begin_run(&f);
	recording_put_header(bytes);
	recording_set_chapters(w, nr_slices ? nr_slices : SIZE_MAX, 0);
	f.p.end = f.p.begin + LONG_SLICES * NSEC_PER_SEC;
	for (u64 i = 1; i <= LONG_SLICES; i++) {
		random_slice(&f, &late, &state, i * NSEC_PER_SEC);
		if (i == 3) {
			first_slice(&f);
			second_slice(&f);
		}
		if (i % 7 == 0)
			profile_thread(&f.p,
				       &(struct thread_time){.leg = i == 7    ? f.sleeper
								    : i == 14 ? f.waker
									      : f.other,
							     .begin = f.p.begin,
							     .end = f.p.begin + i * NSEC_PER_SEC,
							     .running = NSEC_PER_SEC,
							     .ran = NSEC_PER_SEC,
							     .blocked = 5 * NSEC_PER_SEC});
		recording_put_slice(w, &f.p, f.p.begin + i * NSEC_PER_SEC, bytes);
	}
	name_frames(&f);
	recording_put_names(w, &f.p, bytes);
	recording_put_end(w, &f.p, bytes);
	recording_writer_free(w);
}

static char *dump_part(const struct strbuf *bytes, u64 from, u64 to, u64 *nr_records)
{
	struct recording_range range = {.from = from, .to = to};
	struct recording r;
	struct profile p;
	char *text;

	CHECK_EQ(read_range(bytes->s, bytes->size, &range, &p, &r, NULL), 0);
	CHECK_EQ(r.nr_damaged, 0);
	CHECK_STR(r.damage, "");
	CHECK_EQ(r.nr_unknown + r.lost_counts, 0);
	CHECK_EQ(r.slices.nr, LONG_SLICES);
	text = dump(&p);
	*nr_records = r.nr_records;
	release_read(&p, &r);
	return text;
}

static void same_parts(const struct strbuf *whole, const struct strbuf *bytes, u64 *state,
		       u64 *fewer)
{
	for (u64 i = 0; i < 50; i++) {
		u64 unit = i % 2 ? NSEC_PER_SEC : 7;
		u64 from = random_below(state, LONG_SLICES * NSEC_PER_SEC / unit) * unit;
		u64 to = from + random_below(state, 6 * NSEC_PER_SEC / unit) * unit;
		u64 nr_of_all, nr_of_part;
		_cleanup_free_ char *all = dump_part(whole, from, to, &nr_of_all);
		_cleanup_free_ char *part = dump_part(bytes, from, to, &nr_of_part);

		CHECK_STR(part, all);
		*fewer += nr_of_part < nr_of_all;
	}
}

/* Whatever slices an index spares the reader: what is read is the same. */
static void a_part_by_the_index_is_that_without(void)
{
	u64 state = 5, fewer = 0;

	for (u64 seed = 1; seed < 4; seed++) {
		_cleanup_strbuf_ struct strbuf whole = {};

		record_long(&whole, seed, 0);
		for (size_t nr = 2; nr < 20; nr += 5) {
			_cleanup_strbuf_ struct strbuf bytes = {};

			record_long(&bytes, seed, nr);
			CHECK(bytes.size > whole.size);
			same_parts(&whole, &bytes, &state, &fewer);
		}
	}
	CHECK(fewer > 200);
}

/* A byte of any record: what comes out is not wrong, since all of it is read then. */
static void a_damaged_index_is_done_without(void)
{
	_cleanup_strbuf_ struct strbuf bytes = {};
	struct recording_range range = {.from = 30 * NSEC_PER_SEC, .to = 31 * NSEC_PER_SEC};

	record_long(&bytes, 1, 6);
	for (size_t i = 16; i < bytes.size; i += 1 + i % 13) {
		struct recording r;
		struct profile p;

		bytes.s[i] ^= (char)(1 << i % 8);
		CHECK_EQ(read_range(bytes.s, bytes.size, &range, &p, &r, NULL), 0);
		CHECK(r.nr_damaged <= 1);
		release_read(&p, &r);
		bytes.s[i] ^= (char)(1 << i % 8);
	}
	for (size_t size = bytes.size; size > bytes.size / 2; size -= 1 + size % 17) {
		struct recording r;
		struct profile p;

		CHECK_EQ(read_range(bytes.s, size, &range, &p, &r, NULL), 0);
		release_read(&p, &r);
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

enum { ROOM = 8, BLOCKS_A_SLICE = 20 };

/* Four slices, each with shorter blocks than the one before. */
static void record_more_than_has_room(struct strbuf *bytes)
{
	_cleanup_fixture_ struct fixture f;
	struct recording_writer *w = recording_writer_new();

	begin_run(&f);
	f.p.most_blocks = ROOM;
	f.p.end = f.p.begin + 4 * NSEC_PER_SEC;
	recording_put_header(bytes);
	for (u64 slice = 0; slice < 4; slice++) {
		u64 begin = f.p.begin + slice * NSEC_PER_SEC, length = 10000000 >> 2 * slice;

		for (u64 i = 0; i < BLOCKS_A_SLICE; i++, begin += 2 * length)
			profile_block(&f.p, &(struct block){.leg = f.sleeper,
							    .state = 'S',
							    .begin = begin,
							    .woken = begin + length,
							    .end = begin + length});
		recording_put_slice(w, &f.p, f.p.begin + (slice + 1) * NSEC_PER_SEC, bytes);
	}
	recording_put_end(w, &f.p, bytes);
	recording_writer_free(w);
}

static void late_blocks_are_recorded_though_memory_is_full(void)
{
	_cleanup_strbuf_ struct strbuf bytes = {};
	struct recording r;
	struct profile p;

	record_more_than_has_room(&bytes);
	CHECK_EQ(read_bytes(bytes.s, bytes.size, &p, &r, NULL), 0);
	CHECK(p.blocks.nr <= ROOM);
	CHECK_EQ(p.blocks.nr + p.dropped_blocks, 4 * BLOCKS_A_SLICE);
	CHECK_EQ(r.nr_damaged, 0);
	release_read(&p, &r);
	for (u64 slice = 0; slice < 4; slice++) {
		const struct recording_range range = {.from = slice * NSEC_PER_SEC,
						      .to = (slice + 1) * NSEC_PER_SEC};

		CHECK_EQ(read_range(bytes.s, bytes.size, &range, &p, &r, NULL), 0);
		CHECK_EQ(p.blocks.nr + p.dropped_blocks, BLOCKS_A_SLICE);
		release_read(&p, &r);
	}
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

/* Of a run of so many legs and samples, of which the last ones are counted. */
static void count_last_of_many(struct fixture *f, u32 nr)
{
	begin_run(f);
	for (u32 i = 1; i <= nr; i++)
		profile_sample(&f->p, &(struct sample){
					      .kind = WICK_SCHED,
					      .state = 'S' | WICK_STATE_SHORT,
					      .leg = profile_leg(&f->p, &(struct leg){.tid = i})});
	for (u32 i = 0; i < 4; i++)
		count(f, WICK_SCHED, i % 2 ? 'S' | WICK_STATE_SHORT : 'S', nr - i / 2, 0, 1, 2, 2);
}

static void a_chapter_has_no_room_for_what_it_has_not_counted(void)
{
	_cleanup_fixture_ struct fixture f;
	struct recorded_slice slice = {};
	struct recorded rows = {};
	struct chapter chapter = {};

	chapter_init(&chapter);
	count_last_of_many(&f, 5000);
	chapter_count(&chapter, &f.p, &slice);
	CHECK_EQ(chapter.waits.nr, 2);
	CHECK_EQ(chapter.shorts.nr, 2);
	CHECK_EQ(f.p.slice.samples.nr, 4);
	chapter_take(&chapter, &rows);
	CHECK_EQ(rows.waits.nr, 2);
	CHECK(rows.waits.at[0].leg < rows.waits.at[1].leg);
	CHECK_EQ(rows.shorts.nr, 2);
	CHECK(rows.shorts.at[0].row < rows.shorts.at[1].row);
	CHECK_EQ(chapter.waits.nr + chapter.shorts.nr, 0);
	recorded_release(&rows);
	chapter_release(&chapter);
}

static void hashes_of_old_rows_are_forgotten(void)
{
	struct hashes hashes = {};

	for (size_t row = 0; row < 3 * NEWEST_ROWS; row++) {
		CHECK(hashes_replace(&hashes, row, row + 1));
		CHECK(!hashes_replace(&hashes, row, row + 1));
	}
	CHECK_EQ(hashes.nr, NEWEST_ROWS);
	CHECK(!hashes_replace(&hashes, 2 * NEWEST_ROWS, 2 * NEWEST_ROWS + 1));
	vec_release(&hashes);
}

int main(void)
{
	RUN(a_chapter_has_no_room_for_what_it_has_not_counted);
	RUN(hashes_of_old_rows_are_forgotten);
	RUN(a_block_counts_for_its_part);
	RUN(a_part_in_the_middle_has_its_own_length);
	RUN(late_blocks_are_recorded_though_memory_is_full);
	RUN(a_rounded_block_is_where_it_was);
	RUN(what_was_recorded_is_read);
	RUN(what_comes_in_another_order_is_the_same_file);
	RUN(bytes_that_differ_have_codes_of_their_own);
	RUN(a_killed_run_is_named_later);
	RUN(what_the_log_has_is_not_written_twice);
	RUN(what_counts_have_of_a_thread_is_not_written_twice);
	RUN(a_file_of_an_older_version_is_refused);
	RUN(a_file_cut_off_anywhere_has_what_was_whole);
	RUN(a_flipped_byte_costs_one_record);
	RUN(a_part_by_the_index_is_that_without);
	RUN(a_damaged_index_is_done_without);
	RUN(rows_of_nothing_are_refused);
	RUN(other_files_are_refused);
	return test_status();
}
