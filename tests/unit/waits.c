/* SPDX-License-Identifier: GPL-2.0-or-later */
/* waits.c: what a run says of threads that waited. */
#include "test.h"
#include "cmd/summary.h"

struct fixture {
	struct profile p;
	struct run_cost cost;
	u32 leg;
};

static u32 thread(struct fixture *f, u32 tid)
{
	struct leg leg = {.pid = 10, .tid = tid, .start_ns = tid};

	leg.comm = strings_adds(&f->p.names, "app");
	return profile_leg(&f->p, &leg);
}

static void fixture_init(struct fixture *f)
{
	*f = (struct fixture){};
	profile_init(&f->p);
	f->p.host = strings_adds(&f->p.names, "host");
	f->p.kernel_release = strings_adds(&f->p.names, "6.18");
	f->p.event = strings_adds(&f->p.names, "cpu-clock");
	f->p.filters = strings_adds(&f->p.names, "");
	f->p.nr_cpus = 2;
	f->p.frequency = 99;
	f->p.begin = 100 * NSEC_PER_SEC;
	f->p.end = 110 * NSEC_PER_SEC;
	f->leg = thread(f, 11);
	for (size_t i = 0; i < ARRAY_SIZE(f->cost.thresholds); i++)
		f->cost.thresholds[i].above_ns = NSEC_PER_MSEC << i;
}

static void fixture_release(struct fixture *f)
{
	profile_release(&f->p);
}

#define _cleanup_fixture_ _cleanup_(fixture_release)

static void wait_for(struct fixture *f, u32 leg, u32 state, u64 ms)
{
	profile_count(&f->p,
		      &(struct sample){.kind = WICK_SCHED,
				       .state = state,
				       .leg = leg,
				       .column = {1, ms * NSEC_PER_MSEC, ms * NSEC_PER_MSEC}});
}

static void account_for(struct fixture *f, u32 tid, u64 running_ms, u64 blocked_ms)
{
	*vec_add(&f->p.threads) = (struct thread_time){
		.leg = thread(f, tid),
		.begin = f->p.begin,
		.end = f->p.end,
		.running = running_ms * NSEC_PER_MSEC,
		.blocked = blocked_ms * NSEC_PER_MSEC,
	};
}

static char *said(struct fixture *f, bool all)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	print_waits(out, &f->p, &f->cost, all);
	fclose(out);
	return text;
}

#define CHECK_SAYS(text, part)                                                                     \
	do {                                                                                       \
		if (!strstr(text, part))                                                           \
			test_report("%s:%d: \"%s\" does not say \"%s\"", __FILE__, __LINE__, text, \
				    part);                                                         \
	} while (0)

static void sums_are_by_state(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	fixture_init(&f);
	wait_for(&f, f.leg, 'S', 1234567);
	wait_for(&f, f.leg, 'D', 20);
	wait_for(&f, f.leg, 'D' | WICK_STATE_IO, 30);
	wait_for(&f, f.leg, 'Q', 7);
	wait_for(&f, f.leg, 'R' | WICK_STATE_STILL, 8);
	profile_loss(&f.p, "keys that found no place", "[lost keys]", WICK_SCHED, 1, 9000000);
	profile_loss(&f.p, "hops", NULL, WICK_SCHED, 0, 3);
	text = said(&f, false);
	CHECK_SAYS(text, "off-CPU   1,234.641 s in 10.0 s: blocked 1,234.617 s "
			 "(S 1,234.567 s, D 0.050 s; of it I/O 0.030 s), run queue 0.007 s, "
			 "preempted 0.008 s; lost: keys that found no place 0.009 s, hops 3\n");
	CHECK(!strstr(text, "never ran"));
}

static void threads_that_never_ran_are_counted_once(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;
	u32 never = WICK_STATE_NEVER_RAN | WICK_STATE_STILL;

	fixture_init(&f);
	wait_for(&f, thread(&f, 20), 'S' | never, 1000);
	wait_for(&f, thread(&f, 20), 'D' | never, 9000);
	wait_for(&f, thread(&f, 21), 'Q' | never, 10000);
	wait_for(&f, f.leg, 'S', 5000);
	text = said(&f, false);
	CHECK_SAYS(text, "never ran 2 threads: S 1.000 s, D 9.000 s; run queue 10.000 s\n");
}

static void the_account_is_all_threads_time(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL, *all = NULL;

	fixture_init(&f);
	account_for(&f, 20, 4000, 6000);
	account_for(&f, 21, 0, 9901);
	account_for(&f, 22, 1000, 9200);
	text = said(&f, false);
	CHECK_SAYS(text, "account   3 threads: running 5.000 s + run queue 0.000 s + "
			 "preempted 0.000 s + blocked 25.101 s = 30.101 s of 30.000 s expected, "
			 "difference 0.101000 s (0.337 %)\n");
	CHECK_SAYS(text, "\n  off by more than 1 %: app-10/22: running 1.000 s + ");
	CHECK(!strstr(text, "app-10/20"));
	CHECK(!strstr(text, "app-10/21"));
	all = said(&f, true);
	CHECK_SAYS(all, "\n  app-10/20: running 4.000 s");
	CHECK_SAYS(all, "\n  app-10/21: ");
	CHECK_SAYS(all, "difference -0.099000 s (0.990 %)\n");
}

static void the_longest_blocks_come_first(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;
	size_t lines = 0;
	u32 function, frame, stack;

	fixture_init(&f);
	function = profile_function(&f.p, "do_poll", 7, "", FRAME_KERNEL, true);
	frame = profile_frame(&f.p, SPACE_KERNEL, 0, 1);
	f.p.frames.at[frame].function = function;
	stack = profile_stack(&f.p, &frame, 1, WICK_COMPLETE);
	for (u64 i = 1; i <= 30; i++)
		*vec_add(&f.p.blocks) = (struct block){
			.leg = f.leg,
			.kernel = stack,
			.state = i == 30 ? 'D' | WICK_STATE_IO : 'S' | WICK_STATE_STILL,
			.end = f.p.begin + i * NSEC_PER_SEC / 4,
			.ns = i * NSEC_PER_MSEC,
		};
	/* It would be the first. */
	*vec_add(&f.p.blocks) = (struct block){.leg = f.leg,
					       .state = 'S' | WICK_STATE_NEVER_RAN,
					       .end = f.p.end,
					       .ns = 10 * NSEC_PER_SEC};
	text = said(&f, false);
	CHECK_SAYS(text, "where\n     7.470 s       30.000 ms  app-10/11  D I/O  do_poll\n"
			 "     7.221 s       29.000 ms  app-10/11  S  do_poll  still blocked\n");
	for (const char *at = text; (at = strstr(at, " ms  app")); at++)
		lines++;
	CHECK_EQ(lines, 20);
	/* The profile's own order is nobody's to change. */
	CHECK_EQ(f.p.blocks.at[0].ns, NSEC_PER_MSEC);
}

static u32 kernel_stack(struct fixture *f, const char *leaf)
{
	const char *const names[] = {"schedule", leaf, "do_syscall_64"};
	u32 frames[ARRAY_SIZE(names)];

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		frames[i] = profile_frame(&f->p, SPACE_KERNEL, 0, (u64)(names[i][0] + i * 1000));
		f->p.frames.at[frames[i]].function =
			profile_function(&f->p, names[i], strlen(names[i]), "", FRAME_KERNEL, true);
	}
	return profile_stack(&f->p, frames, ARRAY_SIZE(names), WICK_COMPLETE);
}

static void stands(struct fixture *f, u32 tid, u32 state, u32 kernel, u64 ms)
{
	profile_count(&f->p,
		      &(struct sample){.kind = WICK_SCHED,
				       .state = state | WICK_STATE_STILL,
				       .leg = thread(f, tid),
				       .kernel = kernel,
				       .column = {1, ms * NSEC_PER_MSEC, ms * NSEC_PER_MSEC}});
}

static void threads_are_grouped_by_place_the_stuck_ones_first(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	u32 waits, writes;

	fixture_init(&f);
	waits = kernel_stack(&f, "futex_wait");
	writes = kernel_stack(&f, "writes_back");
	for (u32 i = 0; i < 30; i++)
		stands(&f, 20 + i, 'S', waits, 1000 + i);
	stands(&f, 60, 'S', kernel_stack(&f, "polls"), 90000);
	stands(&f, 61, 'D' | WICK_STATE_IO, writes, 2500);
	stands(&f, 62, 'D' | WICK_STATE_IO, writes, 3500);
	stands(&f, 63, 'I', waits, 5000);
	stands(&f, 64, WICK_STATE_ON_CPU, 0, 0);
	print_standing(out, &f.p);
	fclose(out);
	CHECK_SAYS(text, "threads   35: 31 asleep (S), 2 uninterruptible (D), "
			 "1 idle kernel threads (I), 1 on a CPU\n");
	CHECK_SAYS(text, "\n       2          3.500 s  D I/O  app  writes_back\n"
			 "      30          1.029 s  S  app  futex_wait\n"
			 "       1         90.000 s  S  app  polls\n");
	CHECK(!strstr(text, "more"));
}

static char *subtitle_of(struct fixture *f, const char *name, struct view_options options)
{
	const struct view *view = view_by_name(name);
	struct call_tree tree;
	char *text;

	options.metric = metric_by_name(view, NULL);
	call_tree_init(&tree, &f->p.names);
	view->project(&f->p, &options, &tree);
	call_tree_finish(&tree);
	text = subtitle(&f->p, view, &options, &f->cost, &tree);
	call_tree_release(&tree);
	return text;
}

static void a_subtitle_says_what_the_view_is_of(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *cpu = NULL, *offcpu = NULL, *wall = NULL, *wakeup = NULL;

	fixture_init(&f);
	wait_for(&f, f.leg, 'S', 1500);
	profile_count(&f.p, &(struct sample){.kind = WICK_CPU, .leg = f.leg, .column = {7}});
	f.cost.thresholds[0].ruled_ns = 100;
	cpu = subtitle_of(&f, "cpu", (struct view_options){});
	offcpu = subtitle_of(&f, "offcpu", (struct view_options){});
	wall = subtitle_of(&f, "wall", (struct view_options){});
	wakeup = subtitle_of(&f, "wakeup", (struct view_options){});
	CHECK_SAYS(cpu, "10.0 s, 2 CPUs, all processes, 7 samples at 99 Hz cpu-clock");
	CHECK_SAYS(offcpu, "10.0 s, 2 CPUs, all processes, 1.500 s off-CPU");
	CHECK_SAYS(wall, "all processes, 7 samples at 99 Hz cpu-clock, 1.500 s off-CPU");
	CHECK_SAYS(wakeup, "1.500 s off-CPU, without 1.500 s that no waker ended");
	CHECK(!strstr(offcpu, "without") && !strstr(offcpu, "walked") && !strstr(offcpu, "Hz"));
	CHECK(!strstr(cpu, "off-CPU"));
}

static void a_subtitle_says_what_was_left_out(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;
	struct view_options options = {.no_never_ran = true, .no_still_blocked = true};

	fixture_init(&f);
	wait_for(&f, f.leg, 'S', 1500);
	wait_for(&f, f.leg, 'Q', 100);
	wait_for(&f, f.leg, 'S' | WICK_STATE_STILL, 200);
	wait_for(&f, f.leg, 'S' | WICK_STATE_STILL | WICK_STATE_NEVER_RAN, 400);
	f.cost.thresholds[0].ruled_ns = 300;
	f.cost.thresholds[1].ruled_ns = 100;
	CHECK_EQ(states_by_letters("S", &options.states), 0);
	text = subtitle_of(&f, "offcpu", options);
	CHECK_SAYS(text,
		   "2.200 s off-CPU, without 0.100 s in other states than --state asks for, "
		   "without 0.400 s of threads that never ran, without 0.200 s that had not "
		   "ended, all blocks walked from 1 ms (75.0 % of the time), 2 ms (25.0 %) on");
}

static void the_threshold_is_said_in_the_summary(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	fixture_init(&f);
	f.cost.thresholds[0].ruled_ns = 300;
	text = said(&f, false);
	CHECK_SAYS(text, "walked    all blocks from 1 ms (100.0 % of the time) on;");
}

int main(void)
{
	RUN(sums_are_by_state);
	RUN(threads_that_never_ran_are_counted_once);
	RUN(the_account_is_all_threads_time);
	RUN(the_longest_blocks_come_first);
	RUN(threads_are_grouped_by_place_the_stuck_ones_first);
	RUN(a_subtitle_says_what_the_view_is_of);
	RUN(a_subtitle_says_what_was_left_out);
	RUN(the_threshold_is_said_in_the_summary);
	return test_status();
}
