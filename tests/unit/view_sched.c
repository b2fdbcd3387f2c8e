/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_sched.c: the views of waiting threads, on profiles built by hand. */
#include "view_fixture.h"

static void add(struct fixture *f, const struct sample *sample)
{
	struct sample copy = *sample;

	copy.kind = WICK_SCHED;
	profile_count(&f->p, &copy);
}

/* A sleep in main;work;...;__schedule of so many microseconds. */
static void wait_for(struct fixture *f, u32 state, u32 chain, u64 us)
{
	add(f, &(struct sample){.state = state,
				.leg = f->sleeper,
				.user = f->user,
				.kernel = f->kernel,
				.chain = chain,
				.column = {1, us * 1000, us * 1000}});
}

static void without_stacks(struct fixture *f, u32 state, u64 us)
{
	add(f, &(struct sample){
		       .state = state, .leg = f->sleeper, .column = {1, us * 1000, us * 1000}});
}

static u32 hop(struct fixture *f, enum wick_cause cause, u32 leg, const char *user,
	       const char *kernel)
{
	struct hop row = {.cause = cause, .leg = leg};

	row.user = user ? stack(f, FRAME_USER, user) : 0;
	row.kernel = kernel ? stack(f, FRAME_KERNEL, kernel) : 0;
	return profile_hop(&f->p, &row);
}

static u32 chain_of(struct fixture *f, u32 first, u32 second, enum wick_chain_end end)
{
	return profile_chain(&f->p, (u32[]){first, second}, second ? 2 : 1, end);
}

#define SLEEP "my_app;main;work;do_syscall_64;ksys_read;schedule;__schedule"

static void every_row_is_whole(void)
{
	for (size_t i = 0; i < NR_VIEWS; i++) {
		const struct view *view = views[i];

		CHECK(metric_by_name(view, NULL) == &view->metrics[0]);
		CHECK(!metric_by_name(view, "parsecs"));
		CHECK(!view->colors || palette_exists(view->colors));
		CHECK(view->needs & ((1u << WICK_NR_KINDS) - 1));
		CHECK(!(view->needs & NEED_CHAINS) || view->needs & NEED_WAKERS);
		CHECK(view_by_name(view->name) == view);
		CHECK(view->title && view->summary && view->brief);
		CHECK(view->reading && view->example && view->meaning);
	}
}

static void offcpu_says_what_a_thread_waited_for(void)
{
	static const struct {
		u32 state;
		bool walked;
		const char *want;
	} cases[] = {
		{'S', true, SLEEP " 7\n"},
		{'D' | WICK_STATE_IO, true, SLEEP " 7\n"},
		{'I', true, SLEEP " 7\n"},
		{'T', true, SLEEP " 7\n"},
		{'R', true, SLEEP ";[preempted] 7\n"},
		{'Q', true, SLEEP ";[runqueue] 7\n"},
		{'S' | WICK_STATE_STILL, true, SLEEP ";[still blocked] 7\n"},
		{'Q' | WICK_STATE_STILL, true, SLEEP ";[runqueue] 7\n"},
		{'R' | WICK_STATE_STILL, true, SLEEP ";[preempted] 7\n"},
		{'S' | WICK_STATE_SHORT, false, "my_app;[short sleeps] 7\n"},
		{'R' | WICK_STATE_SHORT, false, "my_app;[not walked];[preempted] 7\n"},
		{'Q' | WICK_STATE_SHORT, false, "my_app;[not walked];[runqueue] 7\n"},
		{'S' | WICK_STATE_NOT_WALKED | WICK_STATE_STILL, false,
		 "my_app;[not walked];[still blocked] 7\n"},
		{'S' | WICK_STATE_NEVER_RAN | WICK_STATE_STILL, true,
		 "my_app;[never ran];main;work;do_syscall_64;ksys_read;schedule;__schedule;"
		 "[still blocked] 7\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;

		fixture_init(&f);
		if (cases[i].walked)
			wait_for(&f, cases[i].state, 0, 7);
		else
			without_stacks(&f, cases[i].state, 7);
		CHECK_LINES(&f, "offcpu", cases[i].want);
	}
}

static void what_traced_the_switch_is_not_drawn(void)
{
	static const struct {
		const char *kernel, *want;
	} cases[] = {
		{"x;schedule;__schedule;__traceiter_sched_exit_tp;bpf_trace_run1;bpf_prog_1_wick_x",
		 "my_app;x;schedule;__schedule 1\n"},
		/* A function that our program calls, and one of another tool's program. */
		{"x;do_mmap;bpf_trace_run4;bpf_prog_1_wick_x;bpf_prog_2_walk_step",
		 "my_app;x;do_mmap 1\n"},
		{"x;do_mmap;bpf_trace_run4;bpf_prog_1_other;bpf_prog_2_helper",
		 "my_app;x;do_mmap;bpf_trace_run4;bpf_prog_1_other;bpf_prog_2_helper 1\n"},
		{"x;schedule;__schedule;finish_task_switch.isra.0;ftrace_trampoline",
		 "my_app;x;schedule;__schedule 1\n"},
		/* arm64's stack at a kprobe lacks the caller. */
		{"x;schedule;finish_task_switch.isra.0", "my_app;x;schedule 1\n"},
		{"x;do_nanosleep;__switch_to", "my_app;x;do_nanosleep 1\n"},
		{"ret_from_fork;schedule_tail;bpf_trace_run1",
		 "my_app;ret_from_fork;schedule_tail 1\n"},
		/* A thread that was found asleep has no frames of the scheduler. */
		{"x;do_nanosleep", "my_app;x;do_nanosleep 1\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;

		fixture_init(&f);
		add(&f, &(struct sample){.state = 'S',
					 .leg = f.sleeper,
					 .kernel = stack(&f, FRAME_KERNEL, cases[i].kernel),
					 .column = {1, 1000, 1000}});
		CHECK_LINES(&f, "offcpu", cases[i].want);
	}
}

static void options_leave_out_and_it_is_known_how_much(void)
{
	_cleanup_fixture_ struct fixture f;
	struct left_out left;

	fixture_init(&f);
	wait_for(&f, 'S', 0, 1);
	wait_for(&f, 'D', 0, 2);
	wait_for(&f, 'Q', 0, 4);
	wait_for(&f, 'R', 0, 8);
	wait_for(&f, 'S' | WICK_STATE_STILL, 0, 16);
	wait_for(&f, 'S' | WICK_STATE_STILL | WICK_STATE_NEVER_RAN, 0, 32);
	CHECK_EQ(states_by_letters("sQr", &f.options.states), 0);
	f.options.no_never_ran = f.options.no_still_blocked = true;
	CHECK_LINES(&f, "offcpu", SLEEP " 1\n" SLEEP ";[preempted] 8\n" SLEEP ";[runqueue] 4\n");
	left = view_left_out(&f.p, &f.options);
	CHECK_EQ(left.states, 2000);
	CHECK_EQ(left.never_ran, 32000);
	CHECK_EQ(left.still_blocked, 16000);
}

static void states_are_letters(void)
{
	u32 states = 77;

	CHECK_EQ(states_by_letters("", &states), -EINVAL);
	CHECK_EQ(states_by_letters("SX", &states), -EINVAL);
	CHECK_EQ(states_by_letters("S,D", &states), -EINVAL);
	CHECK_EQ(states, 77);
	CHECK_EQ(states_by_letters("SDITRQ", &states), 0);
	CHECK_EQ(states, 63);
	CHECK_EQ(states_by_letters("RQ", &states), 0);
	CHECK_EQ(states, STATES_RUNNABLE);
}

static void metrics_are_columns(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *count = NULL, *ns = NULL;

	fixture_init(&f);
	wait_for(&f, 'S', 0, 5);
	wait_for(&f, 'S', 0, 6);
	count = lines_in(&f, "offcpu", "count", false);
	ns = lines_in(&f, "offcpu", "ns", false);
	CHECK_STR(count, SLEEP " 2\n");
	CHECK_STR(ns, SLEEP " 11000\n");
}

static void wakers_stand_on_their_heads(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *annotated = NULL;
	u32 by;

	fixture_init(&f);
	by = hop(&f, WICK_BY_TASK, f.waker, "start;send", "sys_write;pipe_write");
	wait_for(&f, 'S', chain_of(&f, by, 0, WICK_CHAIN_RUNNING), 9);
	CHECK_LINES(&f, "offwake", SLEEP ";--;pipe_write;sys_write;send;start;the_waker 9\n");
	CHECK_LINES(&f, "chain",
		    SLEEP ";--;pipe_write;sys_write;send;start;the_waker;[was running] 9\n");
	CHECK_LINES(&f, "wakeup", "the_waker;start;send;sys_write;pipe_write;my_app 9\n");
	annotated = lines_in(&f, "offwake", NULL, true);
	CHECK_STR(annotated, "my_app;main;work;do_syscall_64_[k];ksys_read_[k];schedule_[k];"
			     "__schedule_[k];--;pipe_write_[w];sys_write_[w];send_[w];start_[w];"
			     "the_waker_[w] 9\n");
}

static void what_traced_the_wakeup_is_not_drawn(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 by;

	fixture_init(&f);
	by = hop(
		&f, WICK_BY_TASK, f.waker, NULL,
		"pipe_write;try_to_wake_up;ftrace_trampoline;__traceiter_sched_waking;bpf_trace_run1");
	wait_for(&f, 'S', chain_of(&f, by, 0, WICK_CHAIN_RUNNING), 9);
	by = hop(&f, WICK_BY_INTERRUPT, 0, NULL,
		 "spin;asm_common_interrupt;common_interrupt;__handle_irq_event_percpu;nvme_irq;"
		 "try_to_wake_up;ftrace_trampoline");
	wait_for(&f, 'S', chain_of(&f, by, 0, WICK_CHAIN_INTERRUPT), 8);
	CHECK_LINES(&f, "wakeup",
		    "[irq: nvme_irq];asm_common_interrupt;common_interrupt;"
		    "__handle_irq_event_percpu;nvme_irq;try_to_wake_up;my_app 8\n"
		    "the_waker;pipe_write;try_to_wake_up;my_app 9\n");
}

static void chains_say_why_they_end(void)
{
	static const struct {
		enum wick_chain_end end;
		const char *want;
	} cases[] = {
		{WICK_CHAIN_RUNNING, ";[was running]"},
		{WICK_CHAIN_BEFORE, ";[before the window]"},
		{WICK_CHAIN_DEPTH, ";[depth]"},
		{WICK_CHAIN_CYCLE, ";[cycle]"},
		{WICK_CHAIN_STRANGER, ";[not walked]"},
		{WICK_CHAIN_INTERRUPT, ""},
		{WICK_CHAIN_FORK, ""},
	};

	_Static_assert(ARRAY_SIZE(cases) == WICK_NR_CHAIN_ENDS, "every end has a case");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		_cleanup_free_ char *want =
			format(SLEEP ";[not split];--;pipe_write;send;the_waker;--;other%s 3\n",
			       cases[i].want);
		u32 first, second;

		fixture_init(&f);
		first = hop(&f, WICK_BY_TASK, f.waker, "send", "pipe_write");
		/* Too short a wakeup for a walk: all that is known is who. */
		second = hop(&f, WICK_BY_TASK, f.other, NULL, NULL);
		wait_for(&f, 'S', chain_of(&f, first, second, cases[i].end), 3);
		CHECK_LINES(&f, "chain", want);
		CHECK_LINES(&f, "offwake", SLEEP ";--;pipe_write;send;the_waker 3\n");
	}
}

static void a_fork_is_said_before_the_parents_stack(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 first, second;

	fixture_init(&f);
	first = hop(&f, WICK_BY_TASK, f.waker, NULL, NULL);
	second = hop(&f, WICK_BY_FORK, f.other, "main;fork", "kernel_clone");
	wait_for(&f, 'S', chain_of(&f, first, second, WICK_CHAIN_FORK), 3);
	CHECK_LINES(&f, "chain",
		    SLEEP ";[not split];--;the_waker;--;[fork];kernel_clone;fork;main;other 3\n");
}

static void only_ended_sleeps_have_wakers(void)
{
	static const u32 states[] = {'Q', 'R', 'S' | WICK_STATE_STILL, 'S' | WICK_STATE_SHORT};

	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		_cleanup_fixture_ struct fixture f;
		_cleanup_free_ char *plain = NULL;

		fixture_init(&f);
		wait_for(&f, states[i], 0, 3);
		plain = lines_in(&f, "offcpu", NULL, false);
		CHECK_LINES(&f, "offwake", plain);
		CHECK_LINES(&f, "chain", plain);
		CHECK_LINES(&f, "wakeup", "");
	}
}

static void a_waker_that_nobody_saw_is_unknown(void)
{
	_cleanup_fixture_ struct fixture f;

	fixture_init(&f);
	wait_for(&f, 'S', 0, 3);
	CHECK_LINES(&f, "offwake", SLEEP ";--;[unknown] 3\n");
	CHECK_LINES(&f, "chain", SLEEP ";--;[unknown] 3\n");
	CHECK_LINES(&f, "wakeup", "");
}

static void interrupts_are_named_and_bystanders_are_not(void)
{
	static const struct {
		const char *kernel; /* root first */
		const char *want;
	} cases[] = {
		{"do_syscall_64;spin;asm_sysvec_apic_timer_interrupt;sysvec_apic_timer_interrupt;"
		 "__sysvec_apic_timer_interrupt;hrtimer_interrupt;__hrtimer_run_queues;hrtimer_wakeup;"
		 "try_to_wake_up",
		 "[timer: hrtimer_wakeup];asm_sysvec_apic_timer_interrupt;sysvec_apic_timer_interrupt;"
		 "__sysvec_apic_timer_interrupt;hrtimer_interrupt;__hrtimer_run_queues;hrtimer_wakeup;"
		 "try_to_wake_up;my_app 1\n"},
		{"spin;asm_sysvec_apic_timer_interrupt;sysvec_apic_timer_interrupt;irq_exit_rcu;"
		 "handle_softirqs;run_timer_softirq;__run_timers;call_timer_fn;process_timeout;"
		 "try_to_wake_up",
		 "[timer: process_timeout];asm_sysvec_apic_timer_interrupt;sysvec_apic_timer_interrupt;"
		 "irq_exit_rcu;handle_softirqs;run_timer_softirq;__run_timers;call_timer_fn;"
		 "process_timeout;try_to_wake_up;my_app 1\n"},
		{"spin;asm_common_interrupt;common_interrupt;irq_exit_rcu;handle_softirqs;"
		 "net_rx_action;try_to_wake_up",
		 "[softirq: net_rx_action];asm_common_interrupt;common_interrupt;irq_exit_rcu;"
		 "handle_softirqs;net_rx_action;try_to_wake_up;my_app 1\n"},
		{"spin;asm_common_interrupt;common_interrupt;handle_edge_irq;handle_irq_event;"
		 "__handle_irq_event_percpu;vring_interrupt;try_to_wake_up",
		 "[irq: vring_interrupt];asm_common_interrupt;common_interrupt;handle_edge_irq;"
		 "handle_irq_event;__handle_irq_event_percpu;vring_interrupt;try_to_wake_up;my_app 1\n"},
		{"spin;asm_sysvec_reschedule_ipi;sysvec_reschedule_ipi;sched_ttwu_pending",
		 "[irq: sysvec_reschedule_ipi];asm_sysvec_reschedule_ipi;sysvec_reschedule_ipi;"
		 "sched_ttwu_pending;my_app 1\n"},
		{"spin;asm_sysvec_call_function_single;try_to_wake_up",
		 "[irq: sysvec_call_function_single];asm_sysvec_call_function_single;try_to_wake_up;"
		 "my_app 1\n"},
		/* arm64 */
		{"spin;el1h_64_irq;el1_interrupt;gic_handle_irq;handle_irq_event_percpu;nvme_irq",
		 "[irq: nvme_irq];el1h_64_irq;el1_interrupt;gic_handle_irq;handle_irq_event_percpu;"
		 "nvme_irq;my_app 1\n"},
		/* An interrupt in a softirq in a task's own call: the innermost one did it. */
		{"tcp_sendmsg;__local_bh_enable_ip;do_softirq;handle_softirqs;net_rx_action;"
		 "asm_common_interrupt;common_interrupt;__handle_irq_event_percpu;nvme_irq",
		 "[irq: nvme_irq];asm_common_interrupt;common_interrupt;__handle_irq_event_percpu;"
		 "nvme_irq;my_app 1\n"},
		/* ksoftirqd runs what an interrupt left. */
		{"kthread;smpboot_thread_fn;run_ksoftirqd;handle_softirqs.isra.0;net_rx_action",
		 "[softirq: net_rx_action];handle_softirqs.isra.0;net_rx_action;my_app 1\n"},
		/* Nothing that is known: whose frames are they? */
		{"spin;somewhere", "[interrupt];my_app 1\n"},
		{"spin;hrtimer_interrupt;__hrtimer_run_queues;hrtimer_wakeup",
		 "[interrupt];my_app 1\n"},
		{NULL, "[interrupt];my_app 1\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		u32 by;

		fixture_init(&f);
		by = hop(&f, WICK_BY_INTERRUPT, 0, NULL, cases[i].kernel);
		wait_for(&f, 'S', chain_of(&f, by, 0, WICK_CHAIN_INTERRUPT), 1);
		CHECK_LINES(&f, "wakeup", cases[i].want);
	}
}

static void an_interrupt_ends_a_chain(void)
{
	_cleanup_fixture_ struct fixture f;
	u32 by;

	fixture_init(&f);
	by = hop(&f, WICK_BY_INTERRUPT, 0, NULL,
		 "spin;asm_common_interrupt;common_interrupt;__handle_irq_event_percpu;nvme_irq");
	wait_for(&f, 'S', chain_of(&f, by, 0, WICK_CHAIN_INTERRUPT), 1);
	CHECK_LINES(&f, "chain",
		    SLEEP ";--;nvme_irq;__handle_irq_event_percpu;common_interrupt;"
			  "asm_common_interrupt;[irq: nvme_irq] 1\n");
}

/* A send over loopback: the receiver is woken in a softirq that the sender's own call runs. */
static void a_softirq_in_a_tasks_call_is_that_task(void)
{
	static const char kernel[] = "tcp_sendmsg;__local_bh_enable_ip;do_softirq;handle_softirqs;"
				     "net_rx_action;sock_def_readable";
	_cleanup_fixture_ struct fixture f;
	u32 by;

	fixture_init(&f);
	by = hop(&f, WICK_BY_INTERRUPT, f.waker, "send", kernel);
	wait_for(&f, 'S', chain_of(&f, by, 0, WICK_CHAIN_RUNNING), 1);
	by = hop(&f, WICK_BY_TASK, f.other, "send", kernel);
	wait_for(&f, 'S', chain_of(&f, by, 0, WICK_CHAIN_RUNNING), 2);
	CHECK_LINES(&f, "wakeup",
		    "other;send;tcp_sendmsg;__local_bh_enable_ip;do_softirq;handle_softirqs;"
		    "net_rx_action;sock_def_readable;my_app 2\n"
		    "the_waker;send;tcp_sendmsg;__local_bh_enable_ip;do_softirq;handle_softirqs;"
		    "net_rx_action;sock_def_readable;my_app 1\n");
}

/* Another thread of the process. */
static u32 sibling(struct fixture *f, u32 leg, const char *comm, u32 tid)
{
	struct leg row = f->p.legs.at[leg];

	row.comm = strings_adds(&f->p.names, comm);
	row.tid = tid;
	return profile_leg(&f->p, &row);
}

static void groups_stay_at_the_root_of_what_is_reversed(void)
{
	static const struct {
		enum grouping group;
		const char *want;
	} cases[] = {
		{GROUP_PROCESS, "[unknown];work;main 1\nmy_app;worker;work;main 2\n"},
		{GROUP_COMM, "[unknown];work;main 1\nworker;work;main 2\n"},
		{GROUP_NONE, "work;main 3\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;

		fixture_init(&f);
		f.kernel = 0;
		f.options.group = cases[i].group;
		f.options.reverse = true;
		f.sleeper = sibling(&f, f.sleeper, "worker", 12);
		wait_for(&f, 'S', 0, 2);
		f.sleeper = 0;
		wait_for(&f, 'S', 0, 1);
		CHECK_LINES(&f, "offcpu", cases[i].want);
	}
}

static void groups_name_sleepers_and_wakers(void)
{
	static const struct {
		enum grouping group;
		const char *offwake, *wakeup;
	} cases[] = {
		{GROUP_PID, "my_app-10;work;--;send;the_waker-20 1\n",
		 "the_waker-20;send;my_app-10 1\n"},
		{GROUP_TID, "worker-10/12;work;--;send;other_thread-20/21 1\n",
		 "other_thread-20/21;send;worker-10/12 1\n"},
		{GROUP_PROCESS, "my_app;worker;work;--;send;other_thread 1\n",
		 "the_waker;other_thread;send;worker 1\n"},
		{GROUP_COMM, "worker;work;--;send;other_thread 1\n",
		 "other_thread;send;worker 1\n"},
		/* Without a group frame the other one still has to have a name. */
		{GROUP_NONE, "work;--;send;other_thread 1\n", "send;worker 1\n"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_fixture_ struct fixture f;
		u32 by;

		fixture_init(&f);
		f.sleeper = sibling(&f, f.sleeper, "worker", 12);
		by = hop(&f, WICK_BY_TASK, sibling(&f, f.waker, "other thread", 21), "send", NULL);
		f.kernel = 0;
		f.user = stack(&f, FRAME_USER, "work");
		f.options.group = cases[i].group;
		wait_for(&f, 'S', chain_of(&f, by, 0, WICK_CHAIN_RUNNING), 1);
		CHECK_LINES(&f, "offwake", cases[i].offwake);
		CHECK_LINES(&f, "wakeup", cases[i].wakeup);
	}
}

/* ---- wall */

static void ran(struct fixture *f, u32 leg, u64 ns)
{
	*vec_add(&f->p.threads) = (struct thread_time){
		.leg = leg, .begin = f->p.begin, .end = f->p.end, .running = ns};
}

static void cpu_samples(struct fixture *f, u32 leg, const char *user, u64 nr)
{
	profile_count(&f->p, &(struct sample){.kind = WICK_CPU,
					      .leg = leg,
					      .user = stack(f, FRAME_USER, user),
					      .column = {nr}});
}

static void wall_shares_what_was_measured(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *lines = NULL;

	fixture_init(&f);
	ran(&f, f.sleeper, 1000);
	ran(&f, f.waker, 501);
	f.p.threads.at[1].unaccounted = 7;
	/* 333.3 + 333.3 + 333.3 */
	cpu_samples(&f, f.sleeper, "a", 1);
	cpu_samples(&f, f.sleeper, "b", 1);
	cpu_samples(&f, f.sleeper, "c", 1);
	wait_for(&f, 'S', 0, 2);
	wait_for(&f, 'Q', 0, 1);
	lines = lines_in(&f, "wall", "ns", false);
	CHECK_STR(lines,
		  "my_app;[off-CPU];main;work;do_syscall_64;ksys_read;schedule;__schedule 2000\n"
		  "my_app;[off-CPU];main;work;do_syscall_64;ksys_read;schedule;__schedule;"
		  "[runqueue] 1000\n"
		  "my_app;[on-CPU];a 334\n"
		  "my_app;[on-CPU];b 333\n"
		  "my_app;[on-CPU];c 333\n"
		  "the_waker;[on-CPU];[not sampled] 501\n"
		  "the_waker;[unaccounted] 7\n");
}

/*
 * 10 ns over 3, 3 and 1 samples: 4.29, 4.29 and 1.43, so the one ns that is left is the last one's.
 */
static void wall_gives_what_is_left_to_the_largest_remainder(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *lines = NULL;

	fixture_init(&f);
	ran(&f, f.sleeper, 10);
	cpu_samples(&f, f.sleeper, "a", 3);
	cpu_samples(&f, f.sleeper, "b", 3);
	cpu_samples(&f, f.sleeper, "c", 1);
	lines = lines_in(&f, "wall", "ns", false);
	CHECK_STR(lines, "my_app;[on-CPU];a 4\nmy_app;[on-CPU];b 4\nmy_app;[on-CPU];c 2\n");
}

static void wall_sums_are_exact_for_any_numbers(void)
{
	u64 seed = 1;

	for (int round = 0; round < 200; round++) {
		_cleanup_fixture_ struct fixture f;
		struct call_tree tree;
		u64 running[2];

		fixture_init(&f);
		for (int t = 0; t < 2; t++) {
			seed = hash_u64(seed + 1);
			running[t] = seed >> (seed % 60);
			running[t] &= (1ull << 60) - 1;
			ran(&f, t ? f.waker : f.sleeper, running[t]);
			for (int i = 0; i < 7; i++) {
				char name[2] = {(char)('a' + i), '\0'};

				seed = hash_u64(seed + 1);
				cpu_samples(&f, t ? f.waker : f.sleeper, name, seed >> 40);
			}
		}
		CHECK_EQ(project(&f, "wall", NULL, &tree), running[0] + running[1]);
		call_tree_release(&tree);
	}
}

/* By its number, its process and its start: names change, numbers come again. */
static void wall_knows_a_thread_by_its_start(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *lines = NULL;
	struct leg leg;
	u32 renamed, reused;

	fixture_init(&f);
	leg = f.p.legs.at[f.sleeper];
	leg.comm = strings_adds(&f.p.names, "renamed");
	renamed = profile_leg(&f.p, &leg);
	leg.comm = strings_adds(&f.p.names, "reused");
	leg.start_ns++;
	reused = profile_leg(&f.p, &leg);
	ran(&f, renamed, 100);
	ran(&f, reused, 7);
	cpu_samples(&f, f.sleeper, "a", 1);
	cpu_samples(&f, renamed, "a", 3);
	lines = lines_in(&f, "wall", "ns", false);
	CHECK_STR(lines, "my_app;[on-CPU];a 25\nmy_app;renamed;[on-CPU];a 75\n"
			 "my_app;reused;[on-CPU];[not sampled] 7\n");
}

static void wall_has_no_idle_time_and_periods_where_nothing_was_measured(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *lines = NULL;
	struct leg idle = {.kind = WICK_IDLE};

	fixture_init(&f);
	f.p.frequency = 100;
	cpu_samples(&f, profile_leg(&f.p, &idle), "do_idle", 50);
	cpu_samples(&f, f.other, "a", 3);
	lines = lines_in(&f, "wall", NULL, false);
	CHECK_STR(lines, "other;[on-CPU];a 30000\n");
}

/* ---- sums */

/* One sample of each kind: powers of two, so that a sum says which are in it. */
static u64 add_everything(struct fixture *f, u64 *woken)
{
	u32 by = hop(f, WICK_BY_TASK, f->waker, "send", "pipe_write");
	u32 interrupt = hop(f, WICK_BY_INTERRUPT, 0, NULL, NULL);
	u32 chains[] = {0, chain_of(f, by, 0, WICK_CHAIN_RUNNING),
			chain_of(f, by, interrupt, WICK_CHAIN_INTERRUPT)};
	static const u32 flags[] = {0,
				    WICK_STATE_IO,
				    WICK_STATE_STILL,
				    WICK_STATE_STILL | WICK_STATE_NEVER_RAN,
				    WICK_STATE_SHORT,
				    WICK_STATE_NOT_WALKED};
	u64 us = 1, sum = 0;

	*woken = 0;
	for (const char *letter = STATE_LETTERS; *letter; letter++) {
		bool blocked = *letter != 'Q' && *letter != 'R';

		for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
			u32 chain = blocked && i != 2 && i != 3 && i != 4 ? chains[i % 3] : 0;

			wait_for(f, (u32)*letter | flags[i], chain, us);
			*woken += chain ? us * 1000 : 0;
			sum += us * 1000;
			us *= 2;
		}
	}
	return sum;
}

static void every_nanosecond_is_drawn_once(void)
{
	static const char *const all[] = {"offcpu", "offwake", "chain", "wall"};
	u64 sum, woken;

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		for (int reverse = 0; reverse < 2; reverse++) {
			_cleanup_fixture_ struct fixture f;
			struct call_tree tree;

			fixture_init(&f);
			f.options.reverse = reverse;
			sum = add_everything(&f, &woken);
			CHECK_EQ(project(&f, all[i], NULL, &tree), sum);
			CHECK_EQ(tree.at[0].total, sum);
			call_tree_release(&tree);
			CHECK_EQ(project(&f, "wakeup", NULL, &tree), woken);
			call_tree_release(&tree);
		}
	}
}

static void lost_time_is_drawn(void)
{
	_cleanup_fixture_ struct fixture f;
	_cleanup_free_ char *count = NULL;

	fixture_init(&f);
	profile_loss(&f.p, "keys that found no place", "[lost keys]", WICK_SCHED, 1, 5000);
	profile_loss(&f.p, "hops", NULL, WICK_SCHED, 0, 17);
	profile_loss(&f.p, "samples", "[lost keys]", WICK_CPU, 0, 3);
	CHECK_LINES(&f, "offcpu", "[lost keys] 5\n");
	CHECK_LINES(&f, "offwake", "[lost keys] 5\n");
	CHECK_LINES(&f, "chain", "[lost keys] 5\n");
	CHECK_LINES(&f, "wall", "[lost keys] 5\n");
	CHECK_LINES(&f, "wakeup", "");
	/* Of how many blocks, nobody knows. */
	count = lines_in(&f, "offcpu", "count", false);
	CHECK_STR(count, "");
}

int main(void)
{
	RUN(every_row_is_whole);
	RUN(offcpu_says_what_a_thread_waited_for);
	RUN(what_traced_the_switch_is_not_drawn);
	RUN(options_leave_out_and_it_is_known_how_much);
	RUN(states_are_letters);
	RUN(metrics_are_columns);
	RUN(wakers_stand_on_their_heads);
	RUN(what_traced_the_wakeup_is_not_drawn);
	RUN(chains_say_why_they_end);
	RUN(a_fork_is_said_before_the_parents_stack);
	RUN(only_ended_sleeps_have_wakers);
	RUN(a_waker_that_nobody_saw_is_unknown);
	RUN(interrupts_are_named_and_bystanders_are_not);
	RUN(an_interrupt_ends_a_chain);
	RUN(a_softirq_in_a_tasks_call_is_that_task);
	RUN(groups_name_sleepers_and_wakers);
	RUN(groups_stay_at_the_root_of_what_is_reversed);
	RUN(wall_shares_what_was_measured);
	RUN(wall_gives_what_is_left_to_the_largest_remainder);
	RUN(wall_sums_are_exact_for_any_numbers);
	RUN(wall_knows_a_thread_by_its_start);
	RUN(wall_has_no_idle_time_and_periods_where_nothing_was_measured);
	RUN(every_nanosecond_is_drawn_once);
	RUN(lost_time_is_drawn);
	return test_status();
}
