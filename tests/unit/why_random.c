/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why_random.c: logs by lot, and a slow way to explain them by the definition: what a thread did is
 * asked for each nanosecond by itself, of the stories that the log was made from. A third of the
 * logs are rows, in which nearly every thread waits for the next one.
 */
#include "why_log.h"

enum { MOST_STRETCHES = 64, SEEDS = 600, WINDOW = 1000 };

enum { BY_TIMER = THREADS, BY_UNSEEN, BY_STILL, NR_BY };

/* A gap, of which the thread ran a part, then a stretch off-CPU. */
struct stretch {
	u64 gap, ran;
	u64 begin, woken, end;
	u32 by; /* a thread, or BY_ */
};

struct story {
	bool is_there, has_account;
	u64 begin, end;
	int parent; /* -1: not known */
	u32 nr;
	struct stretch at[MOST_STRETCHES]; /* and a gap after the last one */
};

static struct story stories[THREADS];

/* ---- by lot */

static u32 up_to(u32 *seed, u32 n)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 8) % n;
}

static bool one_in(u32 *seed, u32 n)
{
	return !up_to(seed, n);
}

static u64 part_of(u32 *seed, u64 ns)
{
	return one_in(seed, 2) ? ns : up_to(seed, (u32)ns + 1);
}

static u32 random_by(u32 *seed, u32 thread, bool is_row)
{
	return is_row && !one_in(seed, 100) ? (thread + 1) % THREADS : up_to(seed, BY_STILL);
}

/* The next gap and stretch of a thread; false: its time is over. */
static bool add_stretch(struct story *s, u32 *seed, u32 thread, bool is_row)
{
	struct stretch *at = &s->at[s->nr];
	u64 gap = s->nr ? at[-1].end : s->begin;
	bool is_preempted = one_in(seed, 6);
	u64 begin = gap + up_to(seed, is_row ? 4 : 60);
	u64 woken = begin + (is_preempted ? 0 : 1 + up_to(seed, is_row ? 900 : 200));
	u64 end = woken + (is_preempted || one_in(seed, 2) ? 1 + up_to(seed, 30) : 0);

	*at = (struct stretch){gap,   part_of(seed, begin - gap),
			       begin, woken,
			       end,   is_preempted ? BY_UNSEEN : random_by(seed, thread, is_row)};
	if (end <= s->end && s->nr < MOST_STRETCHES - 1)
		return true;
	if (begin < s->end && s->end == WINDOW && one_in(seed, 2)) { /* it lasts to the end */
		at->woken = at->end = WINDOW;
		at->by = BY_STILL;
		s->nr++;
	}
	return false;
}

static void add_last_gap(struct story *s, u32 *seed)
{
	struct stretch *last = &s->at[s->nr];

	*last = (struct stretch){.gap = s->nr ? last[-1].end : s->begin, .begin = s->end};
	last->ran =
		s->has_account ? part_of(seed, last->begin - last->gap) : last->begin - last->gap;
}

static struct story random_story(u32 *seed, u32 thread, bool is_row)
{
	struct story s = {.is_there = !thread || !one_in(seed, is_row ? 100 : 10), .parent = -1};

	s.has_account = one_in(seed, 4) ? false : true;
	s.begin = s.has_account && !is_row && one_in(seed, 3) ? up_to(seed, 500) : 0;
	s.end = s.has_account && !is_row && one_in(seed, 3) ? s.begin + up_to(seed, 500) : WINDOW;
	if (s.is_there) {
		while (add_stretch(&s, seed, thread, is_row))
			s.nr++;
		s.is_there = s.has_account || s.nr;
	}
	if (s.begin && one_in(seed, 2))
		s.parent = (int)up_to(seed, THREADS);
	add_last_gap(&s, seed);
	return s;
}

static void log_story(struct log *l, u32 thread, const struct story *s)
{
	const u32 other[NR_BY - THREADS] = {l->timer, 0, 0};
	u64 ran = 0;

	for (u32 i = 0; i < s->nr; i++) {
		const struct stretch *at = &s->at[i];

		ran += at->ran;
		blocks(l, thread, at->by < THREADS ? l->by[at->by] : other[at->by - THREADS],
		       at->begin, at->woken, at->end, ran);
		if (at->by == BY_STILL)
			l->p.blocks.at[l->p.blocks.nr - 1].state |= WICK_STATE_STILL;
	}
	if (s->has_account && s->is_there)
		lives(l, thread, s->begin, s->end, ran + s->at[s->nr].ran);
	if (s->parent >= 0) {
		u32 hops[2] = {profile_hop(&l->p, &(struct hop){.leg = l->leg[thread]})};

		hops[1] = profile_hop(
			&l->p, &(struct hop){.cause = WICK_BY_FORK, .leg = l->leg[s->parent]});
		profile_chain(&l->p, hops, 2, WICK_CHAIN_FORK);
	}
}

static void random_log(struct log *l, u32 seed)
{
	bool is_row = seed % 3 == 0;

	log_init(l);
	for (u32 i = 0; i < THREADS; i++) {
		stories[i] = random_story(&seed, i, is_row);
		log_story(l, i, &stories[i]);
	}
}

/* ---- by the definition */

/* What each thread did that the first one waited for. */
struct sums {
	double ns[THREADS][WHY_NR];
};

static void explain_ns(struct sums *sums, u32 thread, u64 time, u64 path, u32 depth);

static void step_ns(struct sums *sums, u32 thread, u32 next, u64 time, u64 path, u32 depth)
{
	if (!stories[next].is_there)
		sums->ns[thread][WHY_STRANGER]++;
	else if (path >> next & 1)
		sums->ns[thread][WHY_CYCLE]++;
	else if (depth == WHY_MOST_STEPS)
		sums->ns[thread][WHY_DEPTH]++;
	else
		explain_ns(sums, next, time, path | 1ull << next, depth + 1);
}

static void explain_ns(struct sums *sums, u32 thread, u64 time, u64 path, u32 depth)
{
	const struct story *s = &stories[thread];
	const struct stretch *at = s->at;
	double *ns = sums->ns[thread];

	if (time >= s->end) {
		ns[WHY_GONE]++;
		return;
	}
	if (time < s->begin) {
		if (s->parent < 0)
			ns[WHY_BEFORE]++;
		else
			step_ns(sums, thread, (u32)s->parent, time, path, depth);
		return;
	}
	while (at < s->at + s->nr && time >= at->end)
		at++;
	if (time < at->begin) {
		double ran = (double)at->ran / (double)(at->begin - at->gap);

		ns[WHY_RAN] += ran;
		ns[WHY_SHORT_WAITS] += 1 - ran;
	} else if (time >= at->woken) {
		ns[WHY_NO_CPU]++;
	} else if (at->by < THREADS) {
		step_ns(sums, thread, at->by, time, path, depth);
	} else {
		ns[at->by == BY_TIMER	 ? WHY_INTERRUPT
		   : at->by == BY_UNSEEN ? WHY_UNKNOWN
					 : WHY_STILL]++;
	}
}

/* ---- both */

static u32 leg_of(const struct log *l, const struct why_pieces *pieces, u32 step)
{
	return step == WHY_NO_STEP ? l->leg[0] : pieces->steps.at[step].leg;
}

static bool leads_back(const struct log *l, const struct why_pieces *pieces,
		       const struct why_step *step)
{
	u32 to = step->leg, at = step->from;

	while (at != WHY_NO_STEP && pieces->steps.at[at].leg != to)
		at = pieces->steps.at[at].from;
	return at != WHY_NO_STEP || to == l->leg[0];
}

/* Each step leads from a thread in a block to what ended it, or from a new thread to its parent. */
static bool steps_are_right(const struct log *l, const struct why_pieces *pieces)
{
	vec_for_each (&pieces->steps, step) {
		u32 from = leg_of(l, pieces, step->from);

		if (leads_back(l, pieces, step))
			return false;

		if (step->block == WHY_NO_BLOCK) {
			u32 thread = l->p.legs.at[from].tid - 1;

			if (step->leg != l->leg[stories[thread].parent])
				return false;
		} else if (l->p.blocks.at[step->block].leg != from ||
			   why_hop(&l->p, &l->p.blocks.at[step->block])->leg != step->leg) {
			return false;
		}
	}
	return true;
}

/* One after the other, without a hole; both parts of a gap have its times. */
static bool times_are_right(const struct why_pieces *pieces, u64 from, u64 to)
{
	u64 begin = from, end = from;

	vec_for_each (&pieces->pieces, piece) {
		bool is_same = piece->what == WHY_SHORT_WAITS && piece->begin == begin &&
			       piece->end == end;

		if (!is_same && piece->begin != end)
			return false;
		begin = piece->begin;
		end = piece->end;
	}
	return end == to;
}

/* Sums of both, in which a gap's parts are whole nanoseconds. */
static bool sums_are_right(const struct log *l, const struct why_pieces *pieces, u64 from, u64 to)
{
	struct sums want = {}, got = {};
	u64 sum = 0;

	vec_for_each (&pieces->pieces, piece) {
		u32 thread = l->p.legs.at[leg_of(l, pieces, piece->step)].tid - 1;

		got.ns[thread][piece->what] += (double)piece->ns;
		sum += piece->ns;
	}
	for (u64 time = from; time < to; time++)
		explain_ns(&want, 0, time, 1, 0);
	for (u32 i = 0; i < THREADS; i++)
		for (u32 what = 0; what < WHY_NR; what++) {
			double slack = what == WHY_RAN || what == WHY_SHORT_WAITS
					       ? (double)pieces->pieces.nr
					       : 0;
			double off = want.ns[i][what] - got.ns[i][what];

			if (off > slack || -off > slack)
				return false;
		}
	return sum == to - from;
}

static void random_logs_are_read_as_by_the_definition(void)
{
	bool met[WHY_NR] = {};

	for (u32 seed = 1; seed <= SEEDS; seed++) {
		_cleanup_pieces_ struct why_pieces pieces = {};
		_cleanup_why_ struct why *why = NULL;
		_cleanup_log_ struct log l = {};
		u32 s = seed, from, to;

		random_log(&l, seed);
		from = up_to(&s, WINDOW - 100);
		to = one_in(&s, 4) ? WINDOW : from + up_to(&s, WINDOW - from);
		why = why_new(&l.p);
		why_explain(why, l.leg[0], from, to, &pieces);
		if (!sums_are_right(&l, &pieces, from, to) || !steps_are_right(&l, &pieces) ||
		    !times_are_right(&pieces, from, to))
			test_report("seed %u: not as by the definition", seed);
		vec_for_each (&pieces.pieces, piece)
			met[piece->what] = true;
	}
	for (u32 what = 0; what < WHY_NR; what++)
		if (!met[what] && what != WHY_LIMIT)
			test_report("no log has what is number %u", what);
}

int main(void)
{
	RUN(random_logs_are_read_as_by_the_definition);
	return test_status();
}
