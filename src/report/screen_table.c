/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen_table.c: the first screen's table of processes, and its delays. A column in which no row
 * has anything is left out, which leaves room for the last one.
 */
#include "format.h"
#include "screen.h"

enum { NAME_WIDTH = 24, CPU_WIDTH = 6, RUNNING_WIDTH = 7, MOST_OF_A_CLASS = 2 };
enum { LEAST_NS = 5000000 }; /* it is 0.00 s else */

/* The columns of times, in their order. */
static const struct time_column {
	const char *title;
	u32 width;
	enum why_class class;
} columns[] = {
	{"no CPU", 8, WHY_CPU},
	{"disk", 6, WHY_DISK},
	{"lock", 6, WHY_LOCK},
	{"peer", 6, WHY_PEER},
	{"network", 8, WHY_NETWORK},
	{"paging", 7, WHY_PAGING},
	{"throttled", 10, WHY_THROTTLED},
	{"sleep", 6, WHY_SLEEP},
};

void add_process(struct strbuf *b, struct string name, u32 pid)
{
	add_string(b, name);
	strbuf_addf(b, " %u", pid);
}

void add_processes(struct strbuf *b, const struct process_row *row)
{
	if (row->nr == 1) {
		add_process(b, row->fact.name, row->fact.pid);
		return;
	}
	strbuf_add_number(b, row->nr);
	strbuf_adds(b, " of ");
	add_string(b, row->fact.name);
}

static const char *class_words(enum why_class class)
{
	return class == WHY_CPU ? "no CPU" : why_class_names[class];
}

/* ---- cells */

static char *which(const struct process_row *row)
{
	return row->nr > 1 ? format(" (%llu)", (unsigned long long)row->nr)
			   : format(" %u", row->fact.pid);
}

/* Name and which in so many columns: it is the name that is cut. */
static void add_name(struct strbuf *b, const struct process_row *row)
{
	_cleanup_free_ char *number = which(row);
	u32 room = NAME_WIDTH - (u32)strlen(number);
	_cleanup_strbuf_ struct strbuf cell = {}, name = {};

	add_string(&name, row->fact.name);
	add_fitted(&cell, name.s ? name.s : "", name.size, room);
	strbuf_adds(&cell, number);
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

static bool has_any(const struct facts *f, size_t shown, enum why_class class)
{
	for (size_t i = 0; i < shown; i++)
		if (f->processes.rows.at[i].fact.waits[class])
			return true;
	return false;
}

static bool any_is_several(const struct facts *f, size_t shown)
{
	for (size_t i = 0; i < shown; i++)
		if (f->processes.rows.at[i].nr > 1)
			return true;
	return false;
}

static void add_titles(struct fitted *to, const struct facts *f, size_t shown, bool waits)
{
	const char *title = any_is_several(f, shown) ? "process (how many)" : "process";
	_cleanup_strbuf_ struct strbuf line = {};

	add_cell(&line, (struct string){title, strlen(title)}, NAME_WIDTH);
	add_right(&line, "CPU %", CPU_WIDTH);
	add_right(&line, "run s", RUNNING_WIDTH);
	for (size_t i = 0; waits && i < ARRAY_SIZE(columns); i++)
		if (has_any(f, shown, columns[i].class))
			add_right(&line, columns[i].title, columns[i].width);
	strbuf_adds(&line, waits ? "  longest wait" : "");
	fitted_add(to, &line);
}

static void add_row(struct fitted *to, const struct facts *f, const struct process_row *row,
		    size_t shown, bool waits)
{
	const struct process_fact *process = &row->fact;
	_cleanup_strbuf_ struct strbuf line = {};

	add_name(&line, row);
	strbuf_addf(&line, "%*.1f", CPU_WIDTH, percent(process->running, f->run.length_ns));
	add_time(&line, process->running, RUNNING_WIDTH);
	for (size_t i = 0; waits && i < ARRAY_SIZE(columns); i++)
		if (has_any(f, shown, columns[i].class))
			add_time(&line, process->waits[columns[i].class], columns[i].width);
	strbuf_adds(&line, "  ");
	add_longest(&line, &process->longest);
	fitted_add(to, &line);
}

/* Those that did nothing to speak of are no rows; but the first one is, if it did anything. */
static size_t nr_that_matter(const struct process_facts *processes, size_t most)
{
	size_t nr = 0;

	while (nr < min(processes->rows.nr, most) &&
	       processes->rows.at[nr].fact.matters >= (nr ? LEAST_NS : 1))
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
		add_row(to, f, &f->processes.rows.at[i], shown, waits);
}

/* ---- delays */

/* How many times it waited for a CPU is not known: the short waits are sums. */
static void add_extent(struct strbuf *b, const struct facts *f, const struct delay_fact *delay,
		       bool is_brief)
{
	if (delay->class == WHY_CPU) {
		strbuf_addf(b, ", %.2f at any time",
			    (double)delay->ns / (double)max(f->run.length_ns, (u64)1));
		return;
	}
	if (!is_brief) {
		strbuf_adds(b, ", ");
		strbuf_add_number(b, delay->nr);
		strbuf_addf(b, "%s time%s", delay->stands_for_more ? "+" : "", plural(delay->nr));
	}
	strbuf_adds(b, ", to ");
	strbuf_add_time(b, delay->longest_ns);
}

/* The functions of a place that fit, whole ones; the first `least` in any case. */
static size_t fitting_functions(struct string place, u32 width, u32 least)
{
	const char *end = place.s;
	size_t size = 0;

	for (u32 nr = 1; end; nr++) {
		size_t longer;

		end = strstr(end + 1, BETWEEN_FUNCTIONS);
		longer = end ? (size_t)(end - place.s) : place.size;
		if (nr > least && text_width(place.s, longer) > width)
			break;
		size = longer;
	}
	return size;
}

static void add_words(struct strbuf *b, const struct facts *f, const struct delay_fact *delay,
		      u32 width, bool is_brief)
{
	const struct process_fact *process = &f->processes.all.at[delay->process];
	_cleanup_strbuf_ struct strbuf cause = {};
	u32 used;

	if (delay->cause.size)
		strbuf_addf(&cause, "; %s", delay->cause.s);
	strbuf_addf(b, "delay %8.2f s %-7s ", seconds(delay->ns), class_words(delay->class));
	add_process(b, process->name, process->pid);
	strbuf_adds(b, delay->others ? " and others" : "");
	add_extent(b, f, delay, is_brief);
	if (delay->place.size) {
		strbuf_adds(b, ": ");
		used = text_width(b->s, b->size) + text_width(cause.s, cause.size);
		strbuf_add(b, delay->place.s,
			   fitting_functions(delay->place, width - min(used, width),
					     is_brief ? 1 : 2));
	}
	strbuf_add(b, cause.s, cause.size);
}

/*
 * In one line. The cause says more than how often that was, and than by which functions the program
 * came to its place: those go where there is no room.
 */
static void add_delay(struct fitted *to, const struct facts *f, const struct delay_fact *delay)
{
	_cleanup_strbuf_ struct strbuf line = {};

	add_words(&line, f, delay, to->width, false);
	if (text_width(line.s, line.size) > to->width) {
		strbuf_clear(&line);
		add_words(&line, f, delay, to->width, true);
	}
	fitted_add(to, &line);
}

/*
 * The table has all that had no CPU: the other delays are not to be crowded out by it. Nor by
 * threads that wait for others, since what those wait for is a delay, too.
 */
void screen_delays(struct fitted *to, const struct facts *f, u32 most)
{
	u32 nr = 0, of_class[NR_WHY_CLASSES] = {};

	vec_for_each (&f->processes.delays, delay) {
		if (nr == most)
			return;
		if (delay->ns < LEAST_NS)
			continue;
		if ((delay->class == WHY_CPU || delay->class == WHY_PEER) &&
		    of_class[delay->class]++ >= MOST_OF_A_CLASS)
			continue;
		add_delay(to, f, delay);
		nr++;
	}
}
