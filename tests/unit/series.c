/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recording_fixture.h"

enum { WAITS = 100 };

#define MSEC NSEC_PER_MSEC

static u32 chain_of(struct fixture *f, enum wick_cause cause, u32 leg)
{
	u32 hop =
		profile_hop(&f->p, &(struct hop){.cause = cause, .leg = leg, .kernel = f->kernel});

	return profile_chain(&f->p, &hop, 1, WICK_CHAIN_INTERRUPT);
}

/* The sleeper's n-th wait: 9 ms each 10 ms, of which it waits for a CPU for 100 us. */
static struct block wait_of(struct fixture *f, u32 n)
{
	u64 begin = f->p.begin + n * 10 * MSEC + 1 * MSEC;

	return (struct block){
		.leg = f->sleeper,
		.user = f->user,
		.kernel = f->kernel,
		.chain = chain_of(f, WICK_BY_INTERRUPT, 0),
		.state = 'S',
		.begin = begin + n * 17,
		.woken = begin + 9 * MSEC - MSEC / 10,
		.end = begin + 9 * MSEC,
		.ran = n * MSEC,
		.counted_block = 9 * MSEC - MSEC / 10 - n * 17,
		.counted_wait = MSEC / 10,
		.before = f->other,
	};
}

static void log_waits(struct fixture *f, u32 first, u32 nr)
{
	for (u32 i = first; i < first + nr; i++) {
		struct block block = wait_of(f, i);

		profile_wait(&f->p, &block);
	}
	profile_end_slice(&f->p);
}

static void a_series_has_the_sums_of_its_waits(void)
{
	_cleanup_fixture_ struct fixture f;
	u64 blocked = 0, waited = 0;
	const struct block *series;

	fixture_init(&f);
	for (u32 i = 0; i < WAITS; i++) {
		struct block block = wait_of(&f, i);

		blocked += block_ns(&block);
		waited += block.end - block.woken;
	}
	log_waits(&f, 0, WAITS);
	CHECK_EQ(f.p.blocks.nr, 1);
	series = &f.p.blocks.at[0];
	CHECK_EQ(block_nr(series), WAITS);
	CHECK(block_ns(series) > blocked * 999 / 1000 && block_ns(series) < blocked * 1001 / 1000);
	CHECK(llabs((long long)(series->end - series->woken - waited)) < MSEC);
	CHECK(llabs((long long)(block_first(series) - f.p.begin) - (long long)MSEC) < 200000);
	CHECK(llabs((long long)(series->ran_between - (WAITS - 1) * MSEC)) < 200000);
	CHECK(series->counted_block <= blocked && series->counted_block > blocked * 999 / 1000);
}

static void a_slice_begins_a_series(void)
{
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	log_waits(&f, 0, 50);
	log_waits(&f, 50, 50);
	CHECK_EQ(f.p.blocks.nr, 2);
	CHECK(f.p.blocks.at[0].end <= block_first(&f.p.blocks.at[1]));
}

/* Two waits, the second one changed: how many entries they become. */
static size_t entries_with(void (*change)(struct fixture *f, struct block *second))
{
	_cleanup_fixture_ struct fixture f;
	struct block first, second;

	fixture_init(&f);
	first = wait_of(&f, 0);
	second = wait_of(&f, 1);
	change(&f, &second);
	profile_wait(&f.p, &first);
	profile_wait(&f.p, &second);
	profile_end_slice(&f.p);
	return f.p.blocks.nr;
}

static void no_change(struct fixture *f, struct block *second)
{
	(void)f;
	(void)second;
}

static void another_thread(struct fixture *f, struct block *second)
{
	second->leg = f->other;
}

static void another_place(struct fixture *f, struct block *second)
{
	(void)f;
	second->user = 0;
}

static void ended_by_thread(struct fixture *f, struct block *second)
{
	second->chain = chain_of(f, WICK_BY_TASK, f->waker);
}

static void longer(struct fixture *f, struct block *second)
{
	(void)f;
	second->end += 20 * MSEC;
	second->woken += 20 * MSEC;
}

static void for_want_of_a_cpu(struct fixture *f, struct block *second)
{
	second->woken -= MSEC;
	second->before = f->waker;
}

/* A wait of another thread may lead to this one's. */
static void it_wakes_others(struct fixture *f, struct block *second)
{
	(void)second;
	chain_of(f, WICK_BY_TASK, f->sleeper);
}

static void what_tells_more_is_an_entry_of_its_own(void)
{
	CHECK_EQ(entries_with(no_change), 1);
	CHECK_EQ(entries_with(another_thread), 2);
	CHECK_EQ(entries_with(another_place), 2);
	CHECK_EQ(entries_with(ended_by_thread), 2);
	CHECK_EQ(entries_with(longer), 2);
	CHECK_EQ(entries_with(for_want_of_a_cpu), 2);
	CHECK_EQ(entries_with(it_wakes_others), 2);
}

static void a_wait_alone_is_rounded_to_a_microsecond(void)
{
	_cleanup_fixture_ struct fixture f;
	struct block block;

	fixture_init(&f);
	block = wait_of(&f, 3);
	profile_wait(&f.p, &block);
	profile_end_slice(&f.p);
	CHECK(block.begin - f.p.blocks.at[0].begin < 1024);
	CHECK(block.end - f.p.blocks.at[0].end < 1024);
	CHECK_EQ(f.p.blocks.at[0].counted_block, block_ns(&f.p.blocks.at[0]));
	/* The window's begin stays where it is. */
	block.begin = f.p.begin;
	profile_wait(&f.p, &block);
	profile_end_slice(&f.p);
	CHECK_EQ(f.p.blocks.at[1].begin, f.p.begin);
}

static u64 explained(const struct why *why, const struct fixture *f, u64 from, u64 to,
		     u64 of[WHY_NR])
{
	struct why_pieces pieces = {};
	u64 sum = 0;

	memset(of, 0, WHY_NR * sizeof(*of));
	why_explain(why, f->sleeper, f->p.begin + from, f->p.begin + to, &pieces);
	vec_for_each (&pieces.pieces, piece) {
		of[piece->what] += piece->ns;
		sum += piece->ns;
	}
	why_pieces_release(&pieces);
	return sum;
}

static void a_part_of_a_series_has_its_share(void)
{
	_cleanup_fixture_ struct fixture f;
	struct why *why;
	u64 of[WHY_NR];

	fixture_init(&f);
	log_waits(&f, 0, WAITS);
	profile_thread(&f.p, &(struct thread_time){.leg = f.sleeper,
						   .begin = f.p.begin,
						   .end = f.p.end,
						   .running = NSEC_PER_SEC / 10,
						   .ran = NSEC_PER_SEC / 10});
	why = why_new(&f.p);
	CHECK_EQ(explained(why, &f, 300 * MSEC, 400 * MSEC, of), 100 * MSEC);
	CHECK(llabs((long long)(of[WHY_INTERRUPT] - 89 * MSEC)) < MSEC);
	CHECK(llabs((long long)(of[WHY_NO_CPU] - MSEC)) < MSEC / 5);
	CHECK(llabs((long long)(of[WHY_RAN] - 10 * MSEC)) < MSEC / 5);
	/* Across its end, where the thread sleeps on in a way that is too short for the log. */
	CHECK_EQ(explained(why, &f, 900 * MSEC + 7, 1100 * MSEC + 1, of), 200 * MSEC - 6);
	CHECK_EQ(explained(why, &f, 0, 2 * NSEC_PER_SEC, of), 2 * NSEC_PER_SEC);
	why_free(why);
}

static void a_series_is_read_as_it_was_written(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_strbuf_ struct strbuf bytes = {};
	_cleanup_free_ char *before = NULL, *after = NULL;
	struct recording_writer *w = recording_writer_new();
	struct recording r;
	struct profile p;

	begin_run(&f);
	recording_put_header(&bytes);
	log_waits(&f, 0, 30);
	recording_put_slice(w, &f.p, f.p.begin + NSEC_PER_SEC, &bytes);
	log_waits(&f, 30, 40);
	log_waits(&f, 80, 1);
	recording_put_slice(w, &f.p, f.p.end, &bytes);
	recording_put_end(w, &f.p, &bytes);
	recording_writer_free(w);
	CHECK_EQ(read_bytes(bytes.s, bytes.size, &p, &r, NULL), 0);
	before = dump(&f.p);
	after = dump(&p);
	CHECK_EQ(p.blocks.nr, 3);
	CHECK_STR(after, before);
	release_read(&p, &r);
}

static u64 part_of(const struct strbuf *bytes, u64 from, u64 to, u64 *in_log)
{
	struct recording_range range = {.from = from, .to = to};
	struct recording r;
	struct profile p;
	u64 ns;

	CHECK_EQ(read_range(bytes->s, bytes->size, &range, &p, &r, NULL), 0);
	ns = profile_sum(&p, WICK_SCHED, 1, 0, 0);
	vec_for_each (&p.blocks, block) {
		CHECK(block_first(block) >= p.begin && block->end <= p.end);
		*in_log += block_ns(block);
	}
	release_read(&p, &r);
	return ns;
}

static u64 in_log_of_all(const struct strbuf *bytes)
{
	u64 in_log = 0;

	part_of(bytes, 0, UINT64_MAX, &in_log);
	return in_log;
}

/* 80 waits: each part has what its share of the series is, and both have all. */
static void a_series_is_cut_by_its_share(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_strbuf_ struct strbuf bytes = {};
	struct recording_writer *w = recording_writer_new();
	u64 sum = 0, in_log = 0, part;

	begin_run(&f);
	for (u32 i = 0; i < 80; i++) {
		struct block block = wait_of(&f, i);

		sum += block_ns(&block);
		count(&f, WICK_SCHED, 'S', f.sleeper, block.chain, 1, block_ns(&block), 9 * MSEC);
	}
	log_waits(&f, 0, 80);
	recording_put_header(&bytes);
	recording_put_slice(w, &f.p, f.p.begin + NSEC_PER_SEC, &bytes);
	recording_put_end(w, &f.p, &bytes);
	recording_writer_free(w);
	part = part_of(&bytes, 0, 201 * MSEC, &in_log);
	CHECK(part > sum / 4 - 3 * MSEC && part < sum / 4 + 3 * MSEC);
	CHECK_EQ(part + part_of(&bytes, 201 * MSEC, UINT64_MAX, &in_log), sum);
	CHECK_EQ(in_log, in_log_of_all(&bytes));
}

int main(void)
{
	RUN(a_series_is_cut_by_its_share);
	RUN(a_series_has_the_sums_of_its_waits);
	RUN(a_slice_begins_a_series);
	RUN(what_tells_more_is_an_entry_of_its_own);
	RUN(a_wait_alone_is_rounded_to_a_microsecond);
	RUN(a_part_of_a_series_has_its_share);
	RUN(a_series_is_read_as_it_was_written);
	return test_status();
}
