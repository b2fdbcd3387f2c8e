/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.c: the processes that matter, and what delayed them. Running time and time without a
 * CPU are the threads' accounts, which are exact; where only CPUs were sampled, the samples. What
 * the other waits were for is told by the samples of sched.
 *
 * A process is known by its pid and the start of its image; it is called as its leader was when it
 * last executed something.
 */
#include "base/numbers.h"
#include "base/table.h"
#include "facts.h"
#include "wait_class.h"

enum { COUNT = 0, NS = 1, LONGEST_NS = 2, SAMPLES = 0 }; /* columns of sched and cpu samples */

/* Where a thread waits: which kind of wait that is, and the place's name, once asked for. */
struct spot {
	u32 user, kernel;
	enum wait_class class;
	bool is_named;
	struct string place;
};

/* A delay_fact in the making. */
struct group {
	struct delay_fact delay;
	u32 chain; /* of the sample that has the most of it ... */
	u64 chain_ns;
};

/* A process_fact in the making. */
struct work {
	struct process_fact fact;
	u64 start_ns;
	u32 exec_id;
	u32 longest; /* sample + 1 */
};

struct making {
	struct facts *f;
	struct profile *p;
	VEC(struct work) processes;
	VEC(u32) of_leg; /* process + 1 */
	VEC(struct spot) spots;
	VEC(struct group) groups;
	struct table process_table, spot_table, group_table;
};

/* ---- processes */

static void rename_process(struct work *work, const struct profile *p, const struct leg *leg)
{
	const struct image *image = &p->images.at[leg->image];
	u32 comm = leg->image ? image->comm : leg->comm;

	if (work->fact.name.s && image->exec_id < work->exec_id)
		return;
	work->fact.name = strings_get(&p->names, comm);
	work->exec_id = image->exec_id;
}

static u32 find_process(struct making *m, const struct leg *leg)
{
	u64 start_ns = m->p->images.at[leg->image].start_ns;
	u64 hash = hash_u64(hash_u64(leg->pid) ^ start_ns);
	struct table_probe probe = table_probe(&m->process_table, hash);
	struct work *work;

	while (table_next(&probe)) {
		work = &m->processes.at[probe.ref];
		if (work->fact.pid == leg->pid && work->start_ns == start_ns)
			return probe.ref;
	}
	table_insert(&m->process_table, hash, (u32)m->processes.nr);
	work = vec_add(&m->processes);
	work->fact.pid = leg->pid;
	work->start_ns = start_ns;
	return (u32)m->processes.nr - 1;
}

static u32 process_of(struct making *m, u32 ref)
{
	const struct leg *leg = &m->p->legs.at[ref];
	u32 process;

	while (m->of_leg.nr <= ref)
		vec_add(&m->of_leg);
	if (m->of_leg.at[ref])
		return m->of_leg.at[ref] - 1;
	process = find_process(m, leg);
	rename_process(&m->processes.at[process], m->p, leg);
	m->of_leg.at[ref] = process + 1;
	return process;
}

/* ---- places */

static struct spot *spot_of(struct making *m, const struct sample *sample)
{
	u64 hash = hash_u64((u64)sample->user << 32 | sample->kernel);
	struct table_probe probe = table_probe(&m->spot_table, hash);
	struct spot *spot;

	while (table_next(&probe)) {
		spot = &m->spots.at[probe.ref];
		if (spot->user == sample->user && spot->kernel == sample->kernel)
			return spot;
	}
	table_insert(&m->spot_table, hash, (u32)m->spots.nr);
	spot = vec_add(&m->spots);
	spot->user = sample->user;
	spot->kernel = sample->kernel;
	spot->class = wait_class_of_stacks(m->p, sample->user, sample->kernel);
	return spot;
}

static struct string place_at(struct making *m, struct spot *spot)
{
	if (!spot->is_named)
		spot->place = short_place_of(m->f, m->p, spot->user, spot->kernel);
	spot->is_named = true;
	return spot->place;
}

/* ---- delays */

/* Places are interned: equal ones are the same string. */
static struct group *group_of(struct making *m, u32 process, enum wait_class class,
			      struct string place)
{
	u64 hash = hash_u64(hash_u64((u64)(uintptr_t)place.s) ^ ((u64)process << 8 | class));
	struct table_probe probe = table_probe(&m->group_table, hash);
	struct group *group;

	while (table_next(&probe)) {
		group = &m->groups.at[probe.ref];
		if (group->delay.process == process && group->delay.class == class &&
		    group->delay.place.s == place.s)
			return group;
	}
	table_insert(&m->group_table, hash, (u32)m->groups.nr);
	group = vec_add(&m->groups);
	group->delay = (struct delay_fact){.process = process, .class = class, .place = place};
	return group;
}

static void add_to_delay(struct making *m, u32 process, enum wait_class class, struct spot *spot,
			 const struct sample *sample)
{
	struct string place = {"", 0};
	struct group *group;

	if (class != WAIT_NO_CPU)
		place = place_at(m, spot);
	group = group_of(m, process, class, place);
	add_to_sum(&group->delay.ns, sample->column[NS]);
	add_to_sum(&group->delay.nr, sample->column[COUNT]);
	group->delay.longest_ns = max(group->delay.longest_ns, sample->column[LONGEST_NS]);
	if (sample->column[NS] <= group->chain_ns)
		return;
	group->chain_ns = sample->column[NS];
	group->chain = sample->chain;
}

/* Time without a CPU has come with the accounts. */
static void add_wait(struct making *m, u32 ref)
{
	const struct sample *sample = &m->p->samples.at[ref];
	struct spot *spot = spot_of(m, sample);
	enum wait_class class = wait_class_of(m->p, sample, spot->class);
	u32 process = process_of(m, sample->leg);
	struct work *work = &m->processes.at[process];

	if (class != WAIT_NO_CPU)
		add_to_sum(&work->fact.waits[class], sample->column[NS]);
	if (!wait_is_delay(class) || !sample->column[NS])
		return;
	add_to_delay(m, process, class, spot, sample);
	if (sample->column[LONGEST_NS] <= work->fact.longest.longest_ns)
		return;
	work->fact.longest = (struct delay_fact){.process = process,
						 .class = class,
						 .ns = sample->column[NS],
						 .nr = sample->column[COUNT],
						 .longest_ns = sample->column[LONGEST_NS]};
	work->longest = ref + 1;
}

/* ---- threads */

static struct busy_fact busy_of(const struct profile *p, const struct thread_time *t)
{
	const struct leg *leg = &p->legs.at[t->leg];

	return (struct busy_fact){
		.thread = {.comm = strings_get(&p->names, leg->comm),
			   .pid = leg->pid,
			   .tid = leg->tid},
		.running = t->running,
		.no_cpu = saturated((unsigned __int128)t->queued + t->preempted),
		.existed = t->end - t->begin,
	};
}

/* What is said of a thread that lived for a moment only would be true of any. */
static void judge_thread(struct making *m, const struct busy_fact *busy)
{
	u64 window = m->p->end - m->p->begin;

	if (busy->existed >= window / 2 && busy->running >= busy->existed / 100 * 95)
		*vec_add(&m->f->processes.full) = *busy;
	if (busy->existed >= window / 10 && busy->no_cpu >= busy->existed / 5 &&
	    busy->no_cpu > busy->running)
		*vec_add(&m->f->processes.starved) = *busy;
}

static void add_thread(struct making *m, const struct thread_time *t)
{
	const struct busy_fact busy = busy_of(m->p, t);
	u32 process = process_of(m, t->leg);
	struct work *work = &m->processes.at[process];

	work->fact.nr_threads++;
	add_to_sum(&work->fact.running, busy.running);
	add_to_sum(&work->fact.waits[WAIT_NO_CPU], busy.no_cpu);
	judge_thread(m, &busy);
}

static void add_running(struct making *m, const struct sample *sample)
{
	u64 period = NSEC_PER_SEC / max(m->p->frequency, 1u);
	u32 process = process_of(m, sample->leg);
	struct work *work = &m->processes.at[process];

	add_to_sum(&work->fact.running,
		   saturated((unsigned __int128)sample->column[SAMPLES] * period));
}

/* ---- all of it, in order */

static int descending(u64 x, u64 y)
{
	return x < y ? 1 : x > y ? -1 : 0;
}

static int compare_processes(const void *a, const void *b)
{
	const struct work *x = a, *y = b;
	int by = descending(x->fact.matters, y->fact.matters);

	return by ? by : x->fact.pid < y->fact.pid ? -1 : x->fact.pid > y->fact.pid;
}

static int compare_groups(const void *a, const void *b)
{
	const struct delay_fact *x = &((const struct group *)a)->delay;
	const struct delay_fact *y = &((const struct group *)b)->delay;
	int by = descending(x->ns, y->ns);

	return by ? by : x->process < y->process ? -1 : x->process > y->process;
}

static int compare_full(const void *a, const void *b)
{
	return descending(((const struct busy_fact *)a)->running,
			  ((const struct busy_fact *)b)->running);
}

static int compare_starved(const void *a, const void *b)
{
	return descending(((const struct busy_fact *)a)->no_cpu,
			  ((const struct busy_fact *)b)->no_cpu);
}

static void weigh(struct process_facts *facts, struct process_fact *fact)
{
	u64 delays = 0;

	for (u32 class = 0; class < NR_WAITS; class ++) {
		add_to_sum(&facts->waits[class], fact->waits[class]);
		if (wait_is_delay(class) && class != WAIT_NO_CPU)
			add_to_sum(&delays, fact->waits[class]);
	}
	add_to_sum(&facts->running, fact->running);
	fact->matters = max(max(fact->running, fact->waits[WAIT_NO_CPU]), delays);
}

static void name_longest(struct making *m, struct work *work)
{
	const struct sample *sample;

	if (!work->longest)
		return;
	sample = &m->p->samples.at[work->longest - 1];
	work->fact.longest.waker = waker_of(m->f, m->p, sample->chain);
	work->fact.longest.place = work->fact.longest.class == WAIT_NO_CPU
					   ? (struct string){"", 0}
					   : place_at(m, spot_of(m, sample));
}

/* Delays name their process by its row: once these are in order. */
static void list_processes(struct making *m)
{
	VEC(u32) rows = {};

	for (u32 i = 0; i < m->processes.nr; i++) {
		weigh(&m->f->processes, &m->processes.at[i].fact);
		m->processes.at[i].fact.longest.process = i;
	}
	vec_sort(&m->processes, compare_processes);
	for (u32 i = 0; i < m->processes.nr; i++)
		vec_add(&rows);
	for (u32 i = 0; i < m->processes.nr; i++) {
		struct work *work = &m->processes.at[i];

		rows.at[work->fact.longest.process] = i;
		work->fact.longest.process = i;
		if (i < MOST_PROCESSES)
			name_longest(m, work);
		*vec_add(&m->f->processes.all) = work->fact;
	}
	vec_for_each (&m->groups, group)
		group->delay.process = rows.at[group->delay.process];
	vec_release(&rows);
}

static void list_delays(struct making *m)
{
	vec_sort(&m->groups, compare_groups);
	for (size_t i = 0; i < min(m->groups.nr, (size_t)MOST_DELAYS); i++) {
		struct group *group = &m->groups.at[i];

		group->delay.waker = waker_of(m->f, m->p, group->chain);
		*vec_add(&m->f->processes.delays) = group->delay;
	}
}

static void making_release(struct making *m)
{
	vec_release(&m->processes);
	vec_release(&m->of_leg);
	vec_release(&m->spots);
	vec_release(&m->groups);
	table_release(&m->process_table);
	table_release(&m->spot_table);
	table_release(&m->group_table);
}

void processes_finish(struct facts *f, struct profile *p)
{
	bool waits = f->options.needs & NEED_SCHED;
	struct making m = {.f = f, .p = p};

	vec_for_each (&p->threads, t)
		if (p->legs.at[t->leg].pid)
			add_thread(&m, t);
	for (u32 i = 0; i < p->samples.nr; i++) {
		const struct sample *sample = &p->samples.at[i];

		if (!p->legs.at[sample->leg].pid)
			continue;
		if (waits && sample->kind == WICK_SCHED)
			add_wait(&m, i);
		else if (!waits && sample->kind == WICK_CPU)
			add_running(&m, sample);
	}
	list_processes(&m);
	list_delays(&m);
	vec_sort(&f->processes.full, compare_full);
	vec_sort(&f->processes.starved, compare_starved);
	making_release(&m);
}

void processes_release(struct process_facts *processes)
{
	vec_release(&processes->all);
	vec_release(&processes->delays);
	vec_release(&processes->full);
	vec_release(&processes->starved);
}
