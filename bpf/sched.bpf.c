/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched.bpf.c: the sched instrument. Every switch and every wakeup is followed, so that each nanosecond of each thread
 * is running, waiting for a CPU, preempted or blocked; where a thread was blocked, and who ended it, is looked at
 * where decide.h says that it is worth a walk.
 *
 *	sched_waking	in the waker: how long the sleeper has slept, whether it is worth a walk; if so, the
 *			waker's stacks. Never sched_wakeup, which may run on the sleeper's CPU
 *	sched_switch	all stamps and sums; the thread that leaves, then the one that comes
 *	sched_exit_tp	the end of the switch: the thread that has come is current, and its stacks
 *			are those it has slept with
 */
#include "capture.h"
#include "count.h"
#include "hops.h"
#include "leg.h"
#include "ledger.h"
#include <bpf/bpf_tracing.h>

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WICK_SCRATCH_LEVELS);
	__type(key, u32);
	__type(value, struct chain);
} chain_scratches __weak SEC(".maps");

static __always_inline bool in_window(u64 now)
{
	return now >= window.begin && now < window.end;
}

/* What identifies a leg, short of reading all of it: a thread's name changes, and so does its image. */
static __always_inline u64 leg_mark(struct task_struct *task)
{
	u64 comm[2];

	bpf_core_read(comm, sizeof(comm), &task->comm);
	return (comm[0] ^ (comm[1] << 13 | comm[1] >> 51) ^ (u64)task->self_exec_id << 32) | 1;
}

/* The leg of the current task, read into s->leg and sent; false when the filters leave it out. */
static __always_inline bool take_leg(struct scratch *s, struct task_struct *task, struct thread *t,
				     u64 now, struct wick_counters *tally)
{
	u64 address = bpf_get_current_task(), id;

	leg_capture(&s->leg.leg, address, thread_kind(task));
	t->wanted = !(filter.self_tgid && s->leg.leg.tgid == filter.self_tgid) &&
				    wanted(&s->leg.leg, address)
			    ? 1
			    : 2;
	id = leg_hash(&s->leg.leg);
	leg_intern(s, id, now, tally);
	t->leg = id;
	t->leg_mark = leg_mark(task);
	return t->wanted == 1;
}

/* The id of the current task's leg, the body sent if need be. */
static __always_inline u64 leg_id(struct scratch *s, struct task_struct *task, struct thread *t,
				  u64 now, struct wick_counters *tally)
{
	if (!t->leg || t->leg_mark != leg_mark(task) || !was_seen(t->leg))
		take_leg(s, task, t, now, tally);
	return t->leg;
}

/* ---- stacks of the current task */

/* Both stacks into s->key. */
static __always_inline void take_stacks(void *ctx, struct scratch *s, struct task_struct *task,
					u64 now, struct wick_counters *tally)
{
	struct wick_key *key = &s->key;

	key->user = 0;
	key->kernel = filter.no_kernel_stack ? 0 : kernel_stack(ctx, s, now, tally);
	if (filter.no_user_stack || !has_user_stack(task, &s->leg.leg))
		return;
	walk_begin_in_kernel(&s->walk, task);
	walk_user(s, (u64)BPF_CORE_READ(task, mm));
	key->user = user_stack(task, s, now, tally);
}

/* ---- wakeups */

/* Who wakes, as a hop; with its stacks when the sleep was worth a walk. */
static __always_inline u64 waker_hop(void *ctx, struct scratch *s, struct task_struct *waker,
				     struct thread *w, u32 cause, bool walk, u64 now,
				     struct wick_counters *tally)
{
	struct wick_hop_body *hop = &s->hop;

	hop->leg = hop->user = hop->kernel = 0;
	hop->cause = cause;
	hop->pad = 0;
	if (cause != WICK_BY_INTERRUPT && w)
		hop->leg = walk ? (take_leg(s, waker, w, now, tally), w->leg)
				: leg_id(s, waker, w, now, tally);
	if (walk && cause == WICK_BY_INTERRUPT) {
		hop->kernel = kernel_stack(ctx, s, now, tally);
	} else if (walk) {
		take_stacks(ctx, s, waker, now, tally);
		hop->user = s->key.user;
		hop->kernel = s->key.kernel;
	}
	return hop_intern(hop, now, tally);
}

static __always_inline struct chain *chain_scratch(void)
{
	u32 zero = 0, slot;
	struct scratch_level *level = bpf_map_lookup_elem(&scratch_levels, &zero);

	if (!level)
		return NULL;
	slot = level->taken - 1; /* that of the scratch that is taken */
	return bpf_map_lookup_elem(&chain_scratches, &slot);
}

/* `task`, which `t` is about, is being made runnable by what runs here. */
static __always_inline void follow_waker(void *ctx, struct task_struct *task, struct thread *t,
					 struct wick_sched_cpu *cpu, u64 since, bool walk,
					 bool fork, u64 now, struct wick_counters *tally)
{
	struct task_struct *waker = bpf_get_current_task_btf();
	u32 cause = fork ? WICK_BY_FORK : cause_of(waker, cpu);
	struct hops *hops, *wakers = NULL;
	struct thread *w = NULL;
	struct chain *chain;
	struct scratch *s;
	u64 id;

	hops = hops_of(task, BPF_LOCAL_STORAGE_GET_F_CREATE);
	s = scratch_take(tally);
	if (!s)
		return;
	if (cause != WICK_BY_INTERRUPT && waker->pid)
		w = thread_of(waker, now, tally);
	id = waker_hop(ctx, s, waker, w, cause, walk, now, tally);
	chain = chain_scratch();
	if (hops) {
		if (cause == WICK_BY_TASK || cause == WICK_BY_SOFTIRQ)
			wakers = hops_of(waker, 0);
		take_hops(hops, id, now, since, wakers);
		if (cause == WICK_BY_INTERRUPT || cause == WICK_BY_FORK)
			hops->end = cause == WICK_BY_FORK ? WICK_CHAIN_FORK : WICK_CHAIN_INTERRUPT;
		if (walk && chain)
			t->chain = chain_intern(chain, hops, now, tally);
	} else {
		tally->at[WICK_LOST_THREAD]++;
	}
	scratch_give_back();
}

/*
 * A sleep of `length` has ended: shall it be walked? For a thread that the filters leave out, its waker only: that may be a
 * link in somebody else's chain.
 */
static __always_inline bool decide_block(struct thread *t, struct wick_sched_cpu *cpu, u64 length)
{
	u64 charge;

	t->block_charge = 0;
	if (t->wanted == 2 && settings.depth <= 1)
		return false;
	if (settings.min_block && length < settings.min_block)
		return false;
	if (settings.max_block && length > settings.max_block)
		return false;
	charge = decide(t, cpu, &t->short_sleep, length);
	if (t->wanted == 2)
		return charge != 0;
	t->nr_short_sleeps++;
	t->block_length = length;
	t->block_state = t->state;
	t->block_charge = charge;
	return charge != 0;
}

/*
 * A thread that is met for the first time, by a wakeup, has slept since the window began. If it is still on its CPU, it has
 * run since then.
 */
static __always_inline void meet_sleeper(struct thread *t, struct task_struct *task)
{
	if (t->on || t->off)
		return;
	if (task->on_cpu) {
		t->on = t->begin;
	} else {
		t->off = t->begin;
		t->state = state_of(task, task->__state);
	}
}

SEC("tp_btf/sched_waking")
int BPF_PROG(wick_waking, struct task_struct *task)
{
	struct wick_counters *tally = counters_of(WICK_SCHED);
	struct wick_sched_cpu *cpu = this_sched_cpu();
	u64 now = bpf_ktime_get_ns();
	struct thread *t;
	bool walk;

	if (!tally || !cpu || !in_window(now))
		return 0;
	t = thread_of(task, now, tally);
	if (!t)
		return 0;
	meet_sleeper(t, task);
	t->wake = now;
	if (t->on > t->off || !t->off ||
	    now <= t->off) /* it has not left its CPU yet, or only just */
		return 0;
	if (!is_blocked_state(t->state)) /* preempted on its way into a sleep that will not be */
		return 0;
	walk = decide_block(t, cpu, now - t->off);
	t->chain = 0;
	/* Also for those that the filters leave out: they may wake others. */
	if (settings.depth)
		follow_waker(ctx, task, t, cpu, t->off, walk, false, now, tally);
	return 0;
}

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(wick_wakeup_new, struct task_struct *task)
{
	struct wick_counters *tally = counters_of(WICK_SCHED);
	struct wick_sched_cpu *cpu = this_sched_cpu();
	u64 now = bpf_ktime_get_ns();
	struct thread *t;

	if (!tally || !cpu || !in_window(now))
		return 0;
	t = thread_of(task, now, tally);
	if (!t)
		return 0;
	t->begin = t->off = t->wake = now;
	if (settings.depth)
		follow_waker(ctx, task, t, cpu, now, settings.depth > 1, true, now, tally);
	return 0;
}

/* ---- switches */

/* A thread's last switch-out. */
static __always_inline void ends(struct thread *t, struct task_struct *task, u64 now,
				 struct wick_counters *tally)
{
	struct scratch *s = scratch_take(tally);

	if (!s)
		return;
	if (take_leg(s, task, t, now, tally)) {
		count_short(t, tally);
		send_thread(t, now, now, tally);
	}
	t->wanted = 2; /* it is done with */
	scratch_give_back();
}

/* The thread comes back to a CPU; true when it is to be walked. */
static __always_inline bool comes(struct thread *t, struct wick_sched_cpu *cpu, u64 now)
{
	u32 *account = &t->short_queue;
	u64 off = t->off, wait = 0, slept;

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
	} else { /* nobody was seen to wake it */
		slept = span(off, now);
		t->blocked += slept;
		t->chain = 0;
		decide_block(t, cpu, slept);
	}
	t->on = now;
	t->wait_charge = 0;
	t->wait_state = account == &t->short_preempt ? 'R' : 'Q';
	if (t->wanted == 2)
		return false;
	/* With a walk to come anyway, the wait is charged as it is; the account would favour long sleepers. */
	if (wait)
		t->wait_charge = t->block_charge ? wait : decide(t, cpu, account, wait);
	return t->block_charge || t->wait_charge;
}

static __always_inline void leaves(struct thread *t, struct wick_sched_cpu *cpu, u64 now)
{
	u64 since = cpu->last_switch;

	/* Not seen to come: some threads' switches are hidden from us. It came after the last one that was seen here. */
	if (t->off && t->off >= t->on) {
		since = since > t->off ? since : t->off + 1;
		comes(t, cpu, since > t->wake ? since : t->wake);
	}
	if (!t->on)
		t->on = t->begin;
	t->running += span(t->on, now);
	t->off = now;
}

/* Counts what was decided for a thread, with the stacks of a key. */
static __always_inline void charge(struct thread *t, const struct wick_key *stacks, u32 flags,
				   u64 now, struct wick_counters *tally)
{
	struct wick_key key = *stacks;

	key.kind = WICK_SCHED;
	key.leg = t->leg;
	if (t->block_charge) {
		struct wick_columns columns = {
			.column = {t->nr_short_sleeps, t->block_charge, t->block_length}};

		key.chain = t->chain;
		key.state = t->block_state | flags;
		t->nr_short_sleeps = 0;
		count(&key, &columns, tally);
		if (t->block_length >= control.long_block) {
			struct wick_block_body block = {
				.leg = key.leg,
				.user = key.user,
				.kernel = key.kernel,
				.chain = key.chain,
				.ns = t->block_length,
				.state = key.state,
			};

			body_begin(&block.body, WICK_BODY_BLOCK, 0, 0, now);
			if (bpf_ringbuf_output(&bodies, &block, sizeof(block), wakeup_flag()))
				tally->at[WICK_LOST_BODY]++;
		}
	}
	if (t->wait_charge) {
		struct wick_columns columns = {.column = {1, t->wait_charge, t->wait_charge}};

		key.chain = 0;
		key.state = t->wait_state | flags;
		count(&key, &columns, tally);
	}
	t->block_charge = t->wait_charge = 0;
}

/* Without a hook at the end of the switch: takes the stacks of every thread that leaves. */
static __always_inline void walk_leaver(void *ctx, struct task_struct *task, struct thread *t,
					u64 now, struct wick_counters *tally)
{
	struct scratch *s;

	t->user = t->kernel = 0;
	if (t->wanted == 2)
		return;
	s = scratch_take(tally);
	if (!s)
		return;
	if (take_leg(s, task, t, now, tally)) {
		take_stacks(ctx, s, task, now, tally);
		t->user = s->key.user;
		t->kernel = s->key.kernel;
	}
	scratch_give_back();
}

/* A thread that leaves, and is current, was not seen to come: what was decided for it then has no stacks. */
static __always_inline void count_hidden(struct task_struct *task, struct thread *t, u64 now,
					 struct wick_counters *tally)
{
	struct scratch *s = scratch_take(tally);

	if (!s)
		return;
	if (take_leg(s, task, t, now, tally)) {
		struct wick_key key = {};

		charge(t, &key, WICK_STATE_NOT_WALKED, now, tally);
	}
	scratch_give_back();
}

/*
 * The current task, which was as it is now when the window ended, before the end's pass has come to it: it ends, and goes
 * without its stacks, or it comes back to a CPU, with the stacks in s->key.
 */
static __always_inline void close_late(struct scratch *s, struct thread *t, u32 flags, u64 now,
				       struct wick_counters *tally)
{
	struct standing at = {};

	close_account(t, window.end, &at);
	s->key.kind = WICK_SCHED;
	s->key.leg = t->leg;
	s->key.chain = t->chain;
	s->key.state = at.blocked | flags;
	if (at.blocked_ns)
		count_time(&s->key, t->nr_short_sleeps, at.blocked_ns, at.blocked_ns, tally);
	s->key.chain = 0;
	s->key.state = at.still | flags | WICK_STATE_STILL;
	if (at.still_ns)
		count_time(&s->key, 1, at.still_ns, at.still_ns, tally);
	count_short(t, tally);
	send_thread(t, window.end, now, tally);
	t->wanted = 2;
}

static __always_inline void ends_late(struct task_struct *task, struct thread *t, u64 now,
				      struct wick_counters *tally)
{
	struct scratch *s = scratch_take(tally);

	if (!s)
		return;
	s->key.user = s->key.kernel = 0;
	if (take_leg(s, task, t, now, tally))
		close_late(s, t, WICK_STATE_NOT_WALKED, now, tally);
	t->wanted = 2;
	scratch_give_back();
}

/* Walks the current task, which has just come back, and counts what was decided. */
static __always_inline void walk_comer(void *ctx, struct task_struct *task, u64 now,
				       struct wick_counters *tally)
{
	struct thread *t = bpf_task_storage_get(&threads, task, NULL, 0);
	struct scratch *s;

	if (!t)
		return;
	s = scratch_take(tally);
	if (!s)
		return;
	if (take_leg(s, task, t, now, tally)) {
		take_stacks(ctx, s, task, now, tally);
		if (t->on > t->off && t->on < window.end)
			charge(t, &s->key, 0, now, tally);
		else
			close_late(s, t, 0, now, tally);
	}
	scratch_give_back();
}

/*
 * A switch after the window, before the end's pass is over. Who is met now for the first time has run, or slept, all
 * through the window.
 */
static __always_inline void switch_late(struct task_struct *prev, struct task_struct *next,
					bool dies, struct wick_sched_cpu *cpu, u64 now,
					struct wick_counters *tally)
{
	struct thread *t;

	if (prev->pid && prev->start_time < window.end) {
		t = thread_of(prev, now, tally);
		if (t && !t->on && !t->off)
			t->on = t->begin;
		if (t)
			t->moved = 1;
		if (t && dies && t->wanted != 2)
			ends_late(prev, t, now, tally);
	}
	if (next->pid && next->start_time < window.end) {
		t = thread_of(next, now, tally);
		if (t && !t->on && !t->off) {
			t->off = t->begin;
			t->state = 'S' | WICK_STATE_NEVER_RAN;
		}
		if (t && !t->moved && t->wanted != 2 && t->off >= t->on)
			cpu->to_walk = (u32)next->pid;
		if (t)
			t->moved = 1;
	}
}

SEC("tp_btf/sched_switch")
int BPF_PROG(wick_switch, bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	struct wick_counters *tally = counters_of(WICK_SCHED);
	struct wick_sched_cpu *cpu = this_sched_cpu();
	u64 now = bpf_ktime_get_ns();
	struct thread *t;

	if (!tally || !cpu)
		return 0;
	cpu->to_walk = 0;
	if (!in_window(now)) {
		if (now >= window.end && window.end)
			switch_late(prev, next, !preempt && prev_state & TASK_DEAD, cpu, now,
				    tally);
		return 0;
	}
	tally->at[WICK_RAN]++;
	if (settings.walk_above)
		follow_budget(cpu, now);
	if (prev->pid) {
		t = thread_of(prev, now, tally);
		if (t) {
			leaves(t, cpu, now);
			if (t->block_charge || t->wait_charge)
				count_hidden(prev, t, now, tally);
			t->state = preempt || !prev_state ? 'R' : state_of(prev, prev_state);
			if (!preempt && prev_state & TASK_DEAD)
				ends(t, prev, now, tally);
			else if (settings.walk_before)
				walk_leaver(ctx, prev, t, now, tally);
		}
	}
	if (next->pid) {
		t = thread_of(next, now, tally);
		if (t && comes(t, cpu, now)) {
			struct wick_key key = {.user = t->user, .kernel = t->kernel};

			if (settings.walk_before)
				charge(t, &key, 0, now, tally);
			else
				cpu->to_walk = (u32)next->pid;
		}
	}
	cpu->last_switch = now;
	return 0;
}

/* The end of a switch. Hooks attach one after another: a stale word must not walk the wrong thread. */
static __always_inline void end_of_switch(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wick_sched_cpu *cpu = this_sched_cpu();
	struct wick_counters *tally;

	if (!cpu || !cpu->to_walk || cpu->to_walk != (u32)task->pid)
		return;
	cpu->to_walk = 0;
	tally = counters_of(WICK_SCHED);
	if (tally)
		walk_comer(ctx, task, bpf_ktime_get_ns(), tally);
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
