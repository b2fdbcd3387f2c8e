/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "view_fixture.h"
#include "why.h"

#define _cleanup_why_ _cleanup_(free_why)

static void free_why(struct why **why)
{
	why_free(*why);
}

enum { TIMER = 100, NETWORK, UNSEEN };

static const char timer_stack[] = "asm_sysvec_apic_timer_interrupt;hrtimer_interrupt;"
				  "__hrtimer_run_queues;hrtimer_wakeup;try_to_wake_up";
static const char network_stack[] = "asm_common_interrupt;common_interrupt;handle_softirqs;"
				    "net_rx_action;sock_def_readable;try_to_wake_up";

/* The chain of a wakeup by a leg, or by what `by` says else. */
static u32 ended(struct fixture *f, u32 by)
{
	struct hop hop = {.cause = WICK_BY_TASK, .leg = by};
	u32 ref;

	if (by == UNSEEN)
		return 0;
	if (by == TIMER || by == NETWORK) {
		hop.leg = 0;
		hop.cause = by == TIMER ? WICK_BY_INTERRUPT : WICK_BY_SOFTIRQ;
		hop.kernel = stack(f, FRAME_KERNEL, by == TIMER ? timer_stack : network_stack);
	}
	ref = profile_hop(&f->p, &hop);
	return profile_chain(&f->p, &ref, 1, WICK_CHAIN_RUNNING);
}

/* A block of a thread, in milliseconds of the window; returns its number. */
static u32 waits(struct fixture *f, u32 leg, const char *user, const char *kernel,
		 enum wick_object object, u32 by, u64 begin, u64 end)
{
	profile_block(&f->p, &(struct block){
				     .leg = leg,
				     .user = stack(f, FRAME_USER, user),
				     .kernel = stack(f, FRAME_KERNEL, kernel),
				     .chain = ended(f, by),
				     .state = 'S',
				     .begin = f->p.begin + begin * NSEC_PER_MSEC,
				     .woken = f->p.begin + end * NSEC_PER_MSEC,
				     .end = f->p.begin + end * NSEC_PER_MSEC,
				     .counted_block = (end - begin) * NSEC_PER_MSEC,
				     .object_kind = object,
			     });
	return (u32)f->p.blocks.nr - 1;
}

#define CHECK_CLASS(f, block, want)                                                                \
	do {                                                                                       \
		_cleanup_why_ struct why *why = why_new(&(f)->p);                                  \
		CHECK_STR(why_class_names[why_class(why, block)], want);                           \
	} while (0)

static void the_kernels_functions_tell_most(void)
{
	static const struct {
		const char *kernel, *want;
	} cases[] = {
		{"do_syscall_64;ext4_sync_file;jbd2_log_wait_commit;schedule;__schedule", "disk"},
		{"asm_exc_page_fault;handle_mm_fault;filemap_fault;folio_wait_bit_common;"
		 "io_schedule;__schedule",
		 "paging"},
		{"ksys_read;folio_wait_bit_common;io_schedule;__schedule", "disk"},
		{"ksys_write;rwsem_down_write_slowpath;schedule;__schedule", "lock"},
		{"kernel_wait4;do_wait;schedule;__schedule", "child"},
		{"task_work_run;throttle_cfs_rq_work;schedule;__schedule", "throttled"},
		{"ksys_read;eventfd_read;do_wait_intr_irq;schedule;__schedule", "idle"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		u32 block;

		fixture_init(&f);
		block = waits(&f, f.sleeper, "main;work", cases[i].kernel, 0, UNSEEN, 0, 10);
		CHECK_CLASS(&f, block, cases[i].want);
	}
}

static void a_futex_is_a_lock_by_its_word(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 lock, queue;

	fixture_init(&f);
	lock = waits(&f, f.sleeper, "main", "futex_wait", WICK_OBJECT_LOCK, f.waker, 0, 10);
	queue = waits(&f, f.sleeper, "main", "futex_wait", WICK_OBJECT_FUTEX, f.waker, 20, 30);
	CHECK_CLASS(&f, lock, "lock");
	CHECK_CLASS(&f, queue, "idle");
}

/* What is deeper than the wait for work is a part of some work. */
static void idle_is_the_place_that_work_returns_to(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 home, mutex, timer, far;

	fixture_init(&f);
	home = waits(&f, f.sleeper, "main;next_job", "futex_wait", WICK_OBJECT_FUTEX, f.waker, 0,
		     10);
	mutex = waits(&f, f.sleeper, "main;job;part", "futex_wait", WICK_OBJECT_FUTEX, f.other, 20,
		      30);
	timer = waits(&f, f.sleeper, "main;job", "do_nanosleep", 0, TIMER, 40, 50);
	far = waits(&f, f.sleeper, "main;job;ask", "do_poll", 0, NETWORK, 60, 70);
	CHECK_CLASS(&f, home, "idle");
	CHECK_CLASS(&f, mutex, "lock");
	CHECK_CLASS(&f, timer, "sleep");
	CHECK_CLASS(&f, far, "network");
}

/* Whoever brought the data: the kernel does that when it comes to it. */
static void a_connection_to_a_thread_of_this_host_is_no_network(void)
{
	static const char asks[] = "main;job;ask", answers[] = "main;serve",
			  *kernel = "tcp_recvmsg";
	_cleanup_fixture_ struct fixture f;
	u32 far, near, late, served;

	fixture_init(&f);
	waits(&f, f.sleeper, "main;next_job", "futex_wait", WICK_OBJECT_FUTEX, f.other, 0, 10);
	far = waits(&f, f.sleeper, asks, kernel, WICK_OBJECT_CONNECTED, NETWORK, 20, 30);
	near = waits(&f, f.sleeper, asks, kernel, WICK_OBJECT_CONNECTED, NETWORK, 40, 50);
	late = waits(&f, f.sleeper, asks, kernel, WICK_OBJECT_CONNECTED, TIMER, 60, 70);
	served = waits(&f, f.waker, answers, kernel, WICK_OBJECT_ACCEPTED, NETWORK, 0, 40);
	f.p.blocks.at[near].object = profile_object(&f.p, &(struct object){.here = 7, .there = 8});
	f.p.blocks.at[served].object =
		profile_object(&f.p, &(struct object){.here = 8, .there = 7});
	CHECK_CLASS(&f, far, "network");
	CHECK_CLASS(&f, near, "peer");
	CHECK_CLASS(&f, late, "network");
}

/* Of a stack that is not whole, the number of frames says nothing. */
static void a_broken_stack_is_no_nearer_to_the_root(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 home, broken, other;

	fixture_init(&f);
	broken = waits(&f, f.sleeper, "next_job", "futex_wait", WICK_OBJECT_FUTEX, f.waker, 0, 10);
	other = waits(&f, f.sleeper, "part", "futex_wait", WICK_OBJECT_FUTEX, f.waker, 20, 30);
	f.p.stacks.at[f.p.blocks.at[broken].user].end = WICK_NO_UNWIND_INFO;
	f.p.stacks.at[f.p.blocks.at[other].user].end = WICK_NO_UNWIND_INFO;
	/* All that is known are places at one distance. */
	CHECK_CLASS(&f, broken, "idle");
	CHECK_CLASS(&f, other, "idle");
	home = waits(&f, f.sleeper, "main;loop;next_job", "futex_wait", WICK_OBJECT_FUTEX, f.waker,
		     40, 50);
	CHECK_CLASS(&f, home, "idle");
	CHECK_CLASS(&f, broken, "idle");
	CHECK_CLASS(&f, other, "lock");
}

static void a_thread_that_only_timers_wake_is_idle(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 block;

	fixture_init(&f);
	block = waits(&f, f.sleeper, "main;poll", "do_nanosleep", 0, TIMER, 0, 10);
	CHECK_CLASS(&f, block, "idle");
	/* Until it is seen to wait for work elsewhere. */
	waits(&f, f.sleeper, "main", "do_poll", 0, f.waker, 20, 30);
	CHECK_CLASS(&f, block, "sleep");
}

static void a_nap_of_a_goroutine_is_no_idling(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 nap;

	fixture_init(&f);
	nap = waits(&f, f.sleeper, "runtime.goexit.abi0;main.worker;main.naps", "do_nanosleep", 0,
		    TIMER, 0, 10);
	CHECK_CLASS(&f, nap, "sleep");
}

static void the_side_that_has_connected_waits_for_the_other(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 server, client;

	fixture_init(&f);
	server = waits(&f, f.waker, "main", "unix_stream_read_generic", WICK_OBJECT_ACCEPTED,
		       f.sleeper, 0, 10);
	client = waits(&f, f.sleeper, "main", "unix_stream_read_generic", WICK_OBJECT_CONNECTED,
		       f.waker, 10, 20);
	waits(&f, f.waker, "main", "unix_stream_read_generic", WICK_OBJECT_ACCEPTED, f.sleeper, 20,
	      30);
	CHECK_CLASS(&f, client, "peer");
	CHECK_CLASS(&f, server, "idle");
}

/* Between two that have a pair of sockets, also where what was asked is not in the log. */
static void one_that_asks_waits_for_the_other(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 first, again;

	fixture_init(&f);
	first = waits(&f, f.sleeper, "main;ask", "unix_stream_read_generic", WICK_OBJECT_SOCKET,
		      f.waker, 0, 10);
	again = waits(&f, f.sleeper, "main;ask", "unix_stream_read_generic", WICK_OBJECT_SOCKET,
		      f.waker, 12, 20);
	CHECK_CLASS(&f, first, "idle");
	waits(&f, f.waker, "main;serve", "unix_stream_read_generic", WICK_OBJECT_SOCKET, f.sleeper,
	      22, 30);
	CHECK_CLASS(&f, first, "peer");
	CHECK_CLASS(&f, again, "peer");
}

/* A daemon's sleep is idle, but not while another thread waits for what comes after it. */
static void a_thread_that_is_waited_for_is_not_idle(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 nap, later;

	fixture_init(&f);
	nap = waits(&f, f.waker, "main", "do_nanosleep", 0, TIMER, 10, 20);
	later = waits(&f, f.waker, "main", "do_nanosleep", 0, TIMER, 40, 50);
	CHECK_CLASS(&f, nap, "idle");
	waits(&f, f.sleeper, "main", "futex_wait", WICK_OBJECT_LOCK, f.waker, 5, 25);
	CHECK_CLASS(&f, nap, "sleep");
	CHECK_CLASS(&f, later, "idle");
}

/*
 * The kernel looks at few of the shorter ones; and some it has looked at for what came after them.
 * The cases' lengths are their own.
 */
static void a_block_stands_for_those_like_it(void)
{
	static const u64 counted[] = {10, 30, 0}, want[] = {25, 75, 0};
	_cleanup_fixture_ struct fixture f;
	_cleanup_why_ struct why *why = NULL;
	struct why_pieces pieces = {};
	struct why_summary summary;
	u32 block;

	fixture_init(&f);
	for (u32 i = 0; i < ARRAY_SIZE(counted); i++) {
		block = waits(&f, f.sleeper, "main;want", "futex_wait", WICK_OBJECT_LOCK, f.waker,
			      20 * i, 20 * i + 10);
		f.p.blocks.at[block].counted_block = counted[i] * NSEC_PER_MSEC;
	}
	profile_count(&f.p, &(struct sample){.kind = WICK_SCHED,
					     .leg = f.sleeper,
					     .user = f.p.blocks.at[0].user,
					     .kernel = f.p.blocks.at[0].kernel,
					     .chain = f.p.blocks.at[0].chain,
					     .state = 'S',
					     .column = {9, 100 * NSEC_PER_MSEC, 0}});
	why = why_new(&f.p);
	for (u32 i = 0; i < ARRAY_SIZE(counted); i++) {
		u64 sum = 0;

		CHECK_EQ(why_stands_for(why, i), want[i] * NSEC_PER_MSEC);
		why_explain_all_like(why, i, &pieces);
		vec_for_each (&pieces.pieces, piece)
			sum += piece->ns;
		CHECK_EQ(sum, want[i] * NSEC_PER_MSEC);
	}
	why_summarize(why, &summary);
	CHECK_EQ(summary.ns, 100 * NSEC_PER_MSEC);
	CHECK_EQ(summary.estimated, 80 * NSEC_PER_MSEC);
	CHECK_EQ(summary.delays.at[0].longest, 10 * NSEC_PER_MSEC);
	CHECK_EQ(summary.delays.at[0].lengths.nr, 2);
	why_pieces_release(&pieces);
	why_summary_release(&summary);
}

/* The way in which a program waits has many callers, which wait for different things. */
static void a_place_is_where_the_program_waits_not_how(void)
{
	static const struct {
		const char *user, *kernel;
		u32 by;
		const char *want;
	} cases[] = {
		{"main;wants_row;wait_set", "do_epoll_wait", 0, "wants_row"},
		{"main;serves;wait_set", "do_nanosleep", TIMER, "serves"},
		{"main;writes;one_way", "jbd2_log_wait_commit", NETWORK, "one_way"},
	};
	_cleanup_fixture_ struct fixture f;
	_cleanup_why_ struct why *why = NULL;

	fixture_init(&f);
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++)
		waits(&f, f.sleeper, cases[i].user, cases[i].kernel, 0,
		      cases[i].by ? cases[i].by : f.waker, 20 * i, 20 * i + 10);
	why = why_new(&f.p);
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct why_label label = why_label_of_block(why, f.sleeper, i, WHY_NR);

		CHECK_STR(strings_get(&f.p.names, f.p.functions.at[label.function].shown.name).s,
			  cases[i].want);
	}
}

static void the_sums_of_a_run_are_those_of_its_blocks(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_why_ struct why *why = NULL;
	struct why_summary summary;
	u64 sum = 0;

	fixture_init(&f);
	waits(&f, f.waker, "main;nap", "do_nanosleep", 0, TIMER, 10, 20);
	waits(&f, f.sleeper, "main;want", "futex_wait", WICK_OBJECT_LOCK, f.waker, 5, 25);
	waits(&f, f.sleeper, "main;want", "futex_wait", WICK_OBJECT_LOCK, f.waker, 30, 32);
	f.p.blocks.at[1].end += 3 * NSEC_PER_MSEC;
	f.p.blocks.at[1].counted_wait = 3 * NSEC_PER_MSEC;
	f.p.blocks.at[1].before = f.other;
	why = why_new(&f.p);
	why_summarize(why, &summary);
	for (size_t i = 0; i < NR_WHY_CLASSES; i++)
		sum += summary.class_ns[i];
	CHECK_EQ(sum, summary.ns);
	CHECK_EQ(summary.ns, 35 * NSEC_PER_MSEC);
	CHECK_EQ(summary.class_ns[WHY_LOCK], 22 * NSEC_PER_MSEC);
	CHECK_EQ(summary.class_ns[WHY_CPU], 3 * NSEC_PER_MSEC);
	CHECK_EQ(summary.delays.nr, 3);
	CHECK_EQ(summary.delays.at[0].waiter.class, WHY_LOCK);
	CHECK_EQ(summary.delays.at[0].lengths.nr, 2);
	CHECK_EQ(summary.delays.at[0].longest, 20 * NSEC_PER_MSEC);
	vec_for_each (&summary.delays, delay) {
		u64 roots = 0;

		vec_for_each (&delay->nodes, node)
			roots += node->parent == WHY_NO_STEP ? node->ns : 0;
		CHECK_EQ(roots, delay->ns);
	}
	why_summary_release(&summary);
}

int main(void)
{
	RUN(the_kernels_functions_tell_most);
	RUN(a_futex_is_a_lock_by_its_word);
	RUN(idle_is_the_place_that_work_returns_to);
	RUN(a_connection_to_a_thread_of_this_host_is_no_network);
	RUN(a_broken_stack_is_no_nearer_to_the_root);
	RUN(a_thread_that_only_timers_wake_is_idle);
	RUN(a_nap_of_a_goroutine_is_no_idling);
	RUN(the_side_that_has_connected_waits_for_the_other);
	RUN(one_that_asks_waits_for_the_other);
	RUN(a_thread_that_is_waited_for_is_not_idle);
	RUN(a_block_stands_for_those_like_it);
	RUN(a_place_is_where_the_program_waits_not_how);
	RUN(the_sums_of_a_run_are_those_of_its_blocks);
	return test_status();
}
