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
 * A walk costs as much as several faults, so each CPU has a budget of walks. What exceeds it is
 * counted at once, with stacks that are known. A thread keeps the places, instruction and stack
 * pointer, of its last walks. A fault at one of those has the stack that was found there, and that
 * is looked at again for one in 64 or so, drawn by lot. Of faults at other places one in 16 is
 * walked, and takes the place of an old one; the others are counted with the last of them. So sums
 * are exact, loops that touch memory are exact, and what is scattered is a fair sample. What is
 * large or slow is always walked for itself.
 */
#include "memory.h"
#include "rss.h"
#include <bpf/bpf_tracing.h>

enum {
	PERIOD_NS = 10 * 1000 * 1000,
	WALKS_A_PERIOD = 50, /* and CPU */
	AGAIN = 64,	     /* faults at a place that is known, to a walk */
	ELSEWHERE = 16,	     /* at others */
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

/* So that no rhythm can hide. */
static __always_inline u32 draw(u32 mean)
{
	return mean / 2 + bpf_get_prandom_u32() % mean;
}

enum { NO_PLACE = FAULT_PLACES };

static __always_inline u32 find_place(const struct memory_thread *m, u64 ip, u64 sp, u32 state)
{
	for (u32 i = 0; i < FAULT_PLACES; i++)
		if (m->places[i].ip == ip && m->places[i].sp == sp && m->places[i].state == state)
			return i;
	return NO_PLACE;
}

static __always_inline struct fault_place *place_at(struct memory_thread *m, u32 i)
{
	/* The verifier has to see that it is one of them. */
	barrier_var(i);
	return &m->places[i % FAULT_PLACES];
}

/* Is a fault worth a walk? If not, *place is one whose stacks it is counted with. */
static __always_inline bool decide(struct memory_thread *m, u64 ip, u64 sp, u32 *place, u64 now)
{
	bool again = ip == m->last_ip && sp == m->last_sp;
	u32 *walk_in = &m->walk_in;

	m->last_ip = ip;
	m->last_sp = sp;
	if (within_budget(now))
		return true;
	if (*place != NO_PLACE) {
		walk_in = &place_at(m, *place)->walk_in;
	} else {
		if (again) /* a loop begins */
			return true;
		*place = m->latest;
	}
	if (!*walk_in)
		return true;
	*walk_in -= 1;
	return false;
}

/* What is known of a thread's places is another program's, or bears another name. */
static __always_inline void forget_others(struct memory_thread *m, struct task_struct *task)
{
	if (m->known.wanted == WANTED && m->known.mark == leg_mark(task))
		return;
	for (u32 i = 0; i < FAULT_PLACES; i++)
		m->places[i].ip = m->places[i].sp = 0;
	m->known.wanted = WANTED_UNKNOWN;
}

/* The stacks in the scratch's key have been found there. */
static __always_inline struct fault_place *
note_place(struct memory_thread *m, const struct scratch *s, u64 ip, u64 sp, u32 state)
{
	u32 at = find_place(m, ip, sp, state);
	struct fault_place *place;

	if (at == NO_PLACE) {
		at = m->latest = (m->latest + 1) % FAULT_PLACES;
		m->walk_in = draw(ELSEWHERE);
	}
	place = place_at(m, at);
	place->ip = ip;
	place->sp = sp;
	place->state = state;
	place->user = s->key.user;
	place->kernel = s->key.kernel;
	/* What is only a part will be whole in a moment. */
	place->walk_in = draw(s->walk.is_cut ? ELSEWHERE : AGAIN);
	return place;
}

OWN_FRAME void count_at(const struct memory_thread *m, const struct fault_place *place,
			const struct wick_columns *columns, u32 state, struct wick_counters *tally)
{
	struct wick_key key = {
		.kind = WICK_FAULT,
		.state = state,
		.leg = m->known.id,
		.user = place->user,
		.kernel = place->kernel,
	};

	count(&key, columns, tally);
}

/* ---- faults */

SEC("?perf_event")
int wick_fault_begins(struct bpf_perf_event_data *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wick_counters *tally = counters_of(WICK_FAULT);
	u64 now = bpf_ktime_get_ns(), set;
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
	m->fault_guessed = 0;
	if (!memory.by_rss)
		return 0;
	mm = task->mm;
	if (!mm)
		return 0;
	set = rss_set(mm);
	cell = rss_cell(set);
	if (cell && !rss_is_known(cell, set, task, 0))
		rss_meet(cell, mm, task, 0);
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
	if (filter.no_user_stack || !has_user_stack(task))
		return true;
	walk_begin(&s->walk, ctx, task);
	key->user = remembered_user_stack(task, s, now, tally);
	return true;
}

static __always_inline void walk_fault(struct bpf_perf_event_data *ctx, struct task_struct *task,
				       struct memory_thread *m, const struct wick_columns *columns,
				       u32 state, u64 now, struct wick_counters *tally)
{
	_cleanup_(scratch_give_back) struct scratch *s = scratch_take(tally);
	struct fault_place *place;

	if (!s || !take_fault(ctx, s, task, m, now, tally))
		return;
	place = note_place(m, s, EVENT_REGISTER(REGS_IP(&ctx->regs)),
			   EVENT_REGISTER(REGS_SP(&ctx->regs)), state);
	count_at(m, place, columns, state, tally);
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
	u64 ip, sp;
	s64 pages;
	bool alone;
	u32 place;

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
	columns.column[1] = pages > 0 ? (u64)pages << filter.page_bits : 0;
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
	else
		tally->at[WICK_LOST_RESIDENT] += m->fault_guessed;
	m->fault_began = 0;
	forget_others(m, task);
	ip = EVENT_REGISTER(REGS_IP(&ctx->regs));
	sp = EVENT_REGISTER(REGS_SP(&ctx->regs));
	place = find_place(m, ip, sp, state);
	alone = state & WICK_MEMORY_MAJOR || columns.column[2] >= SLOW_NS || pages >= LARGE_PAGES ||
		m->known.wanted != WANTED;
	if (alone || decide(m, ip, sp, &place, now))
		walk_fault(ctx, task, m, &columns, state, now, tally);
	else
		count_at(m, place_at(m, place), &columns, state, tally);
	return 0;
}

/* ---- the resident set */

/*
 * Pages that a system call has made resident. One call makes many, one by one: it is walked for the
 * first ones.
 */
static __always_inline void made_resident(void *ctx, struct task_struct *task,
					  struct memory_thread *m, u64 pages, bool guessed, u64 now,
					  struct wick_counters *tally)
{
	_cleanup_(scratch_give_back) struct scratch *s = NULL;
	struct wick_columns columns = {.column = {0, pages << filter.page_bits}};
	struct fault_place *place;
	bool found = false;
	u64 ip, sp;
	u32 at;

	look_again(&m->known, task);
	if (m->known.wanted == UNWANTED || !on_wanted_cpu())
		return;
	tally->at[WICK_LOST_RESIDENT] += guessed;
	s = scratch_take(tally);
	if (!s)
		return;
	walk_begin_in_kernel(&s->walk, task);
	ip = s->walk.regs[WICK_REG_IP];
	sp = s->walk.regs[WICK_REG_SP];
	forget_others(m, task);
	at = find_place(m, ip, sp, WICK_MEMORY_BY_CALL);
	place = place_at(m, at);
	if (at != NO_PLACE && place->walk_in) {
		place->walk_in--;
		found = true;
	} else if (take_leg(s, task, &m->known, now, tally)) {
		take_stacks(ctx, s, task, now, tally);
		place = note_place(m, s, ip, sp, WICK_MEMORY_BY_CALL);
		found = true;
	}
	if (found)
		count_at(m, place, &columns, WICK_MEMORY_BY_CALL, tally);
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
		rss_meet(cell, mm, task, 1);
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
	rss_meet(cell, mm, task, 0);
	return 1;
}

SEC("?tp_btf/rss_stat")
int BPF_PROG(wick_resident, struct mm_struct *mm, int member)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct wick_counters *tally = counters_of(WICK_FAULT);
	u64 set = rss_set(mm), now;
	struct rss_cell *cell = rss_cell(set);
	struct memory_thread *m;
	bool guessed;
	s64 pages;

	if (!tally || !cell || (u32)member >= NR_MM_COUNTERS)
		return 0;
	if (task->mm != mm) {
		follow_other(cell, set, mm, (u32)member, task);
		return 0;
	}
	m = bpf_task_storage_get(&memory_threads, task, NULL, 0);
	if (m && m->fault_began) {
		pages = pages_of(cell, set, mm, (u32)member, task, &guessed);
		m->fault_guessed += guessed;
		if (member != MM_SWAPENTS)
			m->fault_pages += pages;
		return 0;
	}
	now = bpf_ktime_get_ns();
	/* An exec's arguments count as the old program's for a while. */
	if (!in_window(now) || is_in_exec(task)) {
		if (cell->set == set)
			rss_change(cell, mm, (u32)member);
		return 0;
	}
	pages = pages_of(cell, set, mm, (u32)member, task, &guessed);
	if (pages <= 0 || member == MM_SWAPENTS)
		return 0;
	m = m ?: memory_of(task, tally);
	if (m)
		made_resident(ctx, task, m, (u64)pages, guessed, now, tally);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
