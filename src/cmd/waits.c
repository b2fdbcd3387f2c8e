/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits.c: what the scheduler's instrument saw, in a few lines: sums, the longest blocks, and the
 * account.
 */
#include "summary.h"
#include "words.h"

enum {
	LONGEST = 20,
	WORST = 10,
	NS = 1, /* column of a sched sample */
};

u64 sched_ns(const struct profile *p)
{
	return profile_sum(p, WICK_SCHED, NS, 0, 0);
}

/* ---- by state */

/* The last one of `ns` is for letters that are not in STATE_LETTERS. */
struct sums {
	u64 ns[NR_LETTERS + 1], io;
};

static void add_to_sums(struct sums *sums, const struct sample *sample)
{
	sums->ns[letter_index(sample->state)] += sample->column[NS];
	if (sample->state & WICK_STATE_IO)
		sums->io += sample->column[NS];
}

static bool is_blocked(size_t letter)
{
	return letter == NR_LETTERS ||
	       (STATE_LETTERS[letter] != 'R' && STATE_LETTERS[letter] != 'Q');
}

static u64 blocked_ns(const struct sums *sums)
{
	u64 ns = 0;

	for (size_t i = 0; i <= NR_LETTERS; i++)
		ns += is_blocked(i) ? sums->ns[i] : 0;
	return ns;
}

/* "S 1.000 s, D 0.100 s (I/O 0.090 s)" */
static void add_blocked_states(struct strbuf *b, const struct sums *sums)
{
	const char *before = "";

	for (size_t i = 0; i <= NR_LETTERS; i++) {
		char letter = i < NR_LETTERS ? STATE_LETTERS[i] : '?';

		if (!is_blocked(i) || !sums->ns[i])
			continue;
		strbuf_addf(b, "%s%c ", before, letter);
		add_seconds(b, sums->ns[i]);
		before = ", ";
	}
	if (sums->io) {
		strbuf_adds(b, "; of it I/O ");
		add_seconds(b, sums->io);
	}
}

static void print_states(FILE *to, const struct profile *p)
{
	_cleanup_strbuf_ struct strbuf line = {};
	struct sums sums = {};

	vec_for_each (&p->samples, sample)
		if (sample->kind == WICK_SCHED)
			add_to_sums(&sums, sample);
	strbuf_adds(&line, "off-CPU   ");
	add_seconds(&line, sched_ns(p));
	strbuf_addf(&line, " in %.1f s: blocked ", seconds(p->end - p->begin));
	add_seconds(&line, blocked_ns(&sums));
	if (blocked_ns(&sums)) {
		strbuf_adds(&line, " (");
		add_blocked_states(&line, &sums);
		strbuf_addc(&line, ')');
	}
	strbuf_adds(&line, ", run queue ");
	add_seconds(&line, sums.ns[letter_index('Q')]);
	strbuf_adds(&line, ", preempted ");
	add_seconds(&line, sums.ns[letter_index('R')]);
	add_losses(&line, p, WICK_SCHED, "; lost: ");
	print_line(to, &line);
}

/* ---- threads that never ran */

static bool same_thread(const struct leg *a, const struct leg *b)
{
	return a->tid == b->tid && a->pid == b->pid && a->start_ns == b->start_ns;
}

/* True the first time. */
static bool see_thread(struct table *seen, const struct profile *p, u32 ref)
{
	const struct leg *leg = &p->legs.at[ref];
	u64 hash = hash_u64(hash_u64((u64)leg->pid << 32 | leg->tid) ^ leg->start_ns);
	struct table_probe probe = table_probe(seen, hash);

	while (table_next(&probe))
		if (same_thread(&p->legs.at[probe.ref], leg))
			return false;
	table_insert(seen, hash, ref);
	return true;
}

static void print_never_ran(FILE *to, const struct profile *p)
{
	_cleanup_strbuf_ struct strbuf line = {};
	struct table seen = {};
	struct sums sums = {};
	u64 nr = 0;

	vec_for_each (&p->samples, sample) {
		if (sample->kind != WICK_SCHED || !(sample->state & WICK_STATE_NEVER_RAN))
			continue;
		nr += see_thread(&seen, p, sample->leg);
		add_to_sums(&sums, sample);
	}
	table_release(&seen);
	if (!nr)
		return;
	strbuf_adds(&line, "never ran ");
	add_number(&line, nr);
	strbuf_addf(&line, " thread%s: ", nr == 1 ? "" : "s");
	add_blocked_states(&line, &sums);
	for (const char *letter = "QR"; *letter; letter++) {
		u64 ns = sums.ns[letter_index((u32)*letter)];

		if (!ns)
			continue;
		strbuf_adds(&line, *letter == 'Q' ? "; run queue " : "; preempted ");
		add_seconds(&line, ns);
	}
	print_line(to, &line);
}

/* ---- which blocks were walked */

static void add_thresholds(struct strbuf *b, const struct run_cost *cost)
{
	u64 all = 0;
	const char *before = "";

	for (size_t i = 0; i < ARRAY_SIZE(cost->thresholds); i++)
		all += cost->thresholds[i].ruled_ns;
	for (size_t i = 0; i < ARRAY_SIZE(cost->thresholds); i++) {
		const struct walk_threshold *t = &cost->thresholds[i];

		if (!t->ruled_ns)
			continue;
		strbuf_addf(b, "%s%g ms (%.1f %%%s)", before, (double)t->above_ns / 1e6,
			    percent(t->ruled_ns, all), *before ? "" : " of the time");
		before = ", ";
	}
}

void add_risen_thresholds(struct strbuf *b, const struct run_cost *cost)
{
	u64 risen = 0;

	for (size_t i = 1; i < ARRAY_SIZE(cost->thresholds); i++)
		risen += cost->thresholds[i].ruled_ns;
	if (!risen)
		return;
	strbuf_adds(b, ", all blocks walked from ");
	add_thresholds(b, cost);
	strbuf_adds(b, " on");
}

static void print_thresholds(FILE *to, const struct run_cost *cost)
{
	_cleanup_strbuf_ struct strbuf line = {};

	add_thresholds(&line, cost);
	if (!line.size)
		return;
	fprintf(to, "walked    all blocks from %s on; of shorter ones, some for all\n", line.s);
}

/* ---- the longest blocks */

static int compare_blocks(const void *a, const void *b)
{
	const struct block *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return x->leg < y->leg ? -1 : x->leg > y->leg;
}

/* When it began, behind the window's begin. */
static double begin_seconds(const struct profile *p, const struct block *block)
{
	u64 begin = block->end - min(block->ns, block->end);

	return begin > p->begin ? seconds(begin - p->begin) : 0;
}

/* `when` is what a line begins with. */
static void print_block(FILE *to, struct profile *p, const struct block *block, const char *when)
{
	_cleanup_strbuf_ struct strbuf line = {}, waker = {};
	u32 state = block->state;

	strbuf_addf(&line, "  %s%12.3f ms  ", when, (double)block->ns / 1e6);
	add_thread(&line, p, block->leg);
	strbuf_addf(&line, "  %c%s  ", (int)(state & WICK_STATE_LETTER),
		    state & WICK_STATE_IO ? " I/O" : "");
	block_where(p, block, &line);
	block_waker(p, block, &waker);
	if (waker.size)
		strbuf_addf(&line, "  woken by %s", waker.s);
	if (state & WICK_STATE_STILL)
		strbuf_adds(&line, "  still blocked");
	print_line(to, &line);
}

static void print_longest(FILE *to, struct profile *p)
{
	VEC(struct block) blocks = {};

	/* Thousands of idle daemons would leave no room for what went wrong. */
	vec_for_each (&p->blocks, block)
		if (!(block->state & WICK_STATE_NEVER_RAN))
			*vec_add(&blocks) = *block;
	vec_sort(&blocks, compare_blocks);
	if (blocks.nr)
		fprintf(to, "longest   blocks of threads that ran: when, how long, who, where\n");
	for (size_t i = 0; i < min(blocks.nr, (size_t)LONGEST); i++) {
		_cleanup_free_ char *when = format("%8.3f s ", begin_seconds(p, &blocks.at[i]));

		print_block(to, p, &blocks.at[i], when);
	}
	vec_release(&blocks);
}

/* ---- the account: every thread's time is all of its time */

static u64 accounted(const struct thread_time *t)
{
	return t->running + t->queued + t->preempted + t->blocked;
}

static u64 difference(const struct thread_time *t)
{
	u64 sum = accounted(t), expected = t->end - t->begin;

	return sum > expected ? sum - expected : expected - sum;
}

static bool is_off(const struct thread_time *t)
{
	return difference(t) > (t->end - t->begin) / 100;
}

static void add_times(struct strbuf *b, const struct thread_time *t)
{
	strbuf_adds(b, "running ");
	add_seconds(b, t->running);
	strbuf_adds(b, " + run queue ");
	add_seconds(b, t->queued);
	strbuf_adds(b, " + preempted ");
	add_seconds(b, t->preempted);
	strbuf_adds(b, " + blocked ");
	add_seconds(b, t->blocked);
	strbuf_adds(b, " = ");
	add_seconds(b, accounted(t));
	strbuf_adds(b, " of ");
	add_seconds(b, t->end - t->begin);
	strbuf_addf(b, " expected, difference %s%.6f s (%.3f %%)",
		    accounted(t) < t->end - t->begin ? "-" : "", seconds(difference(t)),
		    percent(difference(t), t->end - t->begin));
}

static int compare_threads(const void *a, const void *b)
{
	const struct thread_time *x = a, *y = b;
	u64 dx = difference(x), dy = difference(y);

	if (dx != dy)
		return dx > dy ? -1 : 1;
	return x->leg < y->leg ? -1 : x->leg > y->leg;
}

/* Those that are off by more than 1 %, the most nanoseconds first; or all. */
static void print_threads(FILE *to, const struct profile *p, bool all)
{
	_cleanup_strbuf_ struct strbuf line = {};
	VEC(struct thread_time) threads = {};

	vec_for_each (&p->threads, t)
		if (all || is_off(t))
			*vec_add(&threads) = *t;
	vec_sort(&threads, compare_threads);
	for (size_t i = 0; i < threads.nr && (all || i < WORST); i++) {
		strbuf_adds(&line, is_off(&threads.at[i]) ? "  off by more than 1 %: " : "  ");
		add_thread(&line, p, threads.at[i].leg);
		strbuf_adds(&line, ": ");
		add_times(&line, &threads.at[i]);
		print_line(to, &line);
	}
	if (!all && threads.nr > WORST)
		fprintf(to, "  and %zu more threads: --stats shows them\n", threads.nr - WORST);
	vec_release(&threads);
}

static void print_account(FILE *to, const struct profile *p, bool all)
{
	_cleanup_strbuf_ struct strbuf line = {};
	struct thread_time sum = profile_threads_time(p);

	strbuf_adds(&line, "account   ");
	add_number(&line, p->threads.nr);
	strbuf_addf(&line, " thread%s: ", p->threads.nr == 1 ? "" : "s");
	add_times(&line, &sum);
	print_line(to, &line);
	print_threads(to, p, all);
}

void print_waits(FILE *to, struct profile *p, const struct run_cost *cost, bool all)
{
	print_states(to, p);
	print_never_ran(to, p);
	print_thresholds(to, cost);
	print_account(to, p, all);
	print_longest(to, p);
}
