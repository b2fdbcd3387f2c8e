/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.c: the processes that matter, and what delayed them. Running time and time without a
 * CPU are the threads' accounts, which are exact; where only CPUs were sampled, the samples. What
 * the other waits were for is told by the log of blocks (why.h).
 *
 * A process is known by its pid and the start of its image; it is called as its leader was when it
 * last executed something.
 */
#include "base/numbers.h"
#include "base/table.h"
#include "delays.h"

enum { SAMPLES = 0, NS = 1 }; /* columns of a cpu, and of a sched sample */

/* ---- processes */

static void rename_process(struct work *work, const struct profile *p, const struct leg *leg)
{
	const struct image *image = &p->images.at[leg->image];

	if (work->fact.name.s && image->exec_id < work->exec_id)
		return;
	work->fact.name = strings_get(&p->names, process_comm(p, leg));
	work->exec_id = image->exec_id;
}

static u32 find_process(struct making *m, const struct leg *leg)
{
	u64 start_ns = m->p->images.at[leg->image].start_ns;
	u64 hash = hash_u64(hash_u64(leg->pid) ^ start_ns ^ leg->host);
	struct table_probe probe = table_probe(&m->process_table, hash);
	struct work *work;

	while (table_next(&probe)) {
		work = &m->processes.at[probe.ref];
		if (work->fact.pid == leg->pid && work->start_ns == start_ns &&
		    work->host == leg->host)
			return probe.ref;
	}
	table_insert(&m->process_table, hash, (u32)m->processes.nr);
	work = vec_add(&m->processes);
	work->fact.pid = leg->pid;
	work->start_ns = start_ns;
	work->host = leg->host;
	return (u32)m->processes.nr - 1;
}

u32 process_of(struct making *m, u32 ref)
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

/* ---- threads */

/* By thread of the index: the account of a thread has it as time without a CPU. */
static void find_throttled(struct making *m)
{
	if (!m->why)
		return;
	for (u32 i = 0; i < why_nr_threads(m->why); i++)
		*vec_add(&m->throttled) = 0;
	vec_for_each (&m->p->samples, sample)
		if (sample->kind == WICK_SCHED && sample->state & WICK_STATE_THROTTLED)
			add_to_sum(&m->throttled.at[why_thread(m->why, sample->leg)],
				   sample->column[NS]);
}

static u64 throttled_of(const struct making *m, const struct thread_time *t)
{
	return m->why ? m->throttled.at[why_thread(m->why, t->leg)] : 0;
}

static struct busy_fact busy_of(const struct making *m, const struct thread_time *t)
{
	const struct profile *p = m->p;
	const struct leg *leg = &p->legs.at[t->leg];
	u64 no_cpu = saturated((unsigned __int128)t->queued + t->preempted);

	return (struct busy_fact){
		.thread = {.comm = strings_get(&p->names, leg->comm),
			   .pid = leg->pid,
			   .tid = leg->tid},
		.running = t->running,
		.no_cpu = no_cpu - min(no_cpu, throttled_of(m, t)),
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
	const struct busy_fact busy = busy_of(m, t);
	u32 process = process_of(m, t->leg);
	struct work *work = &m->processes.at[process];

	work->fact.nr_threads++;
	add_to_sum(&work->fact.running, busy.running);
	add_to_sum(&work->fact.waits[WHY_CPU], busy.no_cpu);
	add_to_sum(&work->fact.waits[WHY_THROTTLED], throttled_of(m, t));
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

static int compare_processes(const void *a, const void *b)
{
	const struct work *x = a, *y = b;
	int by = descending(x->fact.matters, y->fact.matters);

	return by ? by : x->fact.pid < y->fact.pid ? -1 : x->fact.pid > y->fact.pid;
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

/*
 * Clients wait for their server nearly all the time, and it is the server's waits that matter. Many
 * programs sleep by design, and those that should not are a delay of their own.
 */
static bool is_by_choice(enum why_class class)
{
	return class == WHY_PEER || class == WHY_SLEEP;
}

u64 process_matters(const struct process_fact *fact)
{
	u64 delays = 0;

	for (u32 class = 0; class < NR_WHY_CLASSES; class ++)
		if (is_delay(class) && class != WHY_CPU && !is_by_choice(class))
			add_to_sum(&delays, fact->waits[class]);
	return max(max(fact->running, fact->waits[WHY_CPU]), delays);
}

static void weigh(struct process_facts *facts, struct process_fact *fact)
{
	for (u32 class = 0; class < NR_WHY_CLASSES; class ++)
		add_to_sum(&facts->waits[class], fact->waits[class]);
	add_to_sum(&facts->running, fact->running);
	fact->matters = process_matters(fact);
}

void name_longest(struct making *m, struct delay_fact *longest)
{
	u32 block = m->processes.at[longest->process].longest;

	if (longest->ns && longest->class != WHY_CPU)
		longest->place = place_of_block(m, &m->p->blocks.at[block]);
}

/* Delays name their process by its row: once these are in order. */
static void list_processes(struct making *m)
{
	VEC(u32) rows = {};

	for (u32 i = 0; i < m->processes.nr; i++) {
		weigh(&m->f->processes, &m->processes.at[i].fact);
		m->processes.at[i].fact.longest.process = i;
		vec_add(&rows);
	}
	vec_sort(&m->processes, compare_processes);
	for (u32 i = 0; i < m->processes.nr; i++) {
		struct work *work = &m->processes.at[i];

		rows.at[work->fact.longest.process] = i;
		work->fact.longest.process = i;
		if (i < MOST_PROCESSES)
			name_longest(m, &work->fact.longest);
		*vec_add(&m->f->processes.all) = work->fact;
	}
	vec_for_each (&m->f->processes.delays, delay)
		delay->process = rows.at[delay->process];
	vec_release(&rows);
	process_rows_make(m);
}

static void making_release(struct making *m)
{
	vec_release(&m->processes);
	vec_release(&m->of_leg);
	vec_release(&m->throttled);
	delays_release(m);
	table_release(&m->process_table);
}

/* What the accounts have, and the log has not. A thread that was throttled was not blocked. */
static u64 short_waits(const struct making *m, u64 blocked)
{
	u64 logged = 0, throttled = 0;

	for (u32 class = 0; class < NR_WHY_CLASSES; class ++)
		if (class != WHY_CPU)
			add_to_sum(&logged, m->f->processes.waits[class]);
	vec_for_each (&m->throttled, ns)
		add_to_sum(&throttled, *ns);
	logged -= min(logged, throttled);
	return blocked - min(blocked, logged);
}

static void add_samples(struct making *m)
{
	vec_for_each (&m->p->samples, sample)
		if (sample->kind == WICK_CPU && m->p->legs.at[sample->leg].pid)
			add_running(m, sample);
}

void processes_finish(struct facts *f, struct profile *p)
{
	struct making m = {.f = f, .p = p, .why = f->options.why};

	find_throttled(&m);
	vec_for_each (&p->threads, t)
		if (p->legs.at[t->leg].pid)
			add_thread(&m, t);
	if (f->options.needs & NEED_SCHED)
		delays_add(&m);
	else
		add_samples(&m);
	list_processes(&m);
	quota_finish(&f->processes.quota, p);
	f->processes.short_ns = short_waits(&m, f->waits.account.blocked);
	vec_sort(&f->processes.full, compare_full);
	vec_sort(&f->processes.starved, compare_starved);
	making_release(&m);
}

void processes_release(struct process_facts *processes)
{
	vec_release(&processes->all);
	vec_release(&processes->rows);
	vec_release(&processes->delays);
	vec_release(&processes->full);
	vec_release(&processes->starved);
}
