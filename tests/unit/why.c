/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "why_log.h"

static const char *const names[WHY_NR] = {
	[WHY_RAN] = "ran",	 [WHY_SHORT_WAITS] = "short", [WHY_NO_CPU] = "no-cpu",
	[WHY_INTERRUPT] = "irq", [WHY_UNKNOWN] = "unknown",   [WHY_STILL] = "still",
	[WHY_BEFORE] = "before", [WHY_STRANGER] = "stranger", [WHY_GONE] = "gone",
	[WHY_CYCLE] = "cycle",	 [WHY_DEPTH] = "depth",	      [WHY_LIMIT] = "limit",
};

/* "THREAD WHAT NS, ..." of what thread 0 did. */
static char *explained(struct log *l, u64 from, u64 to)
{
	_cleanup_pieces_ struct why_pieces pieces = {};
	_cleanup_why_ struct why *why = why_new(&l->p);
	struct strbuf text = {};
	u64 sum = 0;

	why_explain(why, l->leg[0], from, to, &pieces);
	vec_for_each (&pieces.pieces, piece) {
		u32 leg = piece->step == WHY_NO_STEP ? l->leg[0] : pieces.steps.at[piece->step].leg;

		strbuf_addf(&text, "%s%u %s %llu", text.size ? ", " : "", l->p.legs.at[leg].tid - 1,
			    names[piece->what], (unsigned long long)piece->ns);
		sum += piece->ns;
	}
	CHECK_EQ(sum, to - from);
	return text.s ? text.s : xstrdup("");
}

#define CHECK_WHY(l, from, to, want)                                                               \
	do {                                                                                       \
		_cleanup_free_ char *text = explained(l, from, to);                                \
		CHECK_STR(text, want);                                                             \
	} while (0)

/* 9 parts of it the holder waits for a pipe, 1 part for the disk. */
static void a_wait_is_split_as_its_waker_spent_it(void)
{
	_cleanup_log_ struct log l = {};

	log_init(&l);
	blocks(&l, 0, l.by[1], 100, 200, 210, 5);
	blocks(&l, 1, l.by[2], 90, 188, 189, 0);
	blocks(&l, 1, l.timer, 190, 199, 199, 1);
	blocks(&l, 2, l.timer, 50, 150, 150, 50);
	for (u32 i = 0; i < 3; i++)
		lives(&l, i, 0, 1000, 1000);
	CHECK_WHY(&l, 100, 210,
		  "2 irq 50, 2 ran 38, 1 no-cpu 1, 1 ran 1, 1 irq 9, 1 ran 1, 0 no-cpu 10");
	/* Its edges cut what is below them, too. */
	CHECK_WHY(&l, 120, 160, "2 irq 30, 2 ran 10");
	CHECK_WHY(&l, 195, 205, "1 irq 4, 1 ran 1, 0 no-cpu 5");
	CHECK_WHY(&l, 300, 300, "");
}

static void running_and_short_waits_share_a_gap(void)
{
	_cleanup_log_ struct log l = {};

	log_init(&l);
	blocks(&l, 0, l.by[1], 100, 200, 200, 40);
	blocks(&l, 1, l.timer, 600, 700, 700, 150);
	lives(&l, 0, 0, 1000, 840);
	lives(&l, 1, 0, 1000, 450);
	/* 0 ran 40 of 100; 1 ran 150 of 600; 0 ran all of the 800 after it. */
	CHECK_WHY(&l, 0, 300, "0 ran 40, 0 short 60, 1 ran 25, 1 short 75, 0 ran 100");
	CHECK_WHY(&l, 0, 101, "0 ran 40, 0 short 60, 1 short 1");
}

/* In a recording that was merged, two hosts can have a thread of that number and start. */
static void a_thread_of_another_host_is_another(void)
{
	_cleanup_log_ struct log l = {};
	u32 there;

	log_init(&l);
	there = profile_leg(&l.p, &(struct leg){.tid = l.p.legs.at[l.leg[1]].tid, .host = 1});
	blocks(&l, 0, l.by[1], 100, 200, 200, 0);
	blocks(&l, 1, l.timer, 90, 150, 150, 0);
	profile_block(&l.p, &(struct block){.leg = there,
					    .chain = l.timer,
					    .state = 'S',
					    .begin = 150,
					    .woken = 200,
					    .end = 200});
	lives(&l, 0, 0, 1000, 1000);
	lives(&l, 1, 0, 1000, 940);
	profile_thread(&l.p, &(struct thread_time){.leg = there, .begin = 140, .end = 1000});
	CHECK_WHY(&l, 100, 200, "1 irq 50, 1 ran 50");
}

static void a_thread_goes_on_with_its_parent_before_it_began(void)
{
	_cleanup_log_ struct log l = {};
	u32 hops[2];

	log_init(&l);
	/* 0 waits for 2, whom 1 forked at 150; as a chain says that is of another wait. */
	blocks(&l, 0, l.by[2], 100, 200, 200, 0);
	blocks(&l, 1, l.timer, 90, 130, 130, 0);
	hops[0] = profile_hop(&l.p, &(struct hop){.cause = WICK_BY_TASK, .leg = l.leg[2]});
	hops[1] = profile_hop(&l.p, &(struct hop){.cause = WICK_BY_FORK, .leg = l.leg[1]});
	lives(&l, 0, 0, 1000, 1000);
	lives(&l, 1, 0, 180, 180);
	lives(&l, 2, 150, 1000, 850);
	CHECK_WHY(&l, 100, 200, "2 before 50, 2 ran 50");
	blocks(&l, 3, profile_chain(&l.p, hops, 2, WICK_CHAIN_FORK), 10, 20, 20, 0);
	CHECK_WHY(&l, 100, 200, "1 irq 30, 1 ran 20, 2 ran 50");
}

/* Thread 0 waits at one end of a connection, thread 1 at the other one; data come by interrupts. */
static void a_connection_goes_on_in_the_thread_behind_it(void)
{
	_cleanup_log_ struct log l = {};

	log_init(&l);
	blocks(&l, 0, l.timer, 100, 200, 200, 5);
	blocks(&l, 1, l.timer, 10, 90, 90, 0);
	blocks(&l, 1, l.timer, 120, 180, 180, 30);
	lives(&l, 1, 0, 1000, 860);
	CHECK_WHY(&l, 100, 200, "0 irq 100");
	l.p.blocks.at[0].object = profile_object(&l.p, &(struct object){.here = 7, .there = 8});
	CHECK_WHY(&l, 100, 200, "0 irq 100");
	l.p.blocks.at[1].object = profile_object(&l.p, &(struct object){.here = 8, .there = 7});
	CHECK_WHY(&l, 100, 200, "1 ran 20, 1 irq 60, 1 ran 20");
}

static void what_is_not_known_is_said(void)
{
	_cleanup_log_ struct log l = {};

	log_init(&l);
	blocks(&l, 0, 0, 0, 10, 10, 0);
	blocks(&l, 0, l.by[3], 20, 30, 30, 10);
	blocks(&l, 0, l.by[1], 40, 60, 60, 20);
	profile_block(&l.p, &(struct block){.leg = l.leg[0],
					    .state = 'S' | WICK_STATE_STILL,
					    .begin = 900,
					    .woken = 1000,
					    .end = 1000});
	lives(&l, 0, 0, 1000, 860);
	lives(&l, 1, 0, 50, 50);
	CHECK_WHY(&l, 0, 1000,
		  "0 unknown 10, 0 ran 10, 0 stranger 10, 0 ran 10, 1 ran 10, 1 gone 10, "
		  "0 ran 840, 0 still 100");
}

static void a_row_of_threads_is_followed_to_its_limit(void)
{
	enum { ROW = WHY_MOST_STEPS + 10 };
	_cleanup_pieces_ struct why_pieces pieces = {};
	_cleanup_why_ struct why *why = NULL;
	_cleanup_log_ struct log l = {};

	log_init(&l);
	for (u32 i = 0; i < ROW; i++) {
		u32 next = profile_leg(&l.p, &(struct leg){.tid = 100 + i + 1});

		profile_block(&l.p, &(struct block){
					    .leg = profile_leg(&l.p, &(struct leg){.tid = 100 + i}),
					    .chain = chain_of(&l, WICK_BY_TASK, next),
					    .state = 'S',
					    .begin = 100 + i,
					    .woken = 500 - i,
					    .end = 500 - i,
				    });
	}
	why = why_new(&l.p);
	why_explain_block(why, 0, &pieces);
	CHECK_EQ(pieces.steps.nr, WHY_MOST_STEPS);
	CHECK_EQ(pieces.pieces.at[WHY_MOST_STEPS].what, WHY_DEPTH);
	CHECK_EQ(pieces.pieces.at[WHY_MOST_STEPS].ns, 400 - 2 * WHY_MOST_STEPS);
}

int main(void)
{
	RUN(a_wait_is_split_as_its_waker_spent_it);
	RUN(running_and_short_waits_share_a_gap);
	RUN(a_thread_of_another_host_is_another);
	RUN(a_thread_goes_on_with_its_parent_before_it_began);
	RUN(a_connection_goes_on_in_the_thread_behind_it);
	RUN(what_is_not_known_is_said);
	RUN(a_row_of_threads_is_followed_to_its_limit);
	return test_status();
}
