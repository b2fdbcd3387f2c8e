/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recording_cut_threads.c: what a thread ran between its blocks, in parts of a recording. */
#include "recording_fixture.h"
#include "why/index.h"

enum { SECONDS = 10, MS = 1000 * 1000 };

/*
 * In each second a thread is blocked for the last 750 ms, once. Of the 250 ms before that, in which
 * it may wait too shortly for the log, it runs for `ms`.
 */
static void record_sleeper(u64 ms, struct strbuf *bytes)
{
	_cleanup_fixture_ struct fixture f;
	struct recording_writer *w = recording_writer_new();
	u64 begin;

	begin_run(&f);
	begin = f.p.begin;
	f.p.end = begin + SECONDS * NSEC_PER_SEC;
	recording_put_header(bytes);
	for (u64 i = 1; i <= SECONDS; i++) {
		u64 end = begin + i * NSEC_PER_SEC;

		count(&f, WICK_SCHED, 'S', f.sleeper, 0, 1, 750 * MS, 750 * MS);
		profile_block(&f.p, &(struct block){.leg = f.sleeper,
						    .user = f.user,
						    .kernel = f.kernel,
						    .state = 'S',
						    .begin = end - 750 * MS,
						    .woken = end,
						    .end = end,
						    .ran = i * ms * MS,
						    .counted_block = 750 * MS});
		if (i == SECONDS)
			profile_thread(&f.p,
				       &(struct thread_time){.leg = f.sleeper,
							     .begin = begin,
							     .end = f.p.end,
							     .running = SECONDS * ms * MS,
							     .ran = SECONDS * ms * MS,
							     .blocked = SECONDS * 750ull * MS});
		recording_put_slice(w, &f.p, end, bytes);
	}
	recording_put_end(w, &f.p, bytes);
	recording_writer_free(w);
}

/* A part, and what the thread ran in it: before its first block, after it, after the last one. */
static const struct {
	u64 ms, from_ms, to_ms;
	const char *ran;
} parts[] = {
	{250, 3000, 6000, "250 250 0"}, {250, 3100, 6100, "150 250 100"},
	{250, 2500, 4500, "0 250 0"},	{250, 2500, 5200, "0 250 200"},
	{250, 0, 3100, "250 250 100"},	{250, 0, 10000, "250 250 0"},
	{100, 3000, 6000, "100 100 0"}, {100, 3100, 6100, "60 100 40"},
	{100, 0, 3100, "100 100 40"},
};

/* To the nearest one: shares are rounded. */
static unsigned int ms_of_gap(const struct why *why, const struct why_thread *t, u32 i)
{
	return (unsigned int)((index_gap(why, t, i).ran + MS / 2) / MS);
}

static void gaps_of_a_part_have_what_was_run_in_it(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		const struct recording_range range = {.from = parts[i].from_ms * MS,
						      .to = parts[i].to_ms * MS};
		_cleanup_strbuf_ struct strbuf bytes = {}, ran = {};
		const struct why_thread *t;
		struct recording r;
		struct profile p;
		struct why *why;

		record_sleeper(parts[i].ms, &bytes);
		CHECK_EQ(read_range(bytes.s, bytes.size, &range, &p, &r, NULL), 0);
		CHECK_EQ(p.threads.nr, 1);
		why = why_new(&p);
		t = &why->threads.at[why_thread(why, p.threads.at[0].leg)];
		strbuf_addf(&ran, "%u %u %u", ms_of_gap(why, t, 0), ms_of_gap(why, t, 1),
			    ms_of_gap(why, t, t->nr));
		CHECK_STR(ran.s, parts[i].ran);
		why_free(why);
		release_read(&p, &r);
	}
}

/* A thread that begins after 4 s, runs for half a second, and is blocked until the end. */
static void record_late(struct strbuf *bytes)
{
	_cleanup_fixture_ struct fixture f;
	struct recording_writer *w = recording_writer_new();
	u64 begin, blocked = 5500ull * MS;

	begin_run(&f);
	begin = f.p.begin;
	f.p.end = begin + SECONDS * NSEC_PER_SEC;
	recording_put_header(bytes);
	count(&f, WICK_SCHED, 'S' | WICK_STATE_STILL, f.other, 0, 1, blocked, blocked);
	profile_block(&f.p, &(struct block){.leg = f.other,
					    .user = f.user,
					    .kernel = f.kernel,
					    .state = 'S' | WICK_STATE_STILL,
					    .begin = f.p.end - blocked,
					    .woken = f.p.end,
					    .end = f.p.end,
					    .ran = 500 * MS,
					    .counted_block = blocked});
	profile_thread(&f.p, &(struct thread_time){.leg = f.other,
						   .begin = begin + 4 * NSEC_PER_SEC,
						   .end = f.p.end,
						   .running = 500 * MS,
						   .ran = 500 * MS,
						   .blocked = blocked});
	recording_put_slice(w, &f.p, f.p.end, bytes);
	recording_put_end(w, &f.p, bytes);
	recording_writer_free(w);
}

static void what_had_not_ended_has_the_last_gap_before_it(void)
{
	static const u64 from_and_first[][2] = {{0, 500}, {3000, 500}, {4200, 300}, {4600, 0}};
	_cleanup_strbuf_ struct strbuf bytes = {};

	record_late(&bytes);
	for (size_t i = 0; i < ARRAY_SIZE(from_and_first); i++) {
		const struct recording_range range = {.from = from_and_first[i][0] * MS,
						      .to = 7000ull * MS};
		const struct why_thread *t;
		struct recording r;
		struct profile p;
		struct why *why;

		CHECK_EQ(read_range(bytes.s, bytes.size, &range, &p, &r, NULL), 0);
		CHECK_EQ(p.threads.nr, 1);
		why = why_new(&p);
		t = &why->threads.at[why_thread(why, p.threads.at[0].leg)];
		CHECK_EQ(ms_of_gap(why, t, 0), from_and_first[i][1]);
		CHECK_EQ(ms_of_gap(why, t, t->nr), 0);
		/* What the blocks say agrees with the account. */
		CHECK_EQ((p.blocks.at[0].ran + MS / 2) / MS, from_and_first[i][1]);
		why_free(why);
		release_read(&p, &r);
	}
}

int main(void)
{
	RUN(gaps_of_a_part_have_what_was_run_in_it);
	RUN(what_had_not_ended_has_the_last_gap_before_it);
	return test_status();
}
