/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view_fixture.h"
#include "why.h"

static u32 ended_by(struct fixture *f, u32 leg)
{
	struct hop hop = {.cause = leg ? WICK_BY_TASK : WICK_BY_INTERRUPT, .leg = leg};
	u32 ref = profile_hop(&f->p, &hop);

	return profile_chain(&f->p, &ref, 1, WICK_CHAIN_RUNNING);
}

static void waits(struct fixture *f, u32 leg, u32 by, u64 begin, u64 woken, u64 end, u64 ran)
{
	profile_block(&f->p, &(struct block){.leg = leg,
					     .chain = ended_by(f, by),
					     .state = 'S',
					     .begin = f->p.begin + begin,
					     .woken = f->p.begin + woken,
					     .end = f->p.begin + end,
					     .ran = ran});
}

static void lives(struct fixture *f, u32 leg, u64 begin, u64 end, u64 running)
{
	profile_thread(&f->p, &(struct thread_time){.leg = leg,
						    .begin = f->p.begin + begin,
						    .end = f->p.begin + end,
						    .running = running,
						    .ran = running});
}

/* The sleeper waits for the waker, who waits for a timer in the middle of that. */
static void fill(struct fixture *f)
{
	fixture_init(f);
	f->p.end = f->p.begin + 1000;
	waits(f, f->sleeper, f->waker, 100, 200, 220, 60);
	waits(f, f->waker, 0, 130, 170, 170, 130);
	waits(f, f->sleeper, 0, 400, 500, 500, 160);
	lives(f, f->sleeper, 50, 900, 560);
	lives(f, f->waker, 0, 1000, 960);
}

static void a_moment_is_in_a_wait_or_between_two(void)
{
	static const struct {
		u64 at;
		enum why_doing doing;
		u64 begin, end, ran;
	} cases[] = {
		{49, WHY_WAS_NOT_THERE, 50, 900, 0},  {50, WHY_WAS_BUSY, 50, 100, 50},
		{99, WHY_WAS_BUSY, 50, 100, 50},      {100, WHY_WAITED, 100, 200, 0},
		{199, WHY_WAITED, 100, 200, 0},	      {200, WHY_HAD_NO_CPU, 200, 220, 0},
		{219, WHY_HAD_NO_CPU, 200, 220, 0},   {220, WHY_WAS_BUSY, 220, 400, 100},
		{450, WHY_WAITED, 400, 500, 0},	      {899, WHY_WAS_BUSY, 500, 900, 400},
		{900, WHY_WAS_NOT_THERE, 50, 900, 0},
	};
	_cleanup_fixture_ struct fixture f;
	struct why_moment m;
	struct why *why;

	fill(&f);
	why = why_new(&f.p);
	CHECK_EQ(why_moment(why, 77, f.p.begin + 500, &m), -ENOENT);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		CHECK_EQ(why_moment(why, 11, f.p.begin + cases[i].at, &m), 0);
		CHECK_EQ(m.leg, f.sleeper);
		CHECK_EQ(m.doing, cases[i].doing);
		CHECK_EQ(m.begin, f.p.begin + cases[i].begin);
		CHECK_EQ(m.end, f.p.begin + cases[i].end);
		CHECK_EQ(m.ran, cases[i].ran);
	}
	why_free(why);
}

static void the_steps_are_those_of_the_moment(void)
{
	static const struct {
		u64 at;
		size_t nr;
		enum why_what what;
	} cases[] = {{110, 1, WHY_RAN},
		     {130, 1, WHY_INTERRUPT},
		     {169, 1, WHY_INTERRUPT},
		     {180, 1, WHY_RAN}};
	struct why_pieces pieces = {};
	_cleanup_fixture_ struct fixture f;
	struct why *why;

	fill(&f);
	why = why_new(&f.p);
	why_explain_block(why, 0, &pieces);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct why_piece *last;
		u32 steps[WHY_MOST_STEPS];

		CHECK_EQ(why_steps_at(&pieces, f.p.begin + cases[i].at, steps, &last), cases[i].nr);
		CHECK(last && last->what == cases[i].what);
		CHECK_EQ(pieces.steps.at[steps[0]].leg, f.waker);
	}
	why_pieces_release(&pieces);
	why_free(why);
}

static void a_tid_that_is_given_again_is_the_thread_of_then(void)
{
	_cleanup_fixture_ struct fixture f;
	struct leg again;
	struct why_moment m;
	struct why *why;
	u32 leg;

	fill(&f);
	again = f.p.legs.at[f.sleeper];
	again.start_ns += 1000;
	leg = profile_leg(&f.p, &again);
	lives(&f, leg, 950, 1000, 50);
	why = why_new(&f.p);
	CHECK_EQ(why_moment(why, 11, f.p.begin + 450, &m), 0);
	CHECK_EQ(m.leg, f.sleeper);
	CHECK_EQ(why_moment(why, 11, f.p.begin + 960, &m), 0);
	CHECK_EQ(m.leg, leg);
	CHECK_EQ(m.doing, WHY_WAS_BUSY);
	why_free(why);
}

static void a_moment_of_a_series_has_no_times_of_its_own(void)
{
	_cleanup_fixture_ struct fixture f;
	struct why_moment m;
	struct why *why;

	fill(&f);
	f.p.blocks.at[2].more = 2;
	f.p.blocks.at[2].between = 50;
	why = why_new(&f.p);
	for (u64 at = 350; at < 500; at += 149) {
		CHECK_EQ(why_moment(why, 11, f.p.begin + at, &m), 0);
		CHECK_EQ(m.doing, WHY_WAITED_OFTEN);
		CHECK_EQ(m.begin, f.p.begin + 350);
		CHECK_EQ(m.end, f.p.begin + 500);
	}
	CHECK_EQ(why_moment(why, 11, f.p.begin + 349, &m), 0);
	CHECK_EQ(m.doing, WHY_WAS_BUSY);
	why_free(why);
}

int main(void)
{
	RUN(a_moment_is_in_a_wait_or_between_two);
	RUN(the_steps_are_those_of_the_moment);
	RUN(a_moment_of_a_series_has_no_times_of_its_own);
	RUN(a_tid_that_is_given_again_is_the_thread_of_then);
	return test_status();
}
