/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen_table.c: the first screen's table of processes, and its delays. A column in which no row
 * has anything is left out, which leaves room for the last one.
 */
#include "format.h"
#include "screen.h"
#include "wait_class.h"

enum { NAME_WIDTH = 24, CPU_WIDTH = 6, RUNNING_WIDTH = 11, MOST_WITHOUT_CPU = 2 };

/* The columns of times, in their order. */
static const struct time_column {
	const char *title;
	u32 width;
	enum wait_class class;
} columns[] = {
	{"no CPU", 8, WAIT_NO_CPU},   {"disk", 7, WAIT_DISK},	  {"lock", 7, WAIT_LOCK},
	{"network", 9, WAIT_NETWORK}, {"paging", 8, WAIT_PAGING},
};

void add_process(struct strbuf *b, struct string name, u32 pid)
{
	add_string(b, name);
	strbuf_addf(b, " %u", pid);
}

static const char *class_words(enum wait_class class)
{
	return class == WAIT_NO_CPU ? "no CPU" : wait_class_name(class);
}

/* ---- cells */

/* Name and pid in so many columns: it is the name that is cut. */
static void add_name(struct strbuf *b, const struct process_fact *process)
{
	_cleanup_free_ char *pid = format(" %u", process->pid);
	u32 room = NAME_WIDTH - (u32)strlen(pid);
	_cleanup_strbuf_ struct strbuf cell = {}, name = {};

	add_string(&name, process->name);
	add_fitted(&cell, name.s ? name.s : "", name.size, room);
	strbuf_adds(&cell, pid);
	add_cell(b, (struct string){cell.s, cell.size}, NAME_WIDTH);
}

static void add_right(struct strbuf *b, const char *text, u32 width)
{
	strbuf_addf(b, "%*s", (int)width, text);
}

/* Seconds, three digits or more; "-": none at all. */
static void add_time(struct strbuf *b, u64 ns, u32 width)
{
	double s = seconds(ns);
	_cleanup_free_ char *text = !ns	       ? format("-")
				    : s >= 100 ? format("%.0f", s)
				    : s >= 10  ? format("%.1f", s)
				    : s >= .01 ? format("%.2f", s)
					       : format("<.01");

	add_right(b, text, width);
}

/* "52.1 ms lock" */
static void add_longest(struct strbuf *b, const struct delay_fact *longest)
{
	if (!longest->ns)
		return;
	strbuf_add_time(b, longest->longest_ns);
	strbuf_addc(b, ' ');
	strbuf_adds(b, class_words(longest->class));
	if (longest->place.size)
		strbuf_addf(b, ": %s", longest->place.s);
}

/* ---- the table */

static bool has_any(const struct facts *f, size_t shown, enum wait_class class)
{
	for (size_t i = 0; i < shown; i++)
		if (f->processes.all.at[i].waits[class])
			return true;
	return false;
}

static void add_titles(struct fitted *to, const struct facts *f, size_t shown, bool waits)
{
	_cleanup_strbuf_ struct strbuf line = {};

	add_cell(&line, (struct string){"process", 7}, NAME_WIDTH);
	add_right(&line, "CPU %", CPU_WIDTH);
	add_right(&line, "running s", RUNNING_WIDTH);
	for (size_t i = 0; waits && i < ARRAY_SIZE(columns); i++)
		if (has_any(f, shown, columns[i].class))
			add_right(&line, columns[i].title, columns[i].width);
	strbuf_adds(&line, waits ? "  longest wait" : "");
	fitted_add(to, &line);
}

static void add_row(struct fitted *to, const struct facts *f, const struct process_fact *process,
		    size_t shown, bool waits)
{
	_cleanup_strbuf_ struct strbuf line = {};

	add_name(&line, process);
	strbuf_addf(&line, "%*.1f", CPU_WIDTH, percent(process->running, f->run.length_ns));
	add_time(&line, process->running, RUNNING_WIDTH);
	for (size_t i = 0; waits && i < ARRAY_SIZE(columns); i++)
		if (has_any(f, shown, columns[i].class))
			add_time(&line, process->waits[columns[i].class], columns[i].width);
	strbuf_adds(&line, "  ");
	add_longest(&line, &process->longest);
	fitted_add(to, &line);
}

/* Those that did nothing that would matter are no rows. */
static size_t nr_that_matter(const struct process_facts *processes, size_t most)
{
	size_t nr = 0;

	while (nr < min(processes->all.nr, most) && processes->all.at[nr].matters)
		nr++;
	return nr;
}

void screen_processes(struct fitted *to, const struct facts *f, u32 most)
{
	size_t shown = nr_that_matter(&f->processes, most ? most - 1 : 0);
	bool waits = f->options.needs & NEED_SCHED;

	if (!shown)
		return;
	add_titles(to, f, shown, waits);
	for (size_t i = 0; i < shown; i++)
		add_row(to, f, &f->processes.all.at[i], shown, waits);
}

/* ---- delays */

/* What took the CPUs meanwhile: the process that ran most, but for itself. */
static const struct process_fact *other_that_ran(const struct facts *f, u32 process)
{
	const struct process_fact *most = NULL;

	for (u32 i = 0; i < f->processes.all.nr; i++) {
		const struct process_fact *other = &f->processes.all.at[i];

		if (i != process && other->running && (!most || other->running > most->running))
			most = other;
	}
	return most;
}

static void add_cause(struct strbuf *b, const struct facts *f, const struct delay_fact *delay)
{
	const struct process_fact *other;

	if (delay->class != WAIT_NO_CPU) {
		if (delay->waker.size)
			strbuf_addf(b, "; ended by %s", delay->waker.s);
		return;
	}
	other = other_that_ran(f, delay->process);
	if (!other)
		return;
	strbuf_adds(b, "; most ran: ");
	add_process(b, other->name, other->pid);
}

/* How many times it waited for a CPU is not known: the short waits are sums. */
static void add_extent(struct strbuf *b, const struct facts *f, const struct delay_fact *delay)
{
	if (delay->class == WAIT_NO_CPU) {
		strbuf_addf(b, ", %.2f threads at any time",
			    (double)delay->ns / (double)max(f->run.length_ns, (u64)1));
		return;
	}
	strbuf_adds(b, ", ");
	strbuf_add_number(b, delay->nr);
	strbuf_addf(b, " time%s, longest ", plural(delay->nr));
	strbuf_add_time(b, delay->longest_ns);
}

static void add_delay(struct fitted *to, const struct facts *f, const struct delay_fact *delay)
{
	const struct process_fact *process = &f->processes.all.at[delay->process];
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_addf(&line, "delay %8.2f s %-8s", seconds(delay->ns), class_words(delay->class));
	add_process(&line, process->name, process->pid);
	add_extent(&line, f, delay);
	if (delay->place.size)
		strbuf_addf(&line, ": %s", delay->place.s);
	add_cause(&line, f, delay);
	fitted_add(to, &line);
}

/* The table has all that had no CPU: the other delays are not to be crowded out by it. */
void screen_delays(struct fitted *to, const struct facts *f, u32 most)
{
	u32 nr = 0, without_cpu = 0;

	vec_for_each (&f->processes.delays, delay) {
		if (nr == most)
			return;
		if (delay->class == WAIT_NO_CPU && without_cpu++ >= MOST_WITHOUT_CPU)
			continue;
		add_delay(to, f, delay);
		nr++;
	}
}
