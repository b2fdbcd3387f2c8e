/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view_fixture.h"
#include "why.h"

static const char timer_stack[] = "asm_sysvec_apic_timer_interrupt;hrtimer_interrupt;"
				  "__hrtimer_run_queues;hrtimer_wakeup;try_to_wake_up";

/* The chain of a wakeup by a leg, or by a timer: 0. */
static u32 ended(struct fixture *f, u32 by)
{
	struct hop hop = {.cause = WICK_BY_TASK, .leg = by, .user = f->user};
	u32 ref;

	if (!by)
		hop = (struct hop){.cause = WICK_BY_INTERRUPT,
				   .kernel = stack(f, FRAME_KERNEL, timer_stack)};
	ref = profile_hop(&f->p, &hop);
	return profile_chain(&f->p, &ref, 1, WICK_CHAIN_RUNNING);
}

/* A block, in milliseconds of the window, and how long it waited for a CPU after it. */
static void waits(struct fixture *f, u32 leg, const char *user, enum wick_object object, u32 by,
		  u64 begin, u64 woken, u64 no_cpu)
{
	profile_block(&f->p, &(struct block){
				     .leg = leg,
				     .user = stack(f, FRAME_USER, user),
				     .kernel = stack(f, FRAME_KERNEL,
						     object == WICK_OBJECT_LOCK
							     ? "futex_wait;__schedule"
							     : "do_nanosleep;__schedule"),
				     .chain = ended(f, by),
				     .state = 'S',
				     .begin = f->p.begin + begin * NSEC_PER_MSEC,
				     .woken = f->p.begin + woken * NSEC_PER_MSEC,
				     .end = f->p.begin + (woken + no_cpu) * NSEC_PER_MSEC,
				     .counted_block = (woken - begin) * NSEC_PER_MSEC,
				     .counted_wait = no_cpu * NSEC_PER_MSEC,
				     .before = no_cpu ? f->other : 0,
				     .object_kind = object,
			     });
}

static void lives(struct fixture *f, u32 leg, u64 running)
{
	profile_thread(&f->p, &(struct thread_time){.leg = leg,
						    .begin = f->p.begin,
						    .end = f->p.end,
						    .running = running * NSEC_PER_MSEC,
						    .ran = running * NSEC_PER_MSEC});
}

/* A wait of 100 ms for a lock: of its holder's time, 90 are a sleep, and 10 it ran. */
static void make_log(struct fixture *f)
{
	fixture_init(f);
	waits(f, f->sleeper, "main;takes", WICK_OBJECT_LOCK, f->waker, 100, 200, 7);
	waits(f, f->waker, "main;holds", 0, 0, 105, 195, 0);
	waits(f, f->other, "main;polls", 0, 0, 300, 800, 0);
	for (u32 i = 0; i < f->p.blocks.nr; i++)
		f->p.blocks.at[i].ran = i == 1 ? 105 * NSEC_PER_MSEC : 0;
	lives(f, f->waker, 10000 - 90);
}

static char *drawn(struct fixture *f, struct view_options options, u64 *sum)
{
	struct stack_sink sink;
	struct why *why;
	struct caption caption = {};
	struct call_tree tree;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct error error;

	why = why_new(&f->p);
	options.why = why;
	options.metric = metric_by_name(&why_view, NULL);
	caption.unit = options.metric->unit;
	call_tree_init(&tree, &f->p.names);
	sink = call_tree_sink(&tree);
	why_view.project(&f->p, &options, &sink);
	call_tree_finish(&tree);
	*sum = tree.sum;
	CHECK_EQ(format_by_name("folded")->write(&tree, &caption, out, &error), 0);
	fclose(out);
	call_tree_release(&tree);
	why_free(why);
	return text;
}

static void a_wait_is_as_wide_as_what_explains_it(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *lines = NULL, *again = NULL;
	struct why_summary summary;
	struct why *why;
	u64 sum;

	make_log(&f);
	lines = drawn(&f, f.options, &sum);
	again = drawn(&f, f.options, &sum);
	CHECK_STR(again, lines);
	CHECK_STR(lines,
		  "my_app;main;takes;futex_wait;__schedule;--;the_waker;main;holds;"
		  "do_nanosleep;__schedule;--;[timer: hrtimer_wakeup] 90000\n"
		  "my_app;main;takes;futex_wait;__schedule;--;the_waker;main;work;[ran] 10000\n"
		  "my_app;main;takes;futex_wait;__schedule;[runqueue];[had the CPU: other] "
		  "7000\n"
		  "other;[idle] 500000\n"
		  "the_waker;main;holds;do_nanosleep;__schedule;--;[timer: hrtimer_wakeup] "
		  "90000\n");
	why = why_new(&f.p);
	why_summarize(why, &summary);
	CHECK_EQ(sum, summary.ns);
	why_summary_release(&summary);
	why_free(why);
}

static void idle_time_is_one_box_of_a_process(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *lines = NULL;
	u64 sum;

	make_log(&f);
	/* The same thread with another name, and idle elsewhere. */
	profile_block(&f.p, &f.p.blocks.at[2]);
	f.p.blocks.at[3].leg =
		profile_leg(&f.p, &(struct leg){.pid = 30,
						.tid = 31,
						.image = f.p.legs.at[f.other].image,
						.comm = strings_adds(&f.p.names, "pool")});
	f.p.blocks.at[3].user = stack(&f, FRAME_USER, "start;polls_too");
	lines = drawn(&f, f.options, &sum);
	CHECK(strstr(lines, "other;[idle] 1000000\n"));
	CHECK(!strstr(lines, "polls"));
}

static void states_choose_waits(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *lines = NULL;
	struct view_options options;
	u64 sum;

	make_log(&f);
	options = f.options;
	CHECK_EQ(states_by_letters("Q", &options.states), 0);
	lines = drawn(&f, options, &sum);
	CHECK_EQ(sum, 7 * NSEC_PER_MSEC);
}

int main(void)
{
	RUN(a_wait_is_as_wide_as_what_explains_it);
	RUN(idle_time_is_one_box_of_a_process);
	RUN(states_choose_waits);
	return test_status();
}
