/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen_warnings.c: the first screen's warnings, each with the figures that it is drawn from. */
#include "format.h"
#include "screen.h"

enum { NAMED = 3, RUNNERS = 2, ENOUGH_IDLE = 20 };

static void begin(struct strbuf *line)
{
	strbuf_adds(line, "warning   ");
}

static double share_of_window(const struct facts *f, u64 ns)
{
	return percent(ns, f->run.length_ns);
}

/* ---- too few CPUs */

/* "; ran: burner 812 (45 %), burner 813 (44 %)"; with filters, others may have run. */
static void add_most_running(struct strbuf *b, const struct facts *f)
{
	const struct process_row *most[RUNNERS] = {};
	const char *before = "; ran: ";

	vec_for_each (&f->processes.rows, row) {
		const struct process_row *here = row;

		for (size_t i = 0; i < RUNNERS && here; i++) {
			const struct process_row *other = most[i];

			if (other && other->fact.running >= here->fact.running)
				continue;
			most[i] = here;
			here = other;
		}
	}
	for (size_t i = 0; i < RUNNERS && most[i] && most[i]->fact.running; i++) {
		strbuf_adds(b, before);
		add_processes(b, most[i]);
		strbuf_addf(b, " (%.0f %%)", share_of_window(f, most[i]->fact.running));
		before = ", ";
	}
}

static void warn_of_load(struct fitted *to, const struct facts *f)
{
	const struct cpu_account *cpus = &f->waits.cpus;
	u64 without = f->processes.waits[WHY_CPU];
	_cleanup_strbuf_ struct strbuf line = {};

	if (!without || without < f->run.length_ns / 2)
		return;
	begin(&line);
	strbuf_addf(&line, "%.1f thread%s had no CPU",
		    (double)without / (double)max(f->run.length_ns, (u64)1),
		    without < f->run.length_ns ? "" : "s");
	if (f->waits.nr_cpus && percent(cpus->idle, cpus->expected) >= ENOUGH_IDLE)
		strbuf_addf(&line, ", %.0f %% idle (pinned?)", percent(cpus->idle, cpus->expected));
	if (!f->run.filters.size)
		add_most_running(&line, f);
	fitted_add(to, &line);
}

/* ---- threads */

static void add_busy(struct strbuf *b, const struct busy_fact *busy, u64 ns)
{
	add_process(b, busy->thread.comm, busy->thread.tid);
	strbuf_addf(b, " (%.0f %%)", percent(ns, busy->existed));
}

static void add_number_left(struct strbuf *b, size_t nr)
{
	if (nr > NAMED)
		strbuf_addf(b, " and %zu more", nr - NAMED);
}

static void warn_of_starved(struct fitted *to, const struct facts *f)
{
	const struct process_facts *processes = &f->processes;
	_cleanup_strbuf_ struct strbuf line = {};

	if (!processes->starved.nr)
		return;
	begin(&line);
	strbuf_adds(&line, "ready, but without a CPU: ");
	for (size_t i = 0; i < min(processes->starved.nr, (size_t)NAMED); i++) {
		strbuf_adds(&line, i ? ", " : "");
		add_busy(&line, &processes->starved.at[i], processes->starved.at[i].no_cpu);
	}
	add_number_left(&line, processes->starved.nr);
	fitted_add(to, &line);
}

static void warn_of_full(struct fitted *to, const struct facts *f)
{
	const struct process_facts *processes = &f->processes;
	_cleanup_strbuf_ struct strbuf line = {};

	if (!processes->full.nr)
		return;
	begin(&line);
	strbuf_addf(&line, "thread%s at 100 %% of a CPU: ", plural(processes->full.nr));
	for (size_t i = 0; i < min(processes->full.nr, (size_t)NAMED); i++) {
		strbuf_adds(&line, i ? ", " : "");
		add_busy(&line, &processes->full.at[i], processes->full.at[i].running);
	}
	add_number_left(&line, processes->full.nr);
	fitted_add(to, &line);
}

/* ---- what processes waited for */

/* Which waited the longest for that. */
static const struct process_row *most_of(const struct process_facts *processes,
					 enum why_class class)
{
	const struct process_row *most = NULL;

	vec_for_each (&processes->rows, row)
		if (!most || row->fact.waits[class] > most->fact.waits[class])
			most = row;
	return most;
}

/* "; quota used by burner 812 (45 %), burner 813 (44 %) of /docker/x" */
static void add_quota_users(struct strbuf *b, const struct facts *f)
{
	const struct quota_fact *quota = &f->processes.quota;
	const char *before = "; quota used by ";

	for (size_t i = 0; i < MOST_QUOTA_USERS && quota->users[i].name.s; i++) {
		strbuf_adds(b, before);
		add_process(b, quota->users[i].name, quota->users[i].pid);
		strbuf_addf(b, " (%.0f %%)", share_of_window(f, quota->users[i].running));
		before = ", ";
	}
	if (!quota->users[0].name.s)
		return;
	strbuf_adds(b, " of ");
	add_string(b, quota->cgroup);
}

static void warn_of_quota(struct fitted *to, const struct facts *f)
{
	u64 ns = f->processes.waits[WHY_THROTTLED];
	_cleanup_strbuf_ struct strbuf line = {};
	const struct process_row *most;

	if (!ns || ns < f->run.length_ns / 100)
		return;
	most = most_of(&f->processes, WHY_THROTTLED);
	begin(&line);
	strbuf_adds(&line, "throttled ");
	add_seconds(&line, ns);
	strbuf_adds(&line, " (cpu.max), most ");
	add_processes(&line, most);
	add_quota_users(&line, f);
	fitted_add(to, &line);
}

static void warn_of_paging(struct fitted *to, const struct facts *f)
{
	u64 ns = f->processes.waits[WHY_PAGING];
	_cleanup_strbuf_ struct strbuf line = {};
	const struct process_row *most;

	if (!ns || ns < f->run.length_ns / 100)
		return;
	most = most_of(&f->processes, WHY_PAGING);
	begin(&line);
	strbuf_adds(&line, "paging: ");
	add_seconds(&line, ns);
	strbuf_adds(&line, " of waits for pages");
	if (f->faults.major) {
		strbuf_adds(&line, ", ");
		strbuf_add_number(&line, f->faults.major);
		strbuf_adds(&line, " major faults");
	}
	strbuf_adds(&line, "; most: ");
	add_processes(&line, most);
	fitted_add(to, &line);
}

void screen_warnings(struct fitted *to, const struct facts *f)
{
	warn_of_load(to, f);
	warn_of_starved(to, f);
	warn_of_full(to, f);
	warn_of_quota(to, f);
	warn_of_paging(to, f);
}
