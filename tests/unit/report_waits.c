/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_waits.c: what a run says of threads that waited, and of threads as they are. */
#include "report_fixture.h"

static u32 app(struct fixture *f, u32 tid)
{
	return thread(f, "app", 10, tid);
}

static void wait_for(struct fixture *f, u32 leg, u32 state, u64 ms)
{
	counted(f, WICK_SCHED, leg, state, 1, ms * NSEC_PER_MSEC, ms * NSEC_PER_MSEC);
}

static void account_for(struct fixture *f, u32 tid, u64 running_ms, u64 blocked_ms)
{
	*vec_add(&f->p.threads) = (struct thread_time){
		.leg = app(f, tid),
		.begin = f->p.begin,
		.end = f->p.end,
		.running = running_ms * NSEC_PER_MSEC,
		.ran = running_ms * NSEC_PER_MSEC,
		.blocked = blocked_ms * NSEC_PER_MSEC,
	};
}

static void sums_are_by_state(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	run_init(&f);
	wait_for(&f, f.sleeper, 'S', 1234567);
	wait_for(&f, f.sleeper, 'D', 20);
	wait_for(&f, f.sleeper, 'D' | WICK_STATE_IO, 30);
	wait_for(&f, f.sleeper, 'Q', 7);
	wait_for(&f, f.sleeper, 'R' | WICK_STATE_STILL, 8);
	profile_loss(&f.p, "keys that found no place", "[lost keys]", WICK_SCHED, 1, 9000000);
	profile_loss(&f.p, "hops", NULL, WICK_SCHED, 0, 3);
	text = words_of(&f, NEED_SCHED, false);
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

	run_init(&f);
	wait_for(&f, app(&f, 20), 'S' | never, 1000);
	wait_for(&f, app(&f, 20), 'D' | never, 9000);
	wait_for(&f, app(&f, 21), 'Q' | never, 10000);
	wait_for(&f, f.sleeper, 'S', 5000);
	text = words_of(&f, NEED_SCHED, false);
	CHECK_SAYS(text, "never ran 2 threads: S 1.000 s, D 9.000 s; run queue 10.000 s\n");
}

static void the_account_is_all_threads_time(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL, *all = NULL;

	run_init(&f);
	account_for(&f, 20, 4000, 6000);
	account_for(&f, 21, 0, 9901);
	account_for(&f, 22, 1000, 9200);
	text = words_of(&f, NEED_SCHED, false);
	CHECK_SAYS(text, "account   3 threads: running 5.000 s + run queue 0.000 s + "
			 "preempted 0.000 s + blocked 25.101 s = 30.101 s of 30.000 s expected, "
			 "difference 0.101000 s (0.337 %)\n");
	CHECK_SAYS(text, "\n  does not fit: app-10/22: running 1.000 s + ");
	CHECK(!strstr(text, "app-10/20"));
	CHECK(!strstr(text, "app-10/21"));
	all = words_of(&f, NEED_SCHED, true);
	CHECK_SAYS(all, "\n  app-10/20: running 4.000 s");
	CHECK_SAYS(all, "\n  app-10/21: ");
	CHECK_SAYS(all,
		   "difference -0.099000 s (0.990 %); by the scheduler's clock they ran 0.000 s, ");
}

/* By a second clock; and what it does not have is time that was not seen. */
static void the_account_has_a_second_source(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;
	struct thread_time t = {.begin = 0, .end = 10 * NSEC_PER_SEC};

	run_init(&f);
	t.leg = app(&f, 20);
	t.running = t.ran = 4 * NSEC_PER_SEC;
	t.blocked = 6 * NSEC_PER_SEC;
	profile_thread(&f.p, &t);
	t.leg = app(&f, 21);
	t.running = 10 * NSEC_PER_SEC;
	t.ran = 1 * NSEC_PER_SEC;
	t.blocked = 0;
	profile_thread(&f.p, &t);
	*profile_cpu(&f.p, 1) = (struct cpu_time){4 * NSEC_PER_SEC, 4 * NSEC_PER_SEC};
	*profile_cpu(&f.p, 0) = (struct cpu_time){9 * NSEC_PER_SEC, 1 * NSEC_PER_SEC};
	CHECK(f.p.threads.at[0].unaccounted == 0);
	CHECK(f.p.threads.at[1].unaccounted == 9 * NSEC_PER_SEC);
	text = words_of(&f, NEED_SCHED, false);
	CHECK_SAYS(text,
		   " + blocked 6.000 s + unaccounted 9.000 s = 20.000 s of 20.000 s expected, "
		   "difference 0.000000 s (0.000 %)\n"
		   "          by the scheduler's clock they ran 5.000 s, difference 0.000000 s "
		   "(0.000 %)\n"
		   "          2 CPUs: threads 13.000 s + idle 5.000 s = 18.000 s of 20.000 s, "
		   "difference -2.000000 s (10.000 %)\n"
		   "  does not fit: CPU 1: threads 4.000 s + idle 4.000 s = 8.000 s of 10.000 s, "
		   "difference -2.000000 s (20.000 %)\n"
		   "  does not fit: app-10/21: running 1.000 s + ");
	CHECK(!strstr(text, "app-10/20"));
}

/* One that is over `woken`, after `ns`; then it waits for a CPU. */
static void add_block(struct fixture *f, u32 state, u32 kernel, u64 woken, u64 ns)
{
	profile_block(&f->p, &(struct block){
				     .leg = f->sleeper,
				     .kernel = kernel,
				     .state = state,
				     .begin = woken - ns,
				     .woken = woken,
				     .end = woken + NSEC_PER_MSEC,
			     });
}

static void the_longest_blocks_come_first(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;
	size_t lines = 0;
	u32 poll;

	run_init(&f);
	poll = stack(&f, FRAME_KERNEL, "do_poll");
	for (u64 i = 1; i <= 30; i++)
		add_block(&f, i == 30 ? 'D' | WICK_STATE_IO : 'S' | WICK_STATE_STILL, poll,
			  f.p.begin + i * NSEC_PER_SEC / 4, i * NSEC_PER_MSEC);
	/* These would be the first. */
	add_block(&f, 'S' | WICK_STATE_NEVER_RAN, 0, f.p.end, 10 * NSEC_PER_SEC);
	add_block(&f, 'R', 0, f.p.end, 10 * NSEC_PER_SEC);
	text = words_of(&f, NEED_SCHED, false);
	CHECK_SAYS(text, "where\n     7.470 s       30.000 ms  my app-10/11  D I/O  do_poll\n"
			 "     7.221 s       29.000 ms  my app-10/11  S  do_poll  still blocked\n");
	for (const char *at = text; (at = strstr(at, " ms  my app")); at++)
		lines++;
	CHECK_EQ(lines, 20);
	/* The profile keeps its order. */
	CHECK_EQ(block_ns(&f.p.blocks.at[0]), NSEC_PER_MSEC);
}

static void stands(struct fixture *f, u32 tid, u32 state, u32 kernel, u64 ms)
{
	profile_count(&f->p,
		      &(struct sample){.kind = WICK_SCHED,
				       .state = state | WICK_STATE_STILL,
				       .leg = app(f, tid),
				       .kernel = kernel,
				       .column = {1, ms * NSEC_PER_MSEC, ms * NSEC_PER_MSEC}});
}

static u32 waits_in(struct fixture *f, const char *function)
{
	_cleanup_free_ char *path = format("do_syscall_64;%s;schedule", function);

	return stack(f, FRAME_KERNEL, path);
}

static void threads_are_grouped_by_place_the_stuck_ones_first(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;
	u32 waits, writes;

	run_init(&f);
	waits = waits_in(&f, "futex_wait");
	writes = waits_in(&f, "writes_back");
	for (u32 i = 0; i < 30; i++)
		stands(&f, 20 + i, 'S', waits, 1000 + i);
	stands(&f, 60, 'S', waits_in(&f, "polls"), 90000);
	stands(&f, 61, 'D' | WICK_STATE_IO, writes, 2500);
	stands(&f, 62, 'D' | WICK_STATE_IO, writes, 3500);
	stands(&f, 63, 'I', waits, 5000);
	stands(&f, 64, WICK_STATE_ON_CPU, 0, 0);
	text = words_of(&f, NEED_THREADS, false);
	CHECK_SAYS(text, "threads   35: 31 asleep (S), 2 uninterruptible (D), "
			 "1 idle kernel threads (I), 1 on a CPU\n");
	CHECK_SAYS(text, "\n       2          3.500 s  D I/O  app  writes_back\n"
			 "      30          1.029 s  S  app  futex_wait\n"
			 "       1         90.000 s  S  app  polls\n");
	CHECK(!strstr(text, "more"));
}

static void places_beyond_the_bound_are_counted(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	run_init(&f);
	for (u32 i = 0; i < 25; i++) {
		_cleanup_free_ char *name = format("place_%02u", i);

		stands(&f, 20 + i, 'S', waits_in(&f, name), 1000 - i);
	}
	text = words_of(&f, NEED_THREADS, false);
	CHECK_SAYS(text, "  S  app  place_19\n       5 more, at other places\n");
	CHECK(!strstr(text, "place_20"));
}

static void a_block_says_where_it_was_and_what_ended_it(void)
{
	static const struct {
		const char *user, *kernel, *waker;
		enum wick_cause cause;
		const char *want;
	} cases[] = {
		{"main;work", "do_syscall_64;ksys_read;schedule;__schedule", "do_send",
		 WICK_BY_TASK, "ksys_read < work < main  woken by the waker-20/20"},
		{"main", "do_syscall_64;ksys_read;schedule;__schedule;trace", NULL, 0,
		 "ksys_read < main"},
		{"a;b;c;d;e;f;g", NULL, NULL, 0, "g < f < e < d < c"},
		{NULL, "do_syscall_64;schedule", NULL, 0, "schedule"},
		{NULL, NULL, NULL, 0, "[not walked]"},
		{"main", NULL,
		 "asm_sysvec_apic_timer_interrupt;hrtimer_interrupt;__hrtimer_run_queues;"
		 "tick_fires;try_to_wake_up",
		 WICK_BY_INTERRUPT, "main  woken by [timer: tick_fires]"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		_cleanup_free_ char *text = NULL, *want = NULL;
		struct block block = {.state = 'S'};

		run_init(&f);
		block.leg = f.sleeper;
		block.end = block.woken = f.p.begin + NSEC_PER_SEC;
		block.begin = block.woken - 1500000;
		block.user = cases[i].user ? stack(&f, FRAME_USER, cases[i].user) : 0;
		block.kernel = cases[i].kernel ? stack(&f, FRAME_KERNEL, cases[i].kernel) : 0;
		if (cases[i].waker) {
			u32 by = profile_hop(&f.p, &(struct hop){.cause = cases[i].cause,
								 .leg = f.waker,
								 .kernel = stack(&f, FRAME_KERNEL,
										 cases[i].waker)});

			block.chain = profile_chain(&f.p, &by, 1, WICK_CHAIN_RUNNING);
		}
		*vec_add(&f.p.blocks) = block;
		text = words_of(&f, NEED_SCHED, false);
		want = format("     0.999 s        1.500 ms  my app-10/11  S  %s", cases[i].want);
		CHECK_LINE(text, "     0.99", want);
	}
}

static void a_subtitle_says_what_the_view_is_of(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *cpu = NULL, *offcpu = NULL, *wall = NULL, *wakeup = NULL;

	run_init(&f);
	wait_for(&f, f.sleeper, 'S', 1500);
	counted(&f, WICK_CPU, f.sleeper, 0, 7, 0, 0);
	f.p.cost.blocks.thresholds[0].ruled_ns = 100;
	cpu = subtitle_of(&f, view_by_name("cpu"), (struct view_options){});
	offcpu = subtitle_of(&f, view_by_name("offcpu"), (struct view_options){});
	wall = subtitle_of(&f, view_by_name("wall"), (struct view_options){});
	wakeup = subtitle_of(&f, view_by_name("wakeup"), (struct view_options){});
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

	run_init(&f);
	wait_for(&f, f.sleeper, 'S', 1500);
	wait_for(&f, f.sleeper, 'Q', 100);
	wait_for(&f, f.sleeper, 'S' | WICK_STATE_STILL, 200);
	wait_for(&f, f.sleeper, 'S' | WICK_STATE_STILL | WICK_STATE_NEVER_RAN, 400);
	f.p.cost.blocks.blocks = 1000;
	f.p.cost.blocks.walked = 250;
	CHECK_EQ(states_by_letters("S", &options.states), 0);
	text = subtitle_of(&f, view_by_name("offcpu"), options);
	CHECK_SAYS(text,
		   "2.200 s off-CPU, without 0.100 s in other states than --state asks for, "
		   "without 0.400 s of threads that never ran, without 0.200 s that had not ended, "
		   "25.0 % of the blocks walked, for all");
}

static void a_subtitle_of_threads_says_what_states_it_lacks(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *all = NULL, *some = NULL;
	struct view_options options = {};

	run_init(&f);
	stands(&f, 20, 'S', 0, 1);
	stands(&f, 21, 'D', 0, 1);
	stands(&f, 22, 'D', 0, 1);
	all = subtitle_of(&f, &threads_view, options);
	CHECK_EQ(states_by_letters("S", &options.states), 0);
	some = subtitle_of(&f, &threads_view, options);
	CHECK(!strstr(all, "without"));
	CHECK_SAYS(some, "all processes, without 2 threads in other states than --state asks for");
}

static void blocks_that_only_the_recording_has_are_said_in_the_summary(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	run_init(&f);
	text = words_of(&f, NEED_SCHED, false);
	CHECK(!strstr(text, "kept "));
	free(text);
	f.p.dropped_blocks = 1200;
	f.p.shortest_block = 3000001;
	text = words_of(&f, NEED_SCHED, false);
	CHECK_SAYS(text, "kept      in memory: blocks of 3.000 ms and more; 1,200 shorter ones are "
			 "only in parts of the recording (--from, --to)\n");
}

static void the_threshold_is_said_in_the_summary(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *text = NULL;

	run_init(&f);
	f.p.cost.blocks.blocks = 2000;
	f.p.cost.blocks.walked = 500;
	f.p.cost.blocks.thresholds[0].ruled_ns = 300;
	text = words_of(&f, NEED_SCHED, false);
	CHECK_SAYS(text, "walked    500 of 2,000 blocks (25.0 %), which stand for all; "
			 "all from 1 ms (100.0 % of the time) on\n");
	free(text);
	f.p.cost.blocks.thresholds[1].ruled_ns = 100;
	f.p.cost.blocks.thresholds[4].ruled_ns = 100;
	text = words_of(&f, NEED_SCHED, false);
	CHECK_SAYS(text, "; all from 1 ms (60.0 % of the time), at most 16 ms (20.0 %) on\n");
}

int main(void)
{
	RUN(sums_are_by_state);
	RUN(threads_that_never_ran_are_counted_once);
	RUN(the_account_is_all_threads_time);
	RUN(the_account_has_a_second_source);
	RUN(the_longest_blocks_come_first);
	RUN(threads_are_grouped_by_place_the_stuck_ones_first);
	RUN(places_beyond_the_bound_are_counted);
	RUN(a_block_says_where_it_was_and_what_ended_it);
	RUN(a_subtitle_says_what_the_view_is_of);
	RUN(a_subtitle_says_what_was_left_out);
	RUN(a_subtitle_of_threads_says_what_states_it_lacks);
	RUN(blocks_that_only_the_recording_has_are_said_in_the_summary);
	RUN(the_threshold_is_said_in_the_summary);
	return test_status();
}
