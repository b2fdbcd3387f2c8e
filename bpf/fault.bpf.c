/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault.bpf.c: the fault instrument: where memory becomes resident, and how long that takes.
 *
 *	page-faults			a fault on a user address begins, in user or kernel mode
 *	rss_stat			the resident set changes, by no page, one or many at once
 *	minor-faults, major-faults	the fault is done
 *
 * What changes outside of a fault is a system call's doing (MAP_POPULATE, mlock), and is counted
 * below that call's stack. A fault that ends without an end has failed: a bad address, or a signal
 * came first.
 *
 * What is large or slow is always walked for itself, and major faults are. places.h says which of
 * the others are walked, and what those that are not are counted with.
 */
#include "memory.h"
#include "rss.h"
#include <bpf/bpf_tracing.h>

enum {
	SLOW_NS = 100 * 1000,
	LARGE_PAGES = 64,
};

/* With stacks that are known. */
OWN_FRAME void count_found(const struct memory_thread *m, const struct found *found,
			   const struct wick_columns *columns, u32 state,
			   struct wick_counters *tally)
{
	struct wick_key key = {
		.kind = WICK_FAULT,
		.state = state,
		.leg = m->known.id,
		.user = found->user,
		.kernel = found->kernel,
	};
	u32 slot = slot_take();

	if (slot == WICK_SCRATCH_LEVELS) {
		tally->at[WICK_LOST_SCRATCH]++;
		return;
	}
	count(&key, columns, tally);
	slot_give_back(slot);
}

/* With those in s->key. */
static __always_inline void count_walk(struct scratch *s, const struct wick_columns *columns,
				       u32 state, struct wick_counters *tally)
{
	s->key.kind = WICK_FAULT;
	s->key.state = state;
	count(&s->key, columns, tally);
}

/* ---- faults */

static __always_inline void fault_failed(struct memory_thread *m)
{
	struct wick_counters *tally = counters_of(WICK_FAULT);

	m->fault_began = 0;
	if (tally && m->known.wanted == WANTED)
		tally->at[WICK_NO_END]++;
}

/* This CPU is to know the set, as it is, before it changes. */
static __always_inline void meet_set(struct memory_thread *m, struct task_struct *task)
{
	struct mm_struct *mm = task->mm;
	struct rss_cell *cell;
	u64 set;

	if (!mm)
		return;
	set = rss_set_by(&m->rss_set, mm);
	cell = rss_cell(set);
	if (!cell)
		return;
	if (!rss_is_known(cell, set, task, 0))
		rss_meet(cell, set, mm, task, 0);
	rss_look(cell, &m->seen, set, mm);
}

static __always_inline void fault_begins(struct bpf_perf_event_data *ctx, struct task_struct *task,
					 struct memory_thread *m)
{
	u64 now;

	check_thread(m, task);
	if (m->fault_began)
		fault_failed(m);
	if (is_left_out(m))
		return;
	now = bpf_ktime_get_ns();
	if (!in_window(now))
		return;
	m->fault_began = now;
	m->fault_pages = 0;
	m->fault_guessed = 0;
	if (!memory.by_rss)
		return;
	if (event_in_user(ctx)) {
		m->fault_ip = EVENT_REGISTER(REGS_IP(&ctx->regs));
		m->fault_sp = EVENT_REGISTER(REGS_SP(&ctx->regs));
	} else {
		user_place(task, &m->fault_ip, &m->fault_sp);
	}
	meet_set(m, task);
}

SEC("?perf_event")
int wick_fault_begins(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 begun = meter_begin(WICK_METER_FAULT_BEGINS);
	struct wick_counters *tally;
	struct memory_thread *m;

	m = bpf_task_storage_get(&memory_threads, task, NULL, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (m) {
		fault_begins(ctx, task, m);
	} else {
		tally = counters_of(WICK_FAULT);
		if (tally)
			tally->at[WICK_LOST_THREAD]++;
	}
	end_run(SPENDS_FAULT, WICK_METER_FAULT_BEGINS, NOT_WALKED, begun, 0);
	return 0;
}

/* Leg and stacks of the fault, into s->key; false where the filters leave it out. */
static __always_inline bool take_fault(struct bpf_perf_event_data *ctx, struct scratch *s,
				       struct task_struct *task, struct memory_thread *m, u64 now,
				       struct wick_counters *tally)
{
	struct wick_key *key = &s->key;

	if (!take_leg(s, task, &m->known, now, tally))
		return false;
	/* In user mode there is none. */
	if (!filter.no_kernel_stack && !event_in_user(ctx))
		key->kernel = kernel_stack(ctx, s, now, tally);
	if (filter.no_user_stack || !has_user_stack())
		return true;
	walk_begin(&s->walk, ctx, task);
	key->user = remembered_user_stack(task, s, now, tally);
	return true;
}

static __always_inline bool walk_fault(struct bpf_perf_event_data *ctx, struct task_struct *task,
				       struct memory_thread *m,
				       const struct wick_spending *spending, enum choice choice,
				       u64 now, struct wick_counters *tally)
{
	const struct fault *fault = &m->fault;
	_cleanup_(scratch_give_back) struct scratch *s = scratch_take(tally);

	if (!s || !take_fault(ctx, s, task, m, now, tally))
		return false;
	note_walk(m, BY_FAULT, spending, s, choice, fault->ip, fault->sp, fault->state);
	count_walk(s, &fault->columns, fault->state, tally);
	return true;
}

/* Worth a walk, whatever that costs. */
static __always_inline bool stands_out(const struct fault *fault)
{
	return fault->state & WICK_MEMORY_MAJOR || fault->columns.column[2] >= SLOW_NS ||
	       fault->columns.column[1] >= (u64)LARGE_PAGES << filter.page_bits;
}

static __always_inline enum outcome count_fault(struct bpf_perf_event_data *ctx,
						struct task_struct *task, struct memory_thread *m,
						u64 now, struct wick_counters *tally)
{
	const struct fault *fault = &m->fault;
	struct wick_spending *spending = spending_of(SPENDS_FAULT);
	const struct found *found = NULL;
	enum choice choice;

	if (!spending)
		return NOT_WALKED;
	next_period(spending, SPENDS_FAULT, now);
	if (m->known.wanted != WANTED || stands_out(fault)) {
		walk_fault(ctx, task, m, spending, WALK, now, tally);
		return OBLIGED;
	}
	choice = choose(&m->places, &m->stand_in[BY_FAULT], spending, fault->ip, fault->sp,
			fault->state, &found);
	if (choice == WALK || choice == WALK_FOR_OTHERS) {
		walk_fault(ctx, task, m, spending, choice, now, tally);
		return SAMPLED;
	}
	if (found)
		count_found(m, found, &fault->columns, fault->state, tally);
	return NOT_WALKED;
}

/* *now is set before a walk. */
static __always_inline enum outcome fault_ends(struct bpf_perf_event_data *ctx,
					       struct task_struct *task, struct memory_thread *m,
					       u64 *now, struct wick_counters *tally)
{
	struct fault *fault = &m->fault;
	u64 began = m->fault_began;
	s64 pages = 1;

	m->fault_began = 0;
	if (is_left_out(m)) {
		tally->at[WICK_FILTERED]++;
		return NOT_WALKED;
	}
	*now = bpf_ktime_get_ns();
	if (!in_window(*now)) {
		tally->at[WICK_OUTSIDE]++;
		return NOT_WALKED;
	}
	if (memory.by_rss)
		pages = began ? m->fault_pages : 0;
	fault->columns.column[0] = 1;
	fault->columns.column[1] = pages > 0 ? (u64)pages << filter.page_bits : 0;
	fault->columns.column[2] = began ? *now - began : 0;
	if (began)
		tally->at[WICK_LOST_RESIDENT] += m->fault_guessed;
	else
		tally->at[WICK_NO_BEGIN]++;
	fault->ip = EVENT_REGISTER(REGS_IP(&ctx->regs));
	fault->sp = EVENT_REGISTER(REGS_SP(&ctx->regs));
	/* The event's cookie: 1 for major faults. */
	fault->state = bpf_get_attach_cookie(ctx) ? WICK_MEMORY_MAJOR : 0;
	if (!event_in_user(ctx))
		fault->state |= WICK_MEMORY_IN_KERNEL;
	return count_fault(ctx, task, m, *now, tally);
}

SEC("?perf_event")
int wick_fault_ends(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wick_counters *tally = counters_of(WICK_FAULT);
	u64 begun = meter_begin(WICK_METER_FAULT_ENDS), now = 0;
	enum outcome outcome = NOT_WALKED;
	struct memory_thread *m;

	if (!tally)
		return 0;
	tally->at[WICK_RAN]++;
	m = memory_of(task, tally);
	if (m)
		outcome = fault_ends(ctx, task, m, &now, tally);
	end_run(SPENDS_FAULT, WICK_METER_FAULT_ENDS, outcome, begun, now);
	return 0;
}

/* ---- the resident set */

/*
 * Pages that a system call has made resident. One call makes many, one by one: it is walked for the
 * first ones.
 */
static __always_inline enum outcome made_resident(void *ctx, struct task_struct *task,
						  struct memory_thread *m, u64 pages, bool guessed,
						  u64 now, struct wick_counters *tally)
{
	_cleanup_(scratch_give_back) struct scratch *s = NULL;
	struct wick_columns columns = {.column = {0, pages << filter.page_bits}};
	bool obliged = m->known.wanted != WANTED || pages >= LARGE_PAGES;
	struct wick_spending *spending = spending_of(SPENDS_FAULT);
	const struct found *found = NULL;
	enum choice choice = WALK;
	u64 ip, sp;

	if (!spending)
		return NOT_WALKED;
	next_period(spending, SPENDS_FAULT, now);
	tally->at[WICK_LOST_RESIDENT] += guessed;
	user_place(task, &ip, &sp);
	if (!obliged)
		choice = choose(&m->places, &m->stand_in[BY_RESIDENT], spending, ip, sp,
				WICK_MEMORY_BY_CALL, &found);
	if (found && (choice == AS_PLACE || choice == AS_STAND_IN)) {
		count_found(m, found, &columns, WICK_MEMORY_BY_CALL, tally);
		return NOT_WALKED;
	}
	s = scratch_take(tally);
	if (!s || !take_leg(s, task, &m->known, now, tally))
		return NOT_WALKED;
	take_stacks(ctx, s, task, true, now, tally);
	note_walk(m, BY_RESIDENT, spending, s, choice, ip, sp, WICK_MEMORY_BY_CALL);
	count_walk(s, &columns, WICK_MEMORY_BY_CALL, tally);
	return obliged ? OBLIGED : SAMPLED;
}

/* The call that the current task has entered. */
static __always_inline bool is_in_exec(struct task_struct *task)
{
	struct pt_regs *regs = task_user_regs(task);
	typeof(CALL_NUMBER(regs)) number = 0;

	bpf_probe_read_kernel(&number, sizeof(number), &CALL_NUMBER(regs));
	return number == CALL_EXECVE || number == CALL_EXECVEAT;
}

/*
 * Another process's set, or one that has no process yet: it changes by fork, reclaim or exec, which
 * are no faults.
 */
static __always_inline void follow_other(struct rss_cell *cell, u64 set, struct mm_struct *mm,
					 u32 member, struct task_struct *task)
{
	if (BPF_CORE_READ_BITFIELD_PROBED(task, in_execve) && !rss_is_known(cell, set, task, 1))
		rss_meet(cell, set, mm, task, 1);
	else if (cell->set == set)
		rss_change(cell, mm, member);
}

/*
 * By how many pages the current task's set has changed. A guess, where this CPU has not met the
 * set.
 */
static __always_inline s64 pages_of(struct rss_cell *cell, u64 set, struct mm_struct *mm,
				    u32 member, struct task_struct *task, bool *guessed)
{
	*guessed = !rss_is_known(cell, set, task, 0);
	if (!*guessed)
		return rss_change(cell, mm, member);
	rss_meet(cell, set, mm, task, 0);
	return 1;
}

/*
 * Is the thread still in the fault that has begun? One that failed leaves no other trace than that
 * the thread has left user mode again since, elsewhere.
 */
static __always_inline bool is_in_fault(struct memory_thread *m, struct task_struct *task)
{
	u64 ip, sp;

	if (!m->fault_began)
		return false;
	user_place(task, &ip, &sp);
	if (ip == m->fault_ip && sp == m->fault_sp)
		return true;
	fault_failed(m);
	return false;
}

/* Outside of a fault, the set of the current task has grown. */
static __always_inline enum outcome grown(void *ctx, struct task_struct *task, u64 pages,
					  bool guessed, u64 now)
{
	struct wick_counters *tally = counters_of(WICK_FAULT);
	struct memory_thread *m;

	/* An exec's arguments count as the old program's for a while. */
	if (!tally || is_in_exec(task))
		return NOT_WALKED;
	m = memory_of(task, tally);
	if (!m)
		return NOT_WALKED;
	check_thread(m, task);
	return is_left_out(m) ? NOT_WALKED
			      : made_resident(ctx, task, m, pages, guessed, now, tally);
}

/* *walked_at is when a run that walks has begun. */
static __always_inline enum outcome resident_changes(void *ctx, struct task_struct *task,
						     struct mm_struct *mm, u32 member,
						     u64 *walked_at)
{
	struct memory_thread *m = bpf_task_storage_get(&memory_threads, task, NULL, 0);
	u64 set = m ? rss_set_by(&m->rss_set, mm) : rss_set(mm);
	struct rss_cell *cell = rss_cell(set);
	bool guessed;
	s64 pages;

	if (!cell)
		return NOT_WALKED;
	if (task->mm != mm) {
		follow_other(cell, set, mm, member, task);
		return NOT_WALKED;
	}
	if (m && is_unwanted(&m->known) && m->last_mark == quick_mark(task)) {
		if (cell->set == set) /* to be met again by those that are wanted */
			cell->set = 0;
		return NOT_WALKED;
	}
	if (m)
		rss_come(cell, &m->seen, set);
	pages = pages_of(cell, set, mm, member, task, &guessed);
	if (m)
		rss_note(cell, &m->seen, set);
	if (m && is_in_fault(m, task)) {
		m->fault_guessed += guessed;
		if (member != MM_SWAPENTS)
			m->fault_pages += pages;
		return NOT_WALKED;
	}
	if (pages <= 0 || member == MM_SWAPENTS)
		return NOT_WALKED;
	*walked_at = bpf_ktime_get_ns();
	if (!in_window(*walked_at))
		return NOT_WALKED;
	return grown(ctx, task, (u64)pages, guessed, *walked_at);
}

SEC("?tp_btf/rss_stat")
int BPF_PROG(wick_resident, struct mm_struct *mm, int member)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 begun = meter_begin(WICK_METER_RESIDENT), walked_at = 0;
	enum outcome outcome;

	if ((u32)member >= NR_MM_COUNTERS)
		return 0;
	outcome = resident_changes(ctx, task, mm, (u32)member, &walked_at);
	end_run(SPENDS_FAULT, WICK_METER_RESIDENT, outcome, begun, walked_at);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
