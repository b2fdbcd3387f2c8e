/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_memory.c: what a run says of page faults, brk and mmap. */
#include "report_fixture.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

struct row {
	u32 state;
	u64 first, second, third;
};

struct memory_case {
	struct row rows[4]; /* the first without a sum is the last */
	struct memory_account account, reserved;
	u64 processes_32_bit, not_done, lost;
	bool by_faults, huge_pages;
	const char *words, *subtitle;
};

static void fill(struct fixture *f, enum wick_kind kind, const struct memory_case *c)
{
	run_init(f);
	for (const struct row *row = c->rows; row->first || row->second; row++)
		counted(f, kind, f->sleeper, row->state, row->first, row->second, row->third);
	f->p.memory[kind == WICK_BRK ? MEMORY_BRK : MEMORY_MMAP] = c->account;
	f->p.memory[MEMORY_RESERVED] = c->reserved;
	f->p.processes_32_bit = c->processes_32_bit;
	f->p.failed_faults = c->not_done;
	f->p.by_faults = c->by_faults;
	f->p.huge_pages = c->huge_pages;
	if (c->lost)
		profile_loss(&f->p, "keys", NULL, kind, 0, c->lost);
}

static void check_cases(enum wick_kind kind, u32 needs, const char *view, const char *line,
			const struct memory_case *cases, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		_cleanup_fixture_ struct fixture f;
		_cleanup_free_ char *words = NULL, *subtitle = NULL;

		fill(&f, kind, &cases[i]);
		words = words_of(&f, needs, false);
		subtitle = subtitle_of(&f, view_by_name(view), (struct view_options){});
		CHECK_LINE(words, line, cases[i].words);
		CHECK(strstr(subtitle, "all processes, "));
		CHECK_STR(strstr(subtitle, "all processes, ") + strlen("all processes, "),
			  cases[i].subtitle);
	}
}

static void faults_are_told_apart(void)
{
	static const struct memory_case cases[] = {
		{.words =
			 "faults    0 faults, 0 B became resident, 0.000 s in them; 0 major (0.000 "
			 "s), 0 taken in the kernel",
		 .subtitle = "0 faults, 0 B became resident, 0.000 s in them"},
		{.rows = {{0, 1, 4 * KIB, 2000000}},
		 .by_faults = true,
		 .words = "faults    1 fault, 4.00 KiB (a page each: this run does not know what "
			  "became resident; too low where huge pages are used), 0.002 s in them; 0 "
			  "major (0.000 s), 0 taken in the kernel",
		 .subtitle = "1 fault, 4.00 KiB (a page each: this run does not know what became "
			     "resident; too low where huge pages are used), 0.002 s in them"},
		{.rows = {{0, 2, 8 * KIB, 2000000}},
		 .by_faults = true,
		 .huge_pages = true,
		 .words = "faults    2 faults, 8.00 KiB (a page each: this run does not know what "
			  "became resident; far too low, since transparent huge pages are set to "
			  "always here), 0.002 s in them; 0 major (0.000 s), 0 taken in the kernel",
		 .subtitle =
			 "2 faults, 8.00 KiB (a page each: this run does not know what became "
			 "resident; far too low, since transparent huge pages are set to always "
			 "here), 0.002 s in them"},
		{.rows = {{0, 1200, 8 * MIB, 2000000},
			  {WICK_MEMORY_MAJOR, 3, 12 * KIB, 5000000},
			  {WICK_MEMORY_IN_KERNEL, 2, 8 * KIB, 0},
			  {WICK_MEMORY_BY_CALL, 0, 1 * MIB, 0}},
		 .not_done = 1234,
		 .lost = 5,
		 .words = "faults    1,205 faults, 9.02 MiB became resident, 0.007 s in them; 3 "
			  "major (0.005 s), 2 taken in the kernel, 1.00 MiB made resident by "
			  "system calls; 1,234 begun and not done (a bad address, or a signal); "
			  "lost: keys 5",
		 .subtitle =
			 "1,205 faults, 9.02 MiB became resident, 0.007 s in them, lost: keys 5"},
	};

	check_cases(WICK_FAULT, NEED_FAULT, "faults", "faults", cases, ARRAY_SIZE(cases));
}

static void a_heap_grows_and_shrinks(void)
{
	static const struct memory_case cases[] = {
		{.words = "brk       0 B grown by 0 calls, 0 B shrunk (in all 0 B), 0 B "
			  "outstanding; 0 B/s",
		 .subtitle = "0 B grown, 0 B shrunk, 0 B outstanding"},
		{.rows = {{0, 1, 10 * MIB, 0}},
		 .account = {.given_back = 4 * MIB, .held = 5 * MIB, .gone = 1 * MIB},
		 .processes_32_bit = 1,
		 .words = "brk       10.0 MiB grown by 1 call, 4.00 MiB shrunk (in all 6.00 MiB), "
			  "1.00 MiB gone with their processes, 5.00 MiB outstanding; 1.00 MiB/s; "
			  "not seen: the calls of 1 process of 32 bits",
		 .subtitle = "10.0 MiB grown, 4.00 MiB shrunk, 5.00 MiB outstanding; not seen: the "
			     "calls of 1 process of 32 bits"},
		{.rows = {{0, 2, 1 * MIB, 0}},
		 .account = {.given_back = 4 * MIB},
		 .processes_32_bit = 2,
		 .lost = 7,
		 .words =
			 "brk       1.00 MiB grown by 2 calls, 4.00 MiB shrunk (in all -3.00 MiB), "
			 "0 B outstanding; 102 KiB/s; not seen: the calls of 2 processes of 32 "
			 "bits; lost: keys 7",
		 .subtitle =
			 "1.00 MiB grown, 4.00 MiB shrunk, 0 B outstanding; not seen: the calls of "
			 "2 processes of 32 bits, lost: keys 7"},
	};

	check_cases(WICK_BRK, NEED_BRK, "brk", "brk", cases, ARRAY_SIZE(cases));
}

static void mappings_without_access_are_counted_apart(void)
{
	static const struct memory_case cases[] = {
		{.words = "mmap      0 B mapped by 0 calls (0 B of files), 0 B unmapped, 0 B "
			  "outstanding; 0 B/s",
		 .subtitle = "0 B mapped, 0 B unmapped, 0 B outstanding"},
		{.rows = {{0, 1, 10 * MIB, 0}},
		 .account = {.unmapped = 2 * MIB, .gone = 3 * MIB, .held = 5 * MIB},
		 .lost = 1,
		 .words = "mmap      10.0 MiB mapped by 1 call (0 B of files), 2.00 MiB unmapped, "
			  "3.00 MiB gone with their processes, 5.00 MiB outstanding; 1.00 MiB/s; "
			  "lost: keys 1",
		 .subtitle =
			 "10.0 MiB mapped, 5.00 MiB unmapped, 5.00 MiB outstanding, lost: keys 1"},
		{.rows = {{0, 1, 1 * MIB, 0},
			  {WICK_MEMORY_FILE, 1, 4 * MIB, 0},
			  {WICK_MEMORY_RESERVED, 1, 64 * MIB, 0}},
		 .reserved = {.held = 32 * MIB},
		 .words = "mmap      5.00 MiB mapped by 2 calls (4.00 MiB of files), 0 B unmapped, "
			  "0 B outstanding; 512 KiB/s; 64.0 MiB reserved without access by 1 call, "
			  "32.0 MiB outstanding",
		 .subtitle = "5.00 MiB mapped, 0 B unmapped, 0 B outstanding, without 64.0 MiB "
			     "reserved without access by 1 call, 32.0 MiB outstanding"},
	};

	check_cases(WICK_MMAP, NEED_MMAP, "mmap", "mmap", cases, ARRAY_SIZE(cases));
}

static void a_subtitle_says_what_is_drawn(void)
{
	static const struct view_options outstanding = {.outstanding = true, .reserved = true};
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *brk = NULL, *mmap = NULL;

	run_init(&f);
	counted(&f, WICK_MMAP, f.sleeper, WICK_MEMORY_RESERVED, 2, 64 * MIB, 0);
	brk = subtitle_of(&f, view_by_name("brk"), outstanding);
	mmap = subtitle_of(&f, view_by_name("mmap"), outstanding);
	CHECK_SAYS(brk, "0 B outstanding: only that is drawn");
	CHECK_SAYS(mmap,
		   "0 B outstanding: only that is drawn, with 64.0 MiB reserved without access by "
		   "2 calls");
}

static void sums_at_their_largest_value_are_noted(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL, *subtitle = NULL;

	run_init(&f);
	counted(&f, WICK_MMAP, f.other, 0, 1, UINT64_MAX, 0);
	text = words_of(&f, NEED_MMAP, false);
	CHECK_SAYS(text, "16,777,216 TiB mapped by 1 call");
	CHECK_SAYS(text, "\nsums      2 sums have reached their largest value, 2^64 - 1: the true "
			 "ones are larger\n");
	subtitle = subtitle_of(&f, view_by_name("mmap"), (struct view_options){});
	CHECK_SAYS(subtitle, ", 2 sums have reached their largest value");
}

int main(void)
{
	RUN(faults_are_told_apart);
	RUN(a_heap_grows_and_shrinks);
	RUN(mappings_without_access_are_counted_apart);
	RUN(a_subtitle_says_what_is_drawn);
	RUN(sums_at_their_largest_value_are_noted);
	return test_status();
}
