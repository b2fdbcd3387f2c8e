/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_chain.c: waits that are split over what their wakers did, and idle time. */
#include "view_fixture.h"

#include "base/numbers.h"

static const char timer_stack[] = "asm_sysvec_apic_timer_interrupt;hrtimer_interrupt;"
				  "__hrtimer_run_queues;hrtimer_wakeup;try_to_wake_up";

#define TIMER                                                                                      \
	"--;try_to_wake_up;hrtimer_wakeup;__hrtimer_run_queues;hrtimer_interrupt;"                 \
	"asm_sysvec_apic_timer_interrupt;[timer: hrtimer_wakeup]"

/* The chain of a wakeup by a leg, or by a timer: 0. */
static u32 ended(struct fixture *f, u32 by)
{
	struct hop hop = {.cause = WICK_BY_TASK, .leg = by, .user = f->user};
	u32 ref;

	if (!by)
		hop = (struct hop){.cause = WICK_BY_INTERRUPT,
				   .kernel = stack(f, FRAME_KERNEL, timer_stack)};
	ref = profile_hop(&f->p, &hop);
	return profile_chain(&f->p, &ref, 1, by ? WICK_CHAIN_BEFORE : WICK_CHAIN_INTERRUPT);
}

/* A block, in milliseconds of the window, of which the counts have `counted`. */
static void blocks(struct fixture *f, u32 leg, const char *user, enum wick_object object, u32 by,
		   u64 begin, u64 woken, u64 counted)
{
	const struct block block = {
		.leg = leg,
		.user = stack(f, FRAME_USER, user),
		.kernel = stack(f, FRAME_KERNEL,
				object == WICK_OBJECT_LOCK ? "futex_wait" : "do_nanosleep"),
		.chain = ended(f, by),
		.state = 'S',
		.begin = f->p.begin + begin * NSEC_PER_MSEC,
		.woken = f->p.begin + woken * NSEC_PER_MSEC,
		.end = f->p.begin + woken * NSEC_PER_MSEC,
		.counted_block = counted * NSEC_PER_MSEC,
		.object_kind = object,
	};

	profile_block(&f->p, &block);
	profile_count(&f->p, &(struct sample){.kind = WICK_SCHED,
					      .state = block.state,
					      .leg = block.leg,
					      .user = block.user,
					      .kernel = block.kernel,
					      .chain = block.chain,
					      .column = {1, block.counted_block, 0}});
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
static void make_log(struct fixture *f, u64 counted)
{
	fixture_init(f);
	f->p.depth = 8;
	blocks(f, f->sleeper, "main;takes", WICK_OBJECT_LOCK, f->waker, 100, 200, counted);
	blocks(f, f->waker, "main;holds", 0, 0, 105, 195, 90);
	blocks(f, f->other, "main;polls", 0, 0, 300, 800, 500);
	f->p.blocks.at[1].ran = 105 * NSEC_PER_MSEC;
	lives(f, f->waker, 10000 - 90);
}

#define TAKES  "my_app;main;takes;futex_wait;"
#define HOLDER "the_waker;main;holds;do_nanosleep;" TIMER " 90000\n"

static void a_line_is_as_wide_as_the_time_that_was_spent_there(void)
{
	_cleanup_fixture_ struct fixture f;

	make_log(&f, 100);
	CHECK_LINES(&f, "chain",
		    TAKES "--;do_nanosleep;holds;main;the_waker;" TIMER " 90000\n" TAKES
			  "--;work;main;the_waker;[was running] 10000\n"
			  "other;[idle] 500000\n" HOLDER);
	CHECK_LINES_BY(&f, "chain", "count",
		       TAKES "--;do_nanosleep;holds;main;the_waker;" TIMER " 1\n"
			     "other;[idle] 1\n"
			     "the_waker;main;holds;do_nanosleep;" TIMER " 1\n");
	f.options.depth = 1;
	CHECK_LINES(&f, "chain",
		    TAKES "--;do_nanosleep;holds;main;the_waker;[depth] 90000\n" TAKES
			  "--;work;main;the_waker;[was running] 10000\n"
			  "other;[idle] 500000\n" HOLDER);
}

/* It stands for 50 ms of shorter ones; or a part of it is counted with others. */
static void what_was_not_logged_is_split_as_what_was(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_fixture_ struct fixture less;

	make_log(&f, 150);
	CHECK_LINES(&f, "chain",
		    TAKES "--;do_nanosleep;holds;main;the_waker;" TIMER " 135000\n" TAKES
			  "--;work;main;the_waker;[was running] 15000\n"
			  "other;[idle] 500000\n" HOLDER);
	make_log(&less, 10);
	CHECK_LINES(&less, "chain",
		    TAKES "--;do_nanosleep;holds;main;the_waker;" TIMER " 9000\n" TAKES
			  "--;work;main;the_waker;[was running] 1000\n"
			  "other;[idle] 500000\n" HOLDER);
}

static void a_waker_that_is_left_out_is_not_split(void)
{
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	blocks(&f, f.sleeper, "main;takes", WICK_OBJECT_LOCK, f.waker, 100, 200, 100);
	CHECK_LINES(&f, "chain",
		    TAKES "[not split];--;work;main;the_waker;[before the window] 100000\n");
}

static void idle_time_is_one_box_or_all_or_none(void)
{
	static const struct {
		const char *view, *box, *full, *others;
	} cases[] = {
		{"offcpu", "other;[idle] 500000\n", "other;main;polls;do_nanosleep 500000\n",
		 "my_app;main;takes;futex_wait 100000\n"},
		{"offwake", "other;[idle] 500000\n",
		 "other;main;polls;do_nanosleep;" TIMER " 500000\n",
		 TAKES "--;work;main;the_waker 100000\n"},
		{"chain", "other;[idle] 500000\n",
		 "other;main;polls;do_nanosleep;" TIMER " 500000\n",
		 TAKES "--;work;main;the_waker;[was running] 10000\n"},
		{"wall", "other;[off-CPU];[idle] 500000\n",
		 "other;[off-CPU];main;polls;do_nanosleep 500000\n",
		 "my_app;[off-CPU];main;takes;futex_wait 100000\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		_cleanup_free_ char *box = NULL, *full = NULL, *none = NULL;

		make_log(&f, 100);
		box = lines_in(&f, cases[i].view, NULL, false);
		f.options.idle = true;
		full = lines_in(&f, cases[i].view, NULL, false);
		f.options.idle = false;
		f.options.no_idle = true;
		none = lines_in(&f, cases[i].view, NULL, false);
		CHECK(strstr(box, cases[i].box) && !strstr(box, "polls"));
		CHECK(strstr(full, cases[i].full) && !strstr(full, "[idle]"));
		CHECK(!strstr(none, "[idle]") && !strstr(none, "polls"));
		CHECK(strstr(box, cases[i].others) && strstr(full, cases[i].others) &&
		      strstr(none, cases[i].others));
	}
}

static void what_is_left_out_is_known(void)
{
	_cleanup_fixture_ struct fixture f;
	struct why *why;

	make_log(&f, 100);
	why = why_new(&f.p);
	f.options.why = why;
	CHECK_EQ(view_left_out(&f.p, &f.options).idle, 0);
	f.options.no_idle = true;
	CHECK_EQ(view_left_out(&f.p, &f.options).idle, 500 * NSEC_PER_MSEC);
	why_free(why);
}

/* What the log has nothing of goes with what it has of the same stack; else it has no class. */
static void time_without_an_entry_is_as_the_others_of_its_sample(void)
{
	_cleanup_fixture_ struct fixture f;

	make_log(&f, 100);
	profile_count(&f.p, &f.p.samples.at[2]);
	profile_count(&f.p, &(struct sample){.kind = WICK_SCHED,
					     .state = 'S' | WICK_STATE_SHORT,
					     .leg = f.other,
					     .column = {3, 7 * NSEC_PER_MSEC, 0}});
	CHECK_LINES(&f, "offcpu",
		    "my_app;main;takes;futex_wait 100000\nother;[idle] 1000000\n"
		    "other;[short sleeps] 7000\nthe_waker;main;holds;do_nanosleep 90000\n");
}

/* ---- classes */

/* By class, all of a tree; returns the sum. */
static u64 sum_classes(const struct call_tree *tree, u64 ns[WHY_UNTOLD + 1])
{
	u64 sum = 0;

	memset(ns, 0, (WHY_UNTOLD + 1) * sizeof(*ns));
	for (u32 node = 0; node < tree->nr; node++) {
		u64 own = 0;

		for (const struct tree_part *part = tree_first_part(tree, node); part;
		     part = tree_next_part(tree, part)) {
			ns[part->class] += part->value;
			own += part->value;
		}
		CHECK(own <= tree->at[node].self);
		sum += own;
	}
	return sum;
}

/* "work: lock 12 cpu 3; " of all boxes that have something of their own. */
static char *classes_in(struct fixture *f, const char *view)
{
	struct strbuf b = {};
	struct call_tree tree;
	u32 node = 0;

	project(f, view, "us", &tree);
	do {
		const struct tree_part *part = tree_first_part(&tree, node);

		if (part || tree.at[node].self)
			strbuf_addf(&b, "%s:", tree_name(&tree, tree.at[node].frame.name).s);
		for (; part; part = tree_next_part(&tree, part))
			strbuf_addf(&b, " %s %llu",
				    part->class == WHY_UNTOLD ? "short waits"
							      : why_class_names[part->class],
				    (unsigned long long)(part->value / NSEC_PER_MSEC));
		if (tree.at[node].self)
			strbuf_adds(&b, "; ");
		node = call_tree_next(&tree, node);
	} while (node);
	call_tree_release(&tree);
	return strbuf_detach(&b);
}

#define CHECK_CLASSES(f, view, want)                                                               \
	do {                                                                                       \
		_cleanup_free_ char *found = classes_in(f, view);                                  \
		CHECK_STR(found, want);                                                            \
	} while (0)

static void counted(struct fixture *f, u32 state, u64 ms)
{
	profile_count(&f->p, &(struct sample){.kind = WICK_SCHED,
					      .state = state,
					      .leg = f->other,
					      .column = {1, ms * NSEC_PER_MSEC, 0}});
}

#define OTHERS                                                                                     \
	"[idle]: idle 500; [runqueue]: cpu 5; [short sleeps]: short waits 7; "                     \
	"[throttled]: throttled 3; "

/* A line of a chain has the class of the wait that it begins with. */
static void what_is_drawn_has_the_class_of_the_wait(void)
{
	_cleanup_fixture_ struct fixture f;

	make_log(&f, 100);
	counted(&f, 'S' | WICK_STATE_SHORT, 7);
	counted(&f, 'Q', 5);
	counted(&f, 'R' | WICK_STATE_THROTTLED, 3);
	CHECK_CLASSES(&f, "offcpu", "futex_wait: lock 100; " OTHERS "do_nanosleep: sleep 90; ");
	CHECK_CLASSES(&f, "offwake",
		      "the_waker: lock 100; " OTHERS "[timer: hrtimer_wakeup]: sleep 90; ");
	CHECK_CLASSES(&f, "chain",
		      "[timer: hrtimer_wakeup]: lock 90; [was running]: lock 10; " OTHERS
		      "[timer: hrtimer_wakeup]: sleep 90; ");
	CHECK_CLASSES(&f, "wall",
		      "futex_wait: lock 100; " OTHERS "do_nanosleep: sleep 90; [not sampled]:; ");
	CHECK_CLASSES(&f, "wakeup", "other:; the waker:; my app:; ");
}

static void boxes_that_are_cut_leave_their_classes_to_their_callers(void)
{
	_cleanup_(operations_release) struct operations operations = {};
	_cleanup_fixture_ struct fixture f;
	struct error error;

	make_log(&f, 100);
	counted(&f, 'S' | WICK_STATE_SHORT, 7);
	CHECK_EQ(operations_add(&operations, OPERATION_MIN_PERCENT, "30", &error), 0);
	f.options.operations = &operations;
	f.options.group = GROUP_CGROUP;
	CHECK_CLASSES(&f, "offcpu",
		      "cgroup-0: lock 100 sleep 90 short waits 7; [idle]: idle 500; ");
}

static u32 up_to(u32 *seed, u32 n)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 8) % n;
}

static void random_log(struct fixture *f, u32 seed)
{
	static const char *const places[] = {"main;a", "main;a;b", "main;c;d;e"};
	u32 legs[4];

	fixture_init(f);
	f->p.depth = 1 + up_to(&seed, 4);
	legs[0] = f->sleeper;
	legs[1] = f->waker;
	legs[2] = f->other;
	legs[3] = 0;
	for (u32 i = 0; i < 3; i++) {
		u64 at = up_to(&seed, 100);

		while (at < 5000) {
			u64 woken = at + 1 + up_to(&seed, 300);

			blocks(f, legs[i], places[up_to(&seed, 3)],
			       up_to(&seed, 2) ? WICK_OBJECT_LOCK : 0, legs[up_to(&seed, 4)], at,
			       woken, up_to(&seed, 3) ? woken - at : up_to(&seed, 400));
			at = woken + up_to(&seed, 50);
		}
		lives(f, legs[i], 3000);
	}
}

/* By the sleeper's own stack, too: what is above the first -- is what was split. */
static void all_views_have_the_same_time(void)
{
	static const char *const by[] = {"ns", "count"};

	for (u32 seed = 1; seed <= 50; seed++) {
		for (size_t i = 0; i < ARRAY_SIZE(by); i++) {
			_cleanup_fixture_ struct fixture f;
			u64 sums[4], classes[3][WHY_UNTOLD + 1];
			static const char *const names[] = {"offcpu", "offwake", "chain"};

			random_log(&f, seed);
			f.options.idle = seed % 2;
			for (size_t v = 0; v < ARRAY_SIZE(names); v++) {
				struct call_tree tree;

				sums[v] = project(&f, names[v], by[i], &tree);
				CHECK_EQ(sum_classes(&tree, classes[v]), sums[v]);
				call_tree_release(&tree);
			}
			CHECK_EQ(sums[0], profile_sum(&f.p, WICK_SCHED, i ? 0 : 1, 0, 0));
			CHECK_EQ(sums[1], sums[0]);
			CHECK_EQ(sums[2], sums[0]);
			CHECK(!memcmp(classes[1], classes[0], sizeof(classes[0])));
			CHECK(!memcmp(classes[2], classes[0], sizeof(classes[0])));
		}
	}
}

int main(void)
{
	RUN(a_line_is_as_wide_as_the_time_that_was_spent_there);
	RUN(what_was_not_logged_is_split_as_what_was);
	RUN(a_waker_that_is_left_out_is_not_split);
	RUN(idle_time_is_one_box_or_all_or_none);
	RUN(what_is_left_out_is_known);
	RUN(time_without_an_entry_is_as_the_others_of_its_sample);
	RUN(what_is_drawn_has_the_class_of_the_wait);
	RUN(boxes_that_are_cut_leave_their_classes_to_their_callers);
	RUN(all_views_have_the_same_time);
	return test_status();
}
