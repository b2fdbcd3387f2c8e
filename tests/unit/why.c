/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view_fixture.h"
#include "why.h"

#define _cleanup_pieces_ _cleanup_(why_pieces_release)
#define _cleanup_why_	 _cleanup_(free_why)

enum { THREADS = 8 };

struct log {
	struct profile p;
	u32 leg[THREADS];
	u32 by[THREADS];      /* chains: woken by that thread */
	u32 timer, forked_by; /* by an interrupt; by a fork of thread 1's */
};

static void free_why(struct why **why)
{
	why_free(*why);
}

static u32 chain_of(struct log *l, enum wick_cause cause, u32 leg)
{
	u32 hop = profile_hop(&l->p, &(struct hop){.cause = cause, .leg = leg});

	return profile_chain(&l->p, &hop, 1, WICK_CHAIN_RUNNING);
}

/* A window from 0 to 1000, and threads that exist all through it. */
static void log_init(struct log *l)
{
	profile_init(&l->p);
	l->p.end = 1000;
	for (u32 i = 0; i < THREADS; i++) {
		l->leg[i] = profile_leg(&l->p, &(struct leg){.tid = i + 1});
		l->by[i] = chain_of(l, WICK_BY_TASK, l->leg[i]);
	}
	l->timer = chain_of(l, WICK_BY_INTERRUPT, 0);
	l->forked_by = chain_of(l, WICK_BY_FORK, l->leg[1]);
}

static void log_release(struct log *l)
{
	profile_release(&l->p);
}

#define _cleanup_log_ _cleanup_(log_release)

static void lives(struct log *l, u32 thread, u64 begin, u64 end, u64 running)
{
	profile_thread(&l->p, &(struct thread_time){.leg = l->leg[thread],
						    .begin = begin,
						    .end = end,
						    .running = running,
						    .ran = running});
}

static void blocks(struct log *l, u32 thread, u32 chain, u64 begin, u64 woken, u64 end, u64 ran)
{
	profile_block(&l->p, &(struct block){.leg = l->leg[thread],
					     .chain = chain,
					     .state = 'S',
					     .begin = begin,
					     .woken = woken,
					     .end = end,
					     .ran = ran});
}

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

/* ---- random logs, and a slow way to read them */

static u32 entry_at(const struct log *l, u32 thread, u64 time)
{
	for (u32 i = 0; i < l->p.blocks.nr; i++) {
		const struct block *b = &l->p.blocks.at[i];

		if (b->leg == l->leg[thread] && b->begin <= time && time < b->end)
			return i;
	}
	return WHY_NO_BLOCK;
}

static u64 begin_of[THREADS], end_of[THREADS];
static int parent_of[THREADS];

/* What a thread did in one nanosecond, by the definition. */
static enum why_what what_at(const struct log *l, u32 thread, u64 time, u32 seen, u32 *who)
{
	const struct block *block;
	u32 ref, next;

	*who = thread;
	if (time >= end_of[thread])
		return WHY_GONE;
	if (time < begin_of[thread]) {
		if (parent_of[thread] < 0)
			return WHY_BEFORE;
		next = (u32)parent_of[thread];
	} else {
		ref = entry_at(l, thread, time);
		if (ref == WHY_NO_BLOCK)
			return WHY_RAN;
		block = &l->p.blocks.at[ref];
		if (time >= block->woken)
			return WHY_NO_CPU;
		if (!block->chain)
			return WHY_UNKNOWN;
		if (block->chain == l->timer)
			return WHY_INTERRUPT;
		for (next = 0; l->by[next] != block->chain; next++)
			;
	}
	if (seen & 1u << next)
		return WHY_CYCLE;
	return what_at(l, next, time, seen | 1u << next, who);
}

static u32 up_to(u32 *seed, u32 n)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 8) % n;
}

static void random_log(struct log *l, u32 seed)
{
	log_init(l);
	for (u32 i = 0; i < THREADS; i++) {
		u64 at, asleep = 0;

		begin_of[i] = up_to(&seed, 3) ? 0 : up_to(&seed, 500);
		end_of[i] = up_to(&seed, 3) ? 1000 : begin_of[i] + up_to(&seed, 500);
		parent_of[i] = -1;
		for (at = begin_of[i];;) {
			u64 begin = at + up_to(&seed, 60), woken = begin + 1 + up_to(&seed, 200),
			    end = woken + (up_to(&seed, 2) ? up_to(&seed, 30) : 0);
			u32 by = up_to(&seed, THREADS + 2);

			if (end > end_of[i])
				break;
			blocks(l, i,
			       by < THREADS    ? l->by[by]
			       : by == THREADS ? l->timer
					       : 0,
			       begin, woken, end, begin - begin_of[i] - asleep);
			asleep += end - begin;
			at = end;
		}
		lives(l, i, begin_of[i], end_of[i], end_of[i] - begin_of[i] - asleep);
	}
	for (u32 i = 0; i < THREADS; i++) {
		u32 hops[2] = {profile_hop(&l->p, &(struct hop){.leg = l->leg[i]})};

		if (!begin_of[i] || up_to(&seed, 2))
			continue;
		parent_of[i] = (int)up_to(&seed, THREADS);
		hops[1] = profile_hop(
			&l->p, &(struct hop){.cause = WICK_BY_FORK, .leg = l->leg[parent_of[i]]});
		profile_chain(&l->p, hops, 2, WICK_CHAIN_FORK);
	}
}

static void random_logs_are_read_as_by_the_definition(void)
{
	for (u32 seed = 1; seed <= 300; seed++) {
		_cleanup_pieces_ struct why_pieces pieces = {};
		_cleanup_why_ struct why *why = NULL;
		_cleanup_log_ struct log l = {};
		u64 want[THREADS][WHY_NR] = {}, got[THREADS][WHY_NR] = {};
		u32 s = seed, from, to;

		random_log(&l, seed);
		from = up_to(&s, 900);
		to = from + up_to(&s, 1000 - from);
		why = why_new(&l.p);
		why_explain(why, l.leg[0], from, to, &pieces);
		vec_for_each (&pieces.pieces, piece) {
			u32 leg = piece->step == WHY_NO_STEP ? l.leg[0]
							     : pieces.steps.at[piece->step].leg;

			got[l.p.legs.at[leg].tid - 1][piece->what] += piece->ns;
		}
		for (u64 t = from; t < to; t++) {
			u32 who;
			enum why_what what = what_at(&l, 0, t, 1, &who);

			want[who][what]++;
		}
		if (memcmp(want, got, sizeof(want)))
			test_report("seed %u: not as by the definition", seed);
	}
}

int main(void)
{
	RUN(a_wait_is_split_as_its_waker_spent_it);
	RUN(running_and_short_waits_share_a_gap);
	RUN(a_thread_goes_on_with_its_parent_before_it_began);
	RUN(what_is_not_known_is_said);
	RUN(a_row_of_threads_is_followed_to_its_limit);
	RUN(random_logs_are_read_as_by_the_definition);
	return test_status();
}
