/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_words.c: what a run says of samples, names, ends of walks and its cost. */
#include "report_fixture.h"

static void an_empty_run_has_little_to_say(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL, *all = NULL;

	run_init(&f);
	text = words_of(&f, NEED_CPU, false);
	CHECK_STR(text,
		  "samples   0 of 0 expected in 10.0 s at 99 Hz\n"
		  "seen      0 processes on CPU; the functions with the most time of their own:\n"
		  "  none: nothing that the options ask for ran\n"
		  "cost      wick 0.000 s of CPU time, its BPF programs 0.000 s (0.00 % of the "
		  "host), 0 MB\n");
	all = words_of(&f, 0, true);
	CHECK_STR(
		all,
		"stacks    of 0 samples with a user stack:\n"
		"cost      wick 0.000 s of CPU time, its BPF programs 0.000 s (0.00 % of the "
		"host), 0 MB\n"
		"  0 bodies, 0 bytes through the ring; 0 side-band records; mappings of 0 older "
		"processes read; BPF maps 0.0 MB\n"
		"  unwind tables: 0 files known to BPF, rows 0.00 of 0 MB in the kernel, 0.00 of 0 "
		"MB in user space; evicted 0 files, 0 regions, 0 tables; 0 being made at the end\n"
		"  0 copies of stacks walked in user space; 0 refused, cut where the walk had come "
		"to\n"
		"  0 user and 0 kernel stacks were remembered, not walked; 0 of them wrongly\n"
		"  wick's own process in the window: 0.000 s of CPU time, 0.00 % of the host\n"
		"  window open 0.0 ms after the start; files written 0.0 ms after its end\n");
}

static void runs(struct fixture *f, u32 leg, const char *frames, u64 samples)
{
	profile_count(&f->p, &(struct sample){.kind = WICK_CPU,
					      .leg = leg,
					      .user = stack(f, FRAME_USER, frames),
					      .column = {samples}});
}

static void samples_name_the_functions_on_top(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	run_init(&f);
	runs(&f, f.sleeper, "main;work", 700);
	runs(&f, f.waker, "main;wo\x01rk", 250);
	runs(&f, thread(&f, "my app", 10, 12), "main", 50);
	counted(&f, WICK_SCHED, f.other, 'S', 1, 1, 1);
	f.p.expected = 1980;
	profile_loss(&f.p, "samples that the kernel skipped", NULL, WICK_CPU, 0, 1200);
	profile_loss(&f.p, "keys that found no place", "[lost keys]", WICK_CPU, 0, 8);
	profile_loss(&f.p, "bodies", NULL, WICK_CPU, 0, 0);
	profile_loss(&f.p, "hops", NULL, WICK_SCHED, 0, 3);
	text = words_of(&f, NEED_CPU, false);
	CHECK_SAYS(text,
		   "samples   1,008 of 1,980 expected in 10.0 s at 99 Hz; lost: samples that the "
		   "kernel skipped 1,200, keys that found no place 8\n"
		   "seen      2 processes on CPU; the functions with the most time of their own:\n"
		   "   69.4 %  work\n"
		   "   24.8 %  wo\\x01rk\n"
		   "    5.0 %  main\n"
		   "    0.8 %  [lost keys]\n"
		   "names     100.0 % of user frames have one\n");
}

/* A stack of one user frame without a name. */
static void runs_nameless(struct fixture *f, enum frame_space space, u32 origin, u64 samples)
{
	u32 frame = profile_frame(&f->p, space, origin, 0x1000 + samples);

	profile_count(&f->p,
		      &(struct sample){.kind = WICK_CPU,
				       .leg = f->sleeper,
				       .user = profile_stack(&f->p, &frame, 1, WICK_COMPLETE),
				       .column = {samples}});
}

static void what_has_no_name_says_what_to_do(void)
{
	static const struct {
		enum frame_space space;
		struct profile_file file;
		const char *path;
		struct image image;
		const char *comm, *want;
	} cases[] = {
		{SPACE_FILE,
		 {.state = FILES_NO_SYMBOLS},
		 "/no/such/libx.so",
		 {},
		 NULL,
		 "libx.so, 25.0 %: no symbols: build it without stripping, install its debug file, or try --debuginfod"},
		{SPACE_FILE,
		 {.state = FILES_OK},
		 "",
		 {},
		 NULL,
		 ", 25.0 %: no symbols: build it without stripping, install its debug file, or try --debuginfod"},
		{SPACE_IMAGE,
		 {},
		 NULL,
		 {.pid = 7, .inner_pid = 3, .has_code = true, .state = FILES_NO_MAP},
		 "node",
		 "node 7, 25.0 %: no /tmp/perf-3.map: start it with --perf-basic-prof, "
		 "and --interpreted-frames-native-stack for functions that are not compiled"},
		{SPACE_IMAGE,
		 {},
		 NULL,
		 {.pid = 7, .inner_pid = 3, .has_code = true},
		 "own",
		 "own 7, 25.0 %: no /tmp/perf-3.map: its run-time code has no names unless its "
		 "runtime writes that file"},
		{SPACE_IMAGE,
		 {},
		 NULL,
		 {.pid = 7},
		 "short",
		 "short 7, 25.0 %: its memory map could not be read before it ended"},
		{SPACE_IMAGE, {}, NULL, {}, NULL, "unknown code, 25.0 %"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		_cleanup_free_ char *text = NULL, *want = NULL;
		u32 origin = 0;

		run_init(&f);
		runs(&f, f.sleeper, "main", 75);
		if (cases[i].path) {
			origin = profile_file(&f.p, cases[i].path);
			f.p.files.at[origin].state = cases[i].file.state;
		} else if (cases[i].comm) {
			struct image image = cases[i].image;

			image.comm = strings_adds(&f.p.names, cases[i].comm);
			origin = profile_image(&f.p, &image);
		}
		runs_nameless(&f, cases[i].space, origin, 25);
		text = words_of(&f, 0, false);
		want = format("names     75.0 %% of user frames have one; without:\n  %s\ncost ",
			      cases[i].want);
		CHECK_SAYS(text, want);
	}
}

static void the_worst_three_come_first(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *some = NULL, *all = NULL;

	run_init(&f);
	for (u32 i = 1; i <= 5; i++) {
		_cleanup_free_ char *path = format("/no/such/lib%u.so", i);

		runs_nameless(&f, SPACE_FILE, profile_file(&f.p, path), i);
		f.p.files.at[i].state = FILES_GONE;
	}
	some = words_of(&f, 0, false);
	all = words_of(&f, 0, true);
	CHECK_SAYS(some, "names     0.0 % of user frames have one; without:\n  lib5.so, 33.3 %: ");
	CHECK(strstr(some, "\n  lib3.so, 20.0 %: ") && !strstr(some, "lib2.so"));
	CHECK(strstr(all, "\n  lib2.so, 13.3 %: ") && strstr(all, "\n  lib1.so, 6.7 %: "));
}

static void more_names_need_more_rights(void)
{
	struct report_options options = {.missing_capabilities = "CAP_BPF, CAP_SYSLOG"};
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *before = NULL, *after = NULL;

	run_init(&f);
	before = printed(&f, &options, report_words);
	CHECK(!strstr(before, "names"));
	runs_nameless(&f, SPACE_FILE, 0, 1);
	f.p.unfollowed = true;
	f.p.naming.kernel_error = -EPERM;
	f.p.naming.files_without_time = 2;
	after = printed(&f, &options, report_words);
	CHECK_SAYS(after,
		   "names     0.0 % of user frames have one; without:\n"
		   "  unknown code, 100.0 %\n"
		   "names     lines of source: of 2 files, not all were found in time or memory; "
		   "--no-inlines does without them\n"
		   "names     of processes that ended in the run may be missing: perf events are "
		   "forbidden here, see `wick doctor`\n"
		   "names     there would be more with CAP_BPF, CAP_SYSLOG: see `wick doctor`\n"
		   "names     kernel frames have none (Operation not permitted): allow them with "
		   "`sysctl kernel.kptr_restrict=1` and run as root\n");
}

static void views_that_are_missing_are_named(void)
{
	static const struct missing_fact missing[] = {{"cpu", "why"}, {"wall", "why"}};
	const struct report_options options = {.missing = missing, .nr_missing = 2};
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	run_init(&f);
	text = printed(&f, &options, report_words);
	CHECK_SAYS(text, "missing   cpu wall: the first lines say why\ncost ");
}

static void walks_end(struct fixture *f, u32 file, enum wick_end end, u64 samples)
{
	u32 frame = profile_frame(&f->p, SPACE_FILE, file, end);

	profile_count(&f->p, &(struct sample){.kind = WICK_CPU,
					      .leg = f->sleeper,
					      .user = profile_stack(&f->p, &frame, 1, end),
					      .column = {samples}});
}

static void ends_are_told_by_cause_and_file(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;
	u32 a, b;

	run_init(&f);
	a = profile_file(&f.p, "/lib/a.so");
	b = profile_file(&f.p, "/lib/b.so");
	walks_end(&f, a, WICK_COMPLETE, 80);
	walks_end(&f, a, WICK_BAD_FRAME, 3);
	walks_end(&f, b, WICK_NO_UNWIND_INFO, 7);
	walks_end(&f, b, WICK_BAD_FRAME, 1);
	walks_end(&f, 0, WICK_TRUNCATED, 9);
	counted(&f, WICK_CPU, f.waker, 0, 5, 0, 0);
	text = words_of(&f, 0, true);
	CHECK_SAYS(text, "stacks    of 100 samples with a user stack:\n"
			 "    80.00 %  complete (80)\n"
			 "     9.00 %  truncated at the depth limit (9)\n"
			 "     7.00 %  no unwind information (7)\n"
			 "     4.00 %  bad frame (4)\n"
			 "     5.00 %  no user stack (not broken) (5)\n"
			 "  where the broken ones stopped:\n"
			 "    (no file), truncated at the depth limit 9\n"
			 "    b.so, no unwind information 7, bad frame 1\n"
			 "    a.so, bad frame 3\n"
			 "cost ");
}

static void the_cost_is_of_the_host(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL, *all = NULL;

	run_init(&f);
	f.p.cost.cpu_ns = 150 * NSEC_PER_MSEC;
	f.p.cost.max_resident_bytes = 50 << 20;
	f.p.cost.start_ns = 1500000;
	*vec_add(&f.p.cost.programs) = (struct program_cost){.name = "sched_switch",
							     .runs = 100000,
							     .timed_runs = 10,
							     .timed_ns = 5009,
							     .walks = 20,
							     .walk_ns = 100000};
	*vec_add(&f.p.cost.programs) = (struct program_cost){.name = "untimed", .runs = 7};
	text = words_of(&f, 0, false);
	all = words_of(&f, 0, true);
	CHECK_STR(text,
		  "cost      wick 0.150 s of CPU time, its BPF programs 0.050 s (1.00 % of the "
		  "host), 50 MB\n");
	CHECK_SAYS(
		all,
		" MB\n  sched_switch             100000 runs, 500 ns each; 20 with a walk, 5000 ns each\n"
		"  untimed                       7 runs, 0 ns each; 0 with a walk, 0 ns each\n"
		"  0 bodies");
	CHECK_SAYS(all, "\n  window open 1.5 ms after the start; ");
}

int main(void)
{
	RUN(an_empty_run_has_little_to_say);
	RUN(samples_name_the_functions_on_top);
	RUN(what_has_no_name_says_what_to_do);
	RUN(the_worst_three_come_first);
	RUN(more_names_need_more_rights);
	RUN(views_that_are_missing_are_named);
	RUN(ends_are_told_by_cause_and_file);
	RUN(the_cost_is_of_the_host);
	return test_status();
}
