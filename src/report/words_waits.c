/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words_waits.c: the summary's lines on threads that waited, and on threads as they are. */
#include "format.h"
#include "words.h"

enum { LONGEST = 20, WORST = 10, PLACES = 20 };

/* ---- time by state */

/* "S 1.000 s, D 0.100 s; of it I/O 0.090 s" */
static void add_blocked(struct strbuf *b, const struct state_times *times)
{
	const char *before = "";

	for (size_t i = 0; i <= NR_LETTERS; i++) {
		char letter = i < NR_LETTERS ? STATE_LETTERS[i] : '?';

		if (STATES_RUNNABLE & 1u << i || !times->ns[i])
			continue;
		strbuf_addf(b, "%s%c ", before, letter);
		add_seconds(b, times->ns[i]);
		before = ", ";
	}
	if (times->io) {
		strbuf_adds(b, "; of it I/O ");
		add_seconds(b, times->io);
	}
}

static void print_states(FILE *to, const struct facts *f)
{
	const struct state_times *states = &f->waits.states;
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, "off-CPU   ");
	add_seconds(&line, f->waits.all);
	strbuf_addf(&line, " in %.1f s: blocked ", seconds(f->run.length_ns));
	add_seconds(&line, states->blocked);
	if (states->blocked) {
		strbuf_adds(&line, " (");
		add_blocked(&line, states);
		strbuf_addc(&line, ')');
	}
	strbuf_adds(&line, ", run queue ");
	add_seconds(&line, states->ns[letter_index('Q')]);
	strbuf_adds(&line, ", preempted ");
	add_seconds(&line, states->ns[letter_index('R')]);
	add_losses(&line, f, WICK_SCHED, "; lost: ");
	print_line(to, &line);
}

static void print_never_ran(FILE *to, const struct wait_facts *waits)
{
	_cleanup_strbuf_ struct strbuf line = {};

	if (!waits->nr_never_ran)
		return;
	strbuf_adds(&line, "never ran ");
	strbuf_add_number(&line, waits->nr_never_ran);
	strbuf_addf(&line, " thread%s: ", plural(waits->nr_never_ran));
	add_blocked(&line, &waits->never_ran);
	for (const char *letter = "QR"; *letter; letter++) {
		u64 ns = waits->never_ran.ns[letter_index((u32)*letter)];

		if (!ns)
			continue;
		strbuf_adds(&line, *letter == 'Q' ? "; run queue " : "; preempted ");
		add_seconds(&line, ns);
	}
	print_line(to, &line);
}

static void print_walked(FILE *to, const struct wait_facts *waits)
{
	_cleanup_strbuf_ struct strbuf line = {};

	if (!waits->blocks)
		return;
	strbuf_adds(&line, "walked    ");
	add_walked(&line, waits);
	print_line(to, &line);
}

static void print_kept(FILE *to, const struct wait_facts *waits)
{
	_cleanup_strbuf_ struct strbuf line = {};

	add_kept(&line, waits);
	if (line.size)
		print_line(to, &line);
}

/* ---- the account */

static void add_difference(struct strbuf *b, u64 is, u64 should)
{
	u64 difference = is > should ? is - should : should - is;

	strbuf_addf(b, ", difference %s%.6f s (%.3f %%)", is < should ? "-" : "",
		    seconds(difference), percent(difference, should));
}

/* " + run queue 1.000 s" */
static void add_term(struct strbuf *b, const char *before, u64 ns)
{
	strbuf_adds(b, before);
	add_seconds(b, ns);
}

static void add_account(struct strbuf *b, const struct time_account *a)
{
	add_term(b, "running ", a->running);
	add_term(b, " + run queue ", a->queued);
	add_term(b, " + preempted ", a->preempted);
	add_term(b, " + blocked ", a->blocked);
	if (a->unaccounted)
		add_term(b, " + unaccounted ", a->unaccounted);
	add_term(b, " = ", a->sum);
	add_term(b, " of ", a->expected);
	strbuf_adds(b, " expected");
	add_difference(b, a->sum, a->expected);
}

/* A second source: what the scheduler's own clock has counted meanwhile. */
static void add_clock(struct strbuf *b, const struct time_account *a)
{
	add_term(b, "by the scheduler's clock they ran ", a->ran);
	add_difference(b, a->running, a->ran);
}

static void add_cpus(struct strbuf *b, const struct cpu_account *a)
{
	add_term(b, "threads ", a->running);
	add_term(b, " + idle ", a->idle);
	add_term(b, " = ", a->sum);
	add_term(b, " of ", a->expected);
	add_difference(b, a->sum, a->expected);
}

static void print_threads(FILE *to, const struct wait_facts *waits, size_t shown)
{
	_cleanup_strbuf_ struct strbuf line = {};

	for (size_t i = 0; i < min(waits->threads.nr, shown); i++) {
		const struct account_row *row = &waits->threads.at[i];

		strbuf_adds(&line, row->off ? "  does not fit: " : "  ");
		add_thread(&line, &row->thread);
		strbuf_adds(&line, ": ");
		add_account(&line, &row->time);
		strbuf_adds(&line, "; ");
		add_clock(&line, &row->time);
		print_line(to, &line);
	}
	if (waits->threads.nr > shown)
		fprintf(to, "  and %zu more threads: --stats shows them\n",
			waits->threads.nr - shown);
}

static void print_second_source(FILE *to, const struct wait_facts *waits)
{
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, "          ");
	add_clock(&line, &waits->account);
	print_line(to, &line);
	if (waits->nr_cpus) {
		strbuf_addf(&line, "          %u CPU%s: ", waits->nr_cpus, plural(waits->nr_cpus));
		add_cpus(&line, &waits->cpus);
		print_line(to, &line);
	}
	vec_for_each (&waits->off_cpus, cpu) {
		strbuf_addf(&line, "  does not fit: CPU %u: ", cpu->cpu);
		add_cpus(&line, cpu);
		print_line(to, &line);
	}
}

static void print_account(FILE *to, const struct facts *f)
{
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, "account   ");
	strbuf_add_number(&line, f->waits.nr_threads);
	strbuf_addf(&line, " thread%s: ", plural(f->waits.nr_threads));
	add_account(&line, &f->waits.account);
	print_line(to, &line);
	print_second_source(to, &f->waits);
	print_threads(to, &f->waits, f->options.all ? SIZE_MAX : WORST);
}

/* ---- the longest blocks */

static void print_block(FILE *to, const struct block_fact *block)
{
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_addf(&line, "  %8.3f s %12.3f ms  ", seconds(block->begin), (double)block->ns / 1e6);
	add_thread(&line, &block->thread);
	strbuf_addf(&line, "  %c%s  %s", (int)(block->state & WICK_STATE_LETTER),
		    block->state & WICK_STATE_IO ? " I/O" : "", block->place.s);
	if (block->waker.size)
		strbuf_addf(&line, "  woken by %s", block->waker.s);
	if (block->state & WICK_STATE_STILL)
		strbuf_adds(&line, "  still blocked");
	print_line(to, &line);
}

static void print_longest(FILE *to, const struct wait_facts *waits)
{
	if (waits->longest.nr)
		fprintf(to, "longest   blocks of threads that ran: when, how long, who, where\n");
	for (size_t i = 0; i < min(waits->longest.nr, (size_t)LONGEST); i++)
		print_block(to, &waits->longest.at[i]);
}

void waits_words(FILE *to, const struct facts *f)
{
	print_states(to, f);
	print_never_ran(to, &f->waits);
	print_walked(to, &f->waits);
	print_kept(to, &f->waits);
	print_account(to, f);
	print_longest(to, &f->waits);
}

/* ---- threads as they are */

static void print_kinds(FILE *to, const struct standing_facts *standing)
{
	static const char *const what[NR_LETTERS + 1] = {
		"asleep (S)",  "uninterruptible (D)", "idle kernel threads (I)",
		"stopped (T)", "preempted",	      "waiting for a CPU",
		"on a CPU",
	};
	_cleanup_strbuf_ struct strbuf line = {};
	unsigned int kinds = 0;

	strbuf_adds(&line, "threads   ");
	strbuf_add_number(&line, standing->all);
	for (size_t i = 0; i < ARRAY_SIZE(what); i++)
		if (standing->nr[i])
			strbuf_addf(&line, "%s %llu %s", kinds++ ? "," : ":",
				    (unsigned long long)standing->nr[i], what[i]);
	print_line(to, &line);
}

static void print_place(FILE *to, const struct standing_row *row)
{
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_addf(&line, "  %6llu %14.3f s  %c%s  ", (unsigned long long)row->nr,
		    seconds(row->longest_ns), (int)(row->state & WICK_STATE_LETTER),
		    row->state & WICK_STATE_IO ? " I/O" : "");
	add_string(&line, row->comm);
	strbuf_addf(&line, "  %s", row->place.s);
	print_line(to, &line);
}

void standing_words(FILE *to, const struct facts *f)
{
	const struct standing_facts *standing = &f->standing;
	size_t shown = min(standing->places.nr, (size_t)PLACES);
	u64 left = 0;

	print_kinds(to, standing);
	if (standing->places.nr)
		fputs("where     how many threads, the longest for how long, state, name, place\n",
		      to);
	for (size_t i = 0; i < shown; i++)
		print_place(to, &standing->places.at[i]);
	for (size_t i = shown; i < standing->places.nr; i++)
		left += standing->places.at[i].nr;
	if (left)
		fprintf(to, "  %6llu more, at other places\n", (unsigned long long)left);
}
