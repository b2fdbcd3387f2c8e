/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched.bpf.c: the sched instrument. Every switch and every wakeup is followed, so that each
 * nanosecond of each thread is running, waiting for a CPU, preempted or blocked. Where a thread was
 * blocked, and which thread ended that, is looked at where sampling.h says that it is worth a walk.
 *
 *	sched_waking	in the waker: how long the sleeper has slept, and whether that is worth a
 *			walk; if so, the waker's stacks. Never sched_wakeup, which may run on the
 *			sleeper's CPU
 *	sched_switch	all stamps and sums; the thread that leaves, then the one that comes
 *	sched_exit_tp	the end of the switch: the thread that has come is current, and its stacks
 *			are those it has slept with
 */
#include "account.h"
#include "run_clock.h"
#include "waker.h"
#include <bpf/bpf_tracing.h>

/* ---- wakeups */

/* A sleep of `length` ns has ended: makes t->block anew, and decides whether it is worth a walk. */
static __always_inline bool decide_block(struct thread *t, struct wick_sched_cpu *cpu, u64 length)
{
	u64 charge;

	take_back_block(t);
	if (settings.min_block && length < settings.min_block)
		return false;
	if (settings.max_block && length > settings.max_block)
		return false;
	if (t->known.wanted == UNWANTED || !may_be_walked(t, cpu))
		return false;
	charge = decide(t, cpu, &t->short_sleep, length);
	t->block.length = length;
	t->block.charge = charge;
	if (t->known.wanted != CAUSE) {
		cpu->blocks++;
		cpu->walked_blocks += charge != 0;
	}
	/* One that is charged for itself leaves the short ones in their account. */
	t->nr_short_sleeps += charge != length;
	return charge != 0;
}

/*
 * A thread that is met for the first time, by a wakeup, has slept since the window began. Of one
 * that is still on its CPU, more is known when it leaves that.
 */
static __always_inline void meet_sleeper(struct thread *t, struct task_struct *task)
{
	if (t->on || t->off || task->on_cpu)
		return;
	t->off = t->begin;
	t->state = (u16)state_of(task, task->__state);
}

enum { WAKEE = 0, PREV = 1, NEXT = 2, PREV_STATE = 3 }; /* arguments of the tracepoints */

/* True when a stack was walked; *is_stall: outside of the budget. */
static __always_inline bool wakes(unsigned long long *ctx, struct task_struct *task,
				  struct wick_sched_cpu *cpu, u64 now, bool *is_stall,
				  struct wick_counters *tally)
{
	struct thread *t = thread_of(task, now, tally);
	bool walk;

	if (!t || leave_out(task, &ctx[WAKEE], t, now, tally))
		return false;
	cpu->for_bystander = is_bystander(t);
	meet_sleeper(t, task);
	t->wake = now;
	if (t->on > t->off || !t->off ||
	    now <= t->off) /* it has not left its CPU yet, or only just */
		return false;
	if (!is_blocked_state(t->state)) /* preempted on its way into a sleep that will not be */
		return false;
	walk = decide_block(t, cpu, now - t->off);
	walk = settings.depth && follow_waker(ctx, task, t, cpu, t->off, walk, false, now, tally);
	*is_stall = t->is_stall;
	return walk;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(wick_waking, struct task_struct *task)
{
	struct wick_counters *tally = counters_of(WICK_SCHED);
	struct wick_sched_cpu *cpu = this_sched_cpu();
	bool walked, is_stall = false;
	u64 now;

	if (has_strangers() && is_stranger(task))
		return 0;
	now = bpf_ktime_get_ns();
	if (!tally || !cpu || !in_window(now))
		return 0;
	cpu->for_bystander = false;
	walked = wakes(ctx, task, cpu, now, &is_stall, tally);
	end_run(cpu, WICK_METER_WAKING, walked, is_stall, now);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(wick_wakeup_new, struct task_struct *task)
{
	struct wick_counters *tally = counters_of(WICK_SCHED);
	struct wick_sched_cpu *cpu = this_sched_cpu();
	u64 now = bpf_ktime_get_ns();
	struct thread *t;
	bool walked;

	if (!tally || !cpu || !in_window(now))
		return 0;
	cpu->for_bystander = false;
	note_stranger(task, false); /* its number can have been another's */
	t = thread_of(task, now, tally);
	if (!t || leave_out(task, &ctx[WAKEE], t, now, tally))
		return 0;
	t->begin = t->off = t->wake = now;
	walked = settings.depth &&
		 follow_waker(ctx, task, t, cpu, now, settings.depth > 1 && within_budget(cpu),
			      true, now, tally);
	end_run(cpu, WICK_METER_WAKEUP_NEW, walked, false, now);
	return 0;
}

/* ---- switches */

/*
 * A thread comes that was not seen to leave: it has run for `ran`, and nothing tells what it did
 * then. What it was charged before, and is not counted yet, waits for its next switch.
 */
static __always_inline void comes_twice(struct thread *t, u64 ran, u64 now)
{
	u64 away = span(t->on, now);

	ran = ran < away ? ran : away;
	t->running += ran;
	t->ran += ran;
	t->unaccounted += away - ran;
	t->on = now;
}

/*
 * A thread has come, and cannot be walked. What it is charged goes back into the accounts, and the
 * next walk has it; what is too long for that goes without stacks.
 */
static __always_inline void put_back(struct thread *t, struct wick_sched_cpu *cpu, u64 *account,
				     u64 wait)
{
	u64 most = 2 * threshold(cpu);

	if (t->block.length < most)
		take_back_block(t);
	if (wait >= most)
		t->wait_charge = wait;
	else
		*account += wait;
}

/*
 * The thread comes back to a CPU; true when it is to be walked, if it can be. `sum_exec` is the
 * scheduler's clock of its running time.
 */
static __always_inline bool comes(struct thread *t, struct wick_sched_cpu *cpu, bool can_walk,
				  u64 sum_exec, u64 now, struct wick_counters *tally)
{
	u64 hidden = span(t->sum_exec, sum_exec), off, wait = 0, slept;
	u64 *account = &t->short_queue;

	t->cpu = (u16)bpf_get_smp_processor_id();
	t->sum_exec = sum_exec;
	if (t->on > t->off) {
		tally->at[WICK_HIDDEN_SWITCH]++;
		comes_twice(t, hidden, now);
		return false;
	}
	if (hidden && t->off) { /* it has been back, and nothing tells when */
		tally->at[WICK_HIDDEN_SWITCH]++;
		t->off += hidden;
		t->running += hidden;
		t->ran += hidden;
	}
	off = t->off;
	if (!off)
		off = t->off = t->begin; /* met for the first time, and runnable already */
	if (!is_blocked_state(t->state)) {
		wait = span(off, now);
		if ((t->state & WICK_STATE_LETTER) == 'R') {
			account = &t->short_preempt;
			t->preempted += wait;
		} else {
			t->queued += wait;
		}
	} else if (t->wake >= off) {
		wait = span(t->wake, now);
		t->blocked += t->wake - off;
		t->queued += wait;
	} else if (t->wake && t->wake >= t->on) {
		wait = span(off, now);
		t->queued += wait;
	} else { /* its wakeup was not seen */
		slept = span(off, now);
		t->blocked += slept;
		decide_block(t, cpu, slept);
	}
	t->on = now;
	take_back_wait(t);
	t->wait_state = account == &t->short_preempt ? 'R' : 'Q';
	if (t->known.wanted == UNWANTED)
		return false;
	if (!can_walk) {
		put_back(t, cpu, account, wait);
		return false;
	}
	if (!t->block.charge && !may_be_walked(t, cpu))
		return false;
	/*
	 * With a walk to come anyway, the wait is charged as it is; the account would favour long
	 * sleepers.
	 */
	if (t->block.charge)
		t->wait_charge = wait;
	else if (wait)
		t->wait_charge = decide(t, cpu, account, wait);
	return t->block.charge || t->wait_charge;
}

/*
 * A thread that leaves is met for the first time: it has run since the window began, or came by a
 * switch that was not seen.
 */
static __always_inline void meet_runner(struct thread *t, struct task_struct *task, u64 last_switch,
					u64 now, struct wick_counters *tally)
{
	u64 came = arrival(task, last_switch, now);

	t->on = t->begin;
	if (came <= t->begin + CLOCK_SLACK_NS)
		return;
	tally->at[WICK_HIDDEN_SWITCH]++;
	t->unaccounted += came - t->begin;
	t->on = came;
}

/* Returns how long the thread has run. */
static __always_inline u64 leaves(struct thread *t, struct task_struct *task,
				  struct wick_sched_cpu *cpu, u64 now, struct wick_counters *tally)
{
	u64 sum_exec = task->se.sum_exec_runtime, by_kernel = span(t->sum_exec, sum_exec), came;

	if (t->off && t->off >= t->on) { /* it was not seen to come */
		tally->at[WICK_HIDDEN_SWITCH]++;
		came = now - by_kernel;
		came = came > t->off ? came : t->off + 1;
		comes(t, cpu, false, t->sum_exec, came > t->wake ? came : t->wake, tally);
	} else if (!t->on) {
		meet_runner(t, task, cpu->last_switch, now, tally);
		by_kernel = span(t->on, now);
	} else {
		by_kernel += clock_behind(task, now) - cpu->clock_behind;
	}
	t->sum_exec = sum_exec;
	came = checked_stretch(t, span(t->on, now), by_kernel, tally);
	t->running += came;
	return came;
}

/* What the switch says of the CPU itself. */
static __always_inline void follow_cpu(struct wick_sched_cpu *cpu, struct task_struct *prev,
				       struct task_struct *next, u64 now)
{
	if (!prev->pid && !(cpu->last_switch && cpu->current))
		cpu->idle += now - (cpu->last_switch ? cpu->last_switch : window.begin);
	cpu->current = (u32)next->pid;
	cpu->current_has_no_account = 0;
	cpu->clock_behind = clock_behind(prev, now);
	cpu->last_switch = now;
}

/* A thread that is met after the window, for the first time, and leaves its CPU. */
static __always_inline void meet_late_runner(struct thread *t, struct task_struct *task,
					     struct wick_sched_cpu *cpu, u64 now,
					     struct wick_counters *tally)
{
	if (t->on || t->off)
		return;
	if (arrival(task, cpu->last_switch, now) < window.end) {
		meet_runner(t, task, cpu->last_switch, now, tally);
		return;
	}
	tally->at[WICK_HIDDEN_SWITCH]++;
	t->off = t->begin;
	t->state = 'S' | WICK_STATE_NEVER_RAN;
}

/*
 * A switch after the window, before the final pass is over. A thread that is met now for the first
 * time has run, or slept, all through the window.
 */
static __always_inline void switch_late(struct task_struct *prev, struct task_struct *next,
					bool dies, struct wick_sched_cpu *cpu, u64 now,
					struct wick_counters *tally)
{
	struct thread *t;

	if (prev->pid && prev->start_time < window.end) {
		t = thread_of(prev, now, tally);
		if (t)
			meet_late_runner(t, prev, cpu, now, tally);
		if (t)
			t->moved = 1;
		if (t && dies && !t->closed)
			ends_late(prev, t, now, tally);
	}
	if (next->pid && next->start_time < window.end) {
		t = thread_of(next, now, tally);
		if (t && !t->on && !t->off) {
			t->off = t->begin;
			t->state = 'S' | WICK_STATE_NEVER_RAN;
		}
		if (t && !t->moved && !t->closed && !settings.walk_before && t->off >= t->on)
			cpu->to_walk = (u32)next->pid;
		if (t)
			t->moved = 1;
	}
}

/* Charges a thread that comes back, with the stacks that it left with. It is not current yet. */
OWN_FRAME void charge_comer(unsigned long long *ctx, struct task_struct *next, struct thread *t,
			    u64 now, struct wick_counters *tally)
{
	_cleanup_(scratch_give_back) struct scratch *s = scratch_take(tally);
	struct left_stacks *left = left_stacks_of(next, 0);
	bool was_unwanted;
	u64 address = 0;
	u32 flags = 0;

	bpf_probe_read_kernel(&address, sizeof(address), &ctx[NEXT]);
	if (!s)
		return;
	was_unwanted = is_unwanted(&t->known);
	take_leg_at(s, next, address, &t->known, now, tally);
	note_answer(t, was_unwanted, now);
	if (!is_followed(t))
		return;
	if (left) {
		s->key.user = left->user;
		s->key.kernel = left->kernel;
	}
	if (!s->key.user && !s->key.kernel)
		flags = WICK_STATE_NOT_WALKED;
	else if (is_blocked_state(t->state))
		take_object(s, next, now, tally);
	note_io_limit(t, next, now);
	charge(s, next, t, flags, tally);
}

/*
 * The state that prev was in when it left. Since 5.18 the tracepoint says it. Before, prev's own is
 * read: it may be being woken on another CPU already, but cannot be made runnable before it is off
 * this one.
 */
static __always_inline u32 state_left(unsigned long long *ctx, struct task_struct *prev)
{
	u32 state;

	if (!settings.no_prev_state)
		return (u32) * (volatile unsigned long long *)&ctx[PREV_STATE];
	state = prev->__state;
	return state == TASK_WAKING ? TASK_INTERRUPTIBLE : state;
}

/*
 * A thread that leaves its CPU, in the window. True when it was walked.
 */
static __always_inline bool switch_from(unsigned long long *ctx, struct task_struct *prev,
					bool preempt, u32 prev_state, struct wick_sched_cpu *cpu,
					u64 now, struct wick_counters *tally)
{
	struct thread *t = thread_of(prev, now, tally);

	if (!t || leave_out(prev, &ctx[PREV], t, now, tally))
		return false;
	cpu->left_by = t->known.id;
	cpu->for_bystander = is_bystander(t);
	cpu->ran += leaves(t, prev, cpu, now, tally);
	if (t->block.charge || t->wait_charge)
		count_hidden(prev, t, now, tally);
	t->state = preempt || !prev_state ? preempted_state(prev) : (u16)state_of(prev, prev_state);
	/* A waker on another CPU must not see the new time with the old state. */
	barrier();
	t->off = now;
	if (!preempt && prev_state & TASK_DEAD) {
		ends(t, prev, now, tally);
		return false;
	}
	return settings.walk_before && walk_leaver(ctx, prev, t, cpu, now, tally);
}

/* A thread that comes. */
static __always_inline void switch_to(unsigned long long *ctx, struct task_struct *next,
				      struct wick_sched_cpu *cpu, u64 now,
				      struct wick_counters *tally)
{
	struct thread *t = thread_of(next, now, tally);

	cpu->current_has_no_account = !t || t->known.wanted == UNWANTED;
	if (!t || leave_out(next, &ctx[NEXT], t, now, tally))
		return;
	cpu->for_bystander &= is_bystander(t);
	if (!comes(t, cpu, true, next->se.sum_exec_runtime, now, tally))
		return;
	if (settings.walk_before)
		charge_comer(ctx, next, t, now, tally);
	else
		cpu->to_walk = (u32)next->pid;
}

/* Leaves out every so many switches, to test the account. */
static __always_inline bool is_dropped(struct wick_sched_cpu *cpu)
{
	if (!settings.drop_switches || ++cpu->dropped < settings.drop_switches)
		return false;
	cpu->dropped = 0;
	return true;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(wick_switch, bool preempt, struct task_struct *prev, struct task_struct *next)
{
	u32 prev_state = state_left(ctx, prev);
	struct wick_counters *tally = counters_of(WICK_SCHED);
	struct wick_sched_cpu *cpu = this_sched_cpu();
	bool walked;
	u64 now;

	if (!tally || !cpu || is_dropped(cpu))
		return 0;
	cpu->to_walk = 0;
	if (has_strangers() && is_stranger(prev) && is_stranger(next))
		return 0;
	now = bpf_ktime_get_ns();
	if (!in_window(now)) {
		if (now >= window.end && window.end)
			switch_late(prev, next, !preempt && prev_state & TASK_DEAD, cpu, now,
				    tally);
		return 0;
	}
	tally->at[WICK_RAN]++;
	if (follow_budget(cpu, now))
		note_clock_offset(prev, now);
	cpu->left_by = 0;
	cpu->for_bystander = filter.causes && !prev->pid;
	walked = prev->pid && switch_from(ctx, prev, preempt, prev_state, cpu, now, tally);
	follow_cpu(cpu, prev, next, now);
	if (next->pid)
		switch_to(ctx, next, cpu, now, tally);
	end_run(cpu, WICK_METER_SWITCH, walked, false, now);
	return 0;
}

/*
 * The end of a switch. Hooks attach one after another: a stale to_walk must not walk the wrong
 * thread.
 */
static __always_inline void end_of_switch(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wick_sched_cpu *cpu = this_sched_cpu();
	struct wick_counters *tally;
	bool is_stall;
	u64 now;

	if (!cpu || !cpu->to_walk || cpu->to_walk != (u32)task->pid)
		return;
	cpu->to_walk = 0;
	now = bpf_ktime_get_ns();
	tally = counters_of(WICK_SCHED);
	if (!tally)
		return;
	is_stall = walk_comer(ctx, task, now, tally);
	end_run(cpu, WICK_METER_SWITCHED, true, is_stall, now);
}

SEC("?tp_btf/sched_exit_tp")
int BPF_PROG(wick_switched, bool is_switch)
{
	if (is_switch)
		end_of_switch(ctx);
	return 0;
}

SEC("?kprobe/finish_task_switch")
int wick_finish_switch(void *ctx)
{
	end_of_switch(ctx);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
