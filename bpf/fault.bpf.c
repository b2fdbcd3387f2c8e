/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault.bpf.c: the fault instrument: where memory becomes resident, and how long that takes.
 *
 *	page-faults			a fault begins, in user mode or in the kernel, on a user address
 *	rss_stat			the resident set changes: a page, a huge page, 16 pages of a file at once, or not at all
 *	minor-faults, major-faults	the fault is done
 *
 * What changes outside of a fault is a system call's doing (MAP_POPULATE, mlock), and is counted below that call's stack. A fault
 * that ends without an end has failed: a bad address, or a signal came first.
 *
 * A walk costs as much as several faults, so each CPU has a budget of walks. What exceeds it is charged, at once, to
 * its thread's last walk, and one in 16 or so, drawn by lot, is walked. Of faults at one and the same place fewer are walked:
 * they are one stack, as a rule; the first fault elsewhere after many at one place is walked always. So sums are exact, a loop
 * that touches memory is exact, and what is scattered is a fair sample. What is large or slow is always walked for itself.
 */
#include "memory.h"
#include "rss.h"
#include <bpf/bpf_tracing.h>

enum {
	PERIOD_NS = 10 * 1000 * 1000,
	WALKS_A_PERIOD = 50, /* and CPU */
	STEPS_A_WALK = 64,   /* beyond the budget, on average */
	STEPS_ELSEWHERE = 4, /* of a fault that is not where the last walk was; there: 1 */
	MANY_IN_A_ROW = 32,
	SLOW_NS = 100 * 1000,
	LARGE_PAGES = 64,
};

struct fault_cpu {
	u64 period; /* its begin */
	u32 walks;  /* in it */
	u32 pad;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct fault_cpu);
} fault_cpus __weak SEC(".maps");

/* ---- which are walked */

static __always_inline bool within_budget(u64 now)
{
	u32 zero = 0;
	struct fault_cpu *cpu = bpf_map_lookup_elem(&fault_cpus, &zero);

	if (!cpu)
		return false;
	if (now - cpu->period >= PERIOD_NS) {
		cpu->period = now;
		cpu->walks = 0;
	}
	return cpu->walks++ < WALKS_A_PERIOD;
}

static __always_inline u32 draw_steps(void)
{
	return STEPS_A_WALK / 2 + bpf_get_prandom_u32() % STEPS_A_WALK;
}

/* Whether the fault at this place, which would else be charged to the last walk, is worth one of its own. */
static __always_inline bool decide(struct memory_thread *m, u64 ip, u64 sp, u32 state, u64 now)
{
	bool same = ip == m->ip && sp == m->sp && state == m->state;
	u32 steps = same ? 1 : STEPS_ELSEWHERE, row = m->in_a_row;

	m->in_a_row = same ? row + 1 : 0;
	if ((!same && row >= MANY_IN_A_ROW) || within_budget(now))
		return true;
	if (m->walk_in <= steps)
		return true;
	m->walk_in -= steps;
	return false;
}

static __always_inline bool is_of_the_last_walk(const struct memory_thread *m,
						struct task_struct *task)
{
	return m->known.wanted == WANTED && m->ip && m->known.mark == leg_mark(task);
}

static __always_inline void note_walk(struct memory_thread *m, const struct wick_key *key, u64 ip,
				      u64 sp, u32 state)
{
	m->user = key->user;
	m->kernel = key->kernel;
	m->ip = ip;
	m->sp = sp;
	m->state = state;
	m->walk_in = draw_steps();
}

/* Counts what has no stack of its own with those of the last walk. */
static __always_inline void charge_last(const struct memory_thread *m,
					const struct wick_columns *columns, u32 state,
					struct wick_counters *tally)
{
	struct wick_key key = {
		.kind = WICK_FAULT,
		.state = state,
		.leg = m->known.id,
		.user = m->user,
		.kernel = m->kernel,
	};

	count(&key, columns, tally);
}

/* ---- faults */

SEC("?perf_event")
int wick_fault_begins(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wick_counters *tally = counters_of(WICK_FAULT);
	u64 now = bpf_ktime_get_ns(), address;
	struct memory_thread *m;
	struct rss_cell *cell;
	struct mm_struct *mm;

	if (!tally || !in_window(now))
		return 0;
	m = memory_of(task, tally);
	if (!m)
		return 0;
	if (m->fault_began && m->known.wanted == WANTED)
		tally->at[WICK_NO_END]++;
	m->fault_began = now;
	m->fault_pages = 0;
	if (!memory.by_rss)
		return 0;
	mm = task->mm;
	if (!mm)
		return 0;
	address = (u64)BPF_CORE_READ(task, mm);
	cell = rss_cell(address);
	if (cell && !rss_is_known(cell, address, task, 0))
		rss_meet(cell, address, mm, task, 0);
	return 0;
}

/* Leg and stacks of the fault, into s->leg and s->key; false where the filters leave it out. */
static __always_inline bool take_fault(struct bpf_perf_event_data *ctx, struct scratch *s,
				       struct task_struct *task, struct memory_thread *m, u64 now,
				       struct wick_counters *tally)
{
	struct wick_key *key = &s->key;

	if (!take_leg(s, task, &m->known, now, tally))
		return false;
	key->user = key->kernel = 0;
	/* In user mode there is none. */
	if (!filter.no_kernel_stack && !event_in_user(ctx))
		key->kernel = kernel_stack(ctx, s, now, tally);
	if (filter.no_user_stack || !has_user_stack(task, &s->leg.leg))
		return true;
	walk_begin(&s->walk, ctx, task);
	walk_user(s, (u64)BPF_CORE_READ(task, mm));
	key->user = user_stack(task, s, now, tally);
	return true;
}

static __always_inline void walk_fault(struct bpf_perf_event_data *ctx, struct task_struct *task,
				       struct memory_thread *m, const struct wick_columns *columns,
				       u32 state, u64 now, struct wick_counters *tally)
{
	struct scratch *s = scratch_take(tally);

	if (!s)
		return;
	if (take_fault(ctx, s, task, m, now, tally)) {
		note_walk(m, &s->key, EVENT_REGISTER(REGS_IP(&ctx->regs)),
			  EVENT_REGISTER(REGS_SP(&ctx->regs)), state);
		charge_last(m, columns, state, tally);
	}
	scratch_give_back();
}

/* The event's cookie: 1 for major faults. */
SEC("?perf_event")
int wick_fault_ends(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wick_counters *tally = counters_of(WICK_FAULT);
	u32 state = bpf_get_attach_cookie(ctx) ? WICK_MEMORY_MAJOR : 0;
	struct wick_columns columns = {.column = {1}};
	u64 now = bpf_ktime_get_ns();
	struct memory_thread *m;
	s64 pages;
	bool alone;

	if (!tally)
		return 0;
	tally->at[WICK_RAN]++;
	if (!in_window(now)) {
		tally->at[WICK_OUTSIDE]++;
		return 0;
	}
	m = memory_of(task, tally);
	if (!m)
		return 0;
	if (!event_in_user(ctx))
		state |= WICK_MEMORY_IN_KERNEL;
	pages = m->fault_began ? m->fault_pages : 0;
	if (!memory.by_rss)
		pages = 1;
	columns.column[1] = pages > 0 ? (u64)pages << memory.page_bits : 0;
	if (m->fault_began)
		columns.column[2] = now - m->fault_began;
	look_again(&m->known, task);
	if (m->known.wanted == UNWANTED || !on_wanted_cpu()) {
		m->fault_began = 0;
		tally->at[WICK_FILTERED]++;
		return 0;
	}
	if (!m->fault_began)
		tally->at[WICK_NO_BEGIN]++;
	m->fault_began = 0;
	alone = state & WICK_MEMORY_MAJOR || columns.column[2] >= SLOW_NS || pages >= LARGE_PAGES ||
		!is_of_the_last_walk(m, task);
	if (alone || decide(m, EVENT_REGISTER(REGS_IP(&ctx->regs)),
			    EVENT_REGISTER(REGS_SP(&ctx->regs)), state, now))
		walk_fault(ctx, task, m, &columns, state, now, tally);
	else
		charge_last(m, &columns, state, tally);
	return 0;
}

/* ---- the resident set */

/* Pages that a system call has made resident. One call makes many, one by one: it is walked for the first ones. */
static __always_inline void made_resident(void *ctx, struct task_struct *task,
					  struct memory_thread *m, u64 pages, u64 now,
					  struct wick_counters *tally)
{
	struct wick_columns columns = {.column = {0, pages << memory.page_bits}};
	struct scratch *s;
	u64 ip, sp;

	look_again(&m->known, task);
	if (m->known.wanted == UNWANTED || !on_wanted_cpu())
		return;
	s = scratch_take(tally);
	if (!s)
		return;
	walk_begin_in_kernel(&s->walk, task);
	ip = s->walk.regs[WICK_REG_IP];
	sp = s->walk.regs[WICK_REG_SP];
	if (is_of_the_last_walk(m, task) && m->state == WICK_MEMORY_BY_CALL && m->ip == ip &&
	    m->sp == sp && m->walk_in) {
		m->walk_in--;
		charge_last(m, &columns, WICK_MEMORY_BY_CALL, tally);
	} else if (take_leg(s, task, &m->known, now, tally)) {
		take_stacks(ctx, s, task, now, tally);
		note_walk(m, &s->key, ip, sp, WICK_MEMORY_BY_CALL);
		charge_last(m, &columns, WICK_MEMORY_BY_CALL, tally);
	}
	scratch_give_back();
}

/* Another's set, or nobody's yet: it changes by fork, reclaim or exec, and that is nobody's fault. */
static __always_inline void follow_other(struct rss_cell *cell, u64 address, struct mm_struct *mm,
					 u32 member, struct task_struct *task)
{
	if (BPF_CORE_READ_BITFIELD_PROBED(task, in_execve) && !rss_is_known(cell, address, task, 1))
		rss_meet(cell, address, mm, task, 1);
	else if (cell->mm == address)
		rss_change(cell, mm, member);
}

SEC("?tp_btf/rss_stat")
int BPF_PROG(wick_resident, struct mm_struct *mm, int member)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 now = bpf_ktime_get_ns(), address = 0;
	struct wick_counters *tally;
	struct memory_thread *m;
	struct rss_cell *cell;
	bool known;
	s64 pages = 1;

	if (!in_window(now) || (u32)member >= NR_MM_COUNTERS)
		return 0;
	bpf_probe_read_kernel(&address, sizeof(address), &ctx[0]);
	cell = rss_cell(address);
	tally = counters_of(WICK_FAULT);
	if (!cell || !tally)
		return 0;
	if ((u64)BPF_CORE_READ(task, mm) != address) {
		follow_other(cell, address, mm, (u32)member, task);
		return 0;
	}
	known = rss_is_known(cell, address, task, 0);
	if (known)
		pages = rss_change(cell, mm, (u32)member);
	else
		rss_meet(cell, address, mm, task, 0);
	if (member == MM_SWAPENTS)
		return 0;
	m = bpf_task_storage_get(&memory_threads, task, NULL, 0);
	/* An exec's arguments count as the old program's for a while. */
	if (!(m && m->fault_began) &&
	    (pages <= 0 || BPF_CORE_READ_BITFIELD_PROBED(task, in_execve)))
		return 0;
	if (!known)
		tally->at[WICK_LOST_RESIDENT]++;
	if (m && m->fault_began) {
		m->fault_pages += pages;
		return 0;
	}
	m = m ?: memory_of(task, tally);
	if (m)
		made_resident(ctx, task, m, (u64)pages, now, tally);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
