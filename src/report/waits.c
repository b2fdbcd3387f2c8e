/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waits.c: what the scheduler's instrument saw: time by state, threads that never ran, the longest
 * blocks, and the account: every thread's time is all of its time.
 */
#include "base/table.h"
#include "base/numbers.h"
#include "facts.h"

enum { NS = 1 }; /* column of a sched sample */

size_t letter_index(u32 state)
{
	char letter = (char)(state & WICK_STATE_LETTER);
	const char *at = letter ? strchr(STATE_LETTERS, letter) : NULL;

	return at ? (size_t)(at - STATE_LETTERS) : NR_LETTERS;
}

/* ---- by state */

static void add_time(struct state_times *times, const struct sample *sample)
{
	size_t letter = letter_index(sample->state);

	add_to_sum(&times->ns[letter], sample->column[NS]);
	if (letter == NR_LETTERS || !(STATES_RUNNABLE & 1u << letter))
		add_to_sum(&times->blocked, sample->column[NS]);
	if (sample->state & WICK_STATE_IO)
		add_to_sum(&times->io, sample->column[NS]);
}

static void walked_sum(struct wait_facts *waits, const struct walked_blocks *blocks)
{
	waits->blocks = blocks->blocks;
	waits->walked_blocks = blocks->walked;
	for (size_t i = 0; i < ARRAY_SIZE(blocks->thresholds); i++) {
		const struct walk_threshold *t = &blocks->thresholds[i];

		if (!t->ruled_ns)
			continue;
		*vec_add(&waits->thresholds) =
			(struct threshold_fact){.above_ns = t->above_ns, .ruled_ns = t->ruled_ns};
		add_to_sum(&waits->ruled_ns, t->ruled_ns);
	}
}

static u64 difference(u64 a, u64 b)
{
	return a > b ? a - b : b - a;
}

static struct time_account account_of(const struct thread_time *t)
{
	struct time_account a = {
		.running = t->running,
		.queued = t->queued,
		.preempted = t->preempted,
		.blocked = t->blocked,
		.unaccounted = t->unaccounted,
		.sum = saturated((unsigned __int128)t->running + t->queued + t->preempted +
				 t->blocked + t->unaccounted),
		.expected = t->end - t->begin,
		.ran = t->ran,
		.doubt = difference(t->running, t->ran),
	};

	a.difference = difference(a.sum, a.expected);
	return a;
}

static void close_cpu(struct cpu_account *a)
{
	a->sum = a->running;
	add_to_sum(&a->sum, a->idle);
	a->difference = difference(a->sum, a->expected);
}

/* The CPUs that have an account: with filters, or where no programs are, there are none. */
static void list_cpus(struct wait_facts *waits, const struct profile *p)
{
	for (u32 i = 0; i < p->cpus.nr; i++) {
		const struct cpu_time *time = &p->cpus.at[i];
		struct cpu_account a = {.running = time->running, .idle = time->idle};

		a.expected = profile_cpu_window(p, i, &a.cpu);

		if (!time->idle && !time->running)
			continue;
		close_cpu(&a);
		if (a.difference > clock_tolerance(a.expected))
			*vec_add(&waits->off_cpus) = a;
		waits->nr_cpus++;
		add_to_sum(&waits->cpus.running, a.running);
		add_to_sum(&waits->cpus.idle, a.idle);
		add_to_sum(&waits->cpus.expected, a.expected);
	}
	close_cpu(&waits->cpus);
}

void waits_sum(struct facts *f, const struct profile *p)
{
	const struct thread_time account = profile_threads_time(p);

	f->waits.all = profile_sum(p, WICK_SCHED, NS, 0, 0);
	vec_for_each (&p->samples, sample)
		if (sample->kind == WICK_SCHED)
			add_time(&f->waits.states, sample);
	walked_sum(&f->waits, &p->cost.blocks);
	f->waits.recorded_only = p->dropped_blocks;
	f->waits.logged_from = p->shortest_block;
	f->waits.nr_threads = p->threads.nr;
	f->waits.account = account_of(&account);
	list_cpus(&f->waits, p);
}

/* ---- threads that never ran */

static bool same_thread(const struct leg *a, const struct leg *b)
{
	return a->tid == b->tid && a->pid == b->pid && a->start_ns == b->start_ns &&
	       a->host == b->host;
}

/* True the first time. */
static bool see_thread(struct table *seen, const struct profile *p, u32 ref)
{
	const struct leg *leg = &p->legs.at[ref];
	u64 hash = hash_u64(hash_u64((u64)leg->pid << 32 | leg->tid) ^ leg->start_ns);
	struct table_probe probe = table_probe(seen, hash);

	while (table_next(&probe))
		if (same_thread(&p->legs.at[probe.ref], leg))
			return false;
	table_insert(seen, hash, ref);
	return true;
}

static void find_never_ran(struct wait_facts *waits, const struct profile *p)
{
	struct table seen = {};

	vec_for_each (&p->samples, sample) {
		if (sample->kind != WICK_SCHED || !(sample->state & WICK_STATE_NEVER_RAN))
			continue;
		waits->nr_never_ran += see_thread(&seen, p, sample->leg);
		add_time(&waits->never_ran, sample);
	}
	table_release(&seen);
}

/* ---- the account */

static struct thread_fact thread_of(const struct profile *p, u32 ref)
{
	const struct leg *leg = &p->legs.at[ref];

	return (struct thread_fact){
		.comm = strings_get(&p->names, leg->comm), .pid = leg->pid, .tid = leg->tid};
}

static u64 wrong_by(const struct thread_time *t)
{
	const struct time_account a = account_of(t);

	return a.difference + a.unaccounted + a.doubt;
}

static int compare_times(const void *a, const void *b)
{
	const struct thread_time *x = a, *y = b;
	u64 dx = wrong_by(x), dy = wrong_by(y);

	if (dx != dy)
		return dx > dy ? -1 : 1;
	return x->leg < y->leg ? -1 : x->leg > y->leg;
}

static bool is_off(const struct time_account *a)
{
	return a->difference > clock_tolerance(a->expected) ||
	       a->unaccounted > clock_tolerance(a->expected) ||
	       a->doubt > clock_tolerance(a->running);
}

static void list_threads(struct facts *f, const struct profile *p)
{
	VEC(struct thread_time) times = {};

	vec_for_each (&p->threads, t) {
		const struct time_account account = account_of(t);

		if (f->options.all || is_off(&account))
			*vec_add(&times) = *t;
	}
	vec_sort(&times, compare_times);
	vec_for_each (&times, t) {
		struct account_row *row = vec_add(&f->waits.threads);

		row->thread = thread_of(p, t->leg);
		row->time = account_of(t);
		row->off = is_off(&row->time);
	}
	vec_release(&times);
}

/* ---- the longest blocks */

static struct block_fact block_of(struct facts *f, struct profile *p, const struct block *block)
{
	return (struct block_fact){
		.thread = thread_of(p, block->leg),
		.state = block->state,
		.begin = block->begin - min(block->begin, p->begin),
		.ns = block_ns(block) / block_nr(block),
		.place = place_of(f, p, block->user, block->kernel),
		.waker = waker_of(f, p, block->chain),
	};
}

static void list_longest(struct facts *f, struct profile *p)
{
	const struct block *longest[NR_LONGEST];
	size_t nr = profile_longest(p, longest);

	for (size_t i = 0; i < nr; i++)
		*vec_add(&f->waits.longest) = block_of(f, p, longest[i]);
}

void waits_finish(struct facts *f, struct profile *p)
{
	find_never_ran(&f->waits, p);
	list_threads(f, p);
	list_longest(f, p);
}
