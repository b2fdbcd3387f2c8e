/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * screen.c: the first screen: a host, what is wrong with it, the processes that matter and what
 * delays them, what the run itself was like. The table of processes has the lines that the rest
 * leaves to it.
 */
#include "screen.h"

#include "format.h"
#include "topics.h"
#include "words.h"

enum {
	NAME_WIDTH = 24,
	KERNEL_WIDTH = 20,
	INDENT = 10,	/* where what a line says begins */
	MOST_ROWS = 10, /* of the table */
	MOST_DELAY_LINES = 5,
	MOST_FUNCTIONS = 10,
};

static double per_window(const struct facts *f, u64 ns)
{
	return (double)ns / (double)max(f->run.length_ns, (u64)1);
}

/* ---- the host */

static void add_short(struct strbuf *b, struct string s, u32 width)
{
	_cleanup_strbuf_ struct strbuf safe = {};

	add_string(&safe, s);
	if (safe.size)
		add_fitted(b, safe.s, safe.size, width);
}

static void add_nr_threads(struct strbuf *b, const struct facts *f)
{
	strbuf_adds(b, "; ");
	strbuf_add_number(b, f->waits.nr_threads);
	strbuf_addf(b, " thread%s", plural(f->waits.nr_threads));
}

/* "; 6 threads: 0.06 running, 0.8 ready": of those that were chosen. */
static void add_load_of_chosen(struct strbuf *b, const struct facts *f, bool has_waits)
{
	if (has_waits)
		add_nr_threads(b, f);
	strbuf_addf(b, "%s%.2f running", has_waits ? ": " : "; ",
		    per_window(f, f->processes.running));
	if (has_waits)
		strbuf_addf(b, ", %.1f ready", per_window(f, f->processes.waits[WHY_CPU]));
}

/* " 75 % busy, 1.1 ready without one; 4 threads" */
static void add_load_of_host(struct strbuf *b, const struct facts *f, bool has_waits)
{
	u64 running = f->waits.nr_cpus ? f->waits.cpus.running : f->processes.running;

	strbuf_addf(b, " %.0f %% busy",
		    percent(running, f->run.length_ns * max(f->run.nr_cpus, 1u)));
	if (!has_waits)
		return;
	strbuf_addf(b, ", %.1f ready without one", per_window(f, f->processes.waits[WHY_CPU]));
	add_nr_threads(b, f);
}

static void add_load(struct strbuf *b, const struct facts *f)
{
	bool has_waits = f->options.needs & NEED_SCHED;

	strbuf_addf(b, "%u CPU%s", f->run.nr_cpus, plural(f->run.nr_cpus));
	if (!(f->options.needs & (NEED_CPU | NEED_SCHED)))
		return;
	if (f->run.filters.size)
		add_load_of_chosen(b, f, has_waits);
	else
		add_load_of_host(b, f, has_waits);
}

static void add_host(struct fitted *to, const struct facts *f)
{
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, "host      ");
	add_short(&line, f->run.host, NAME_WIDTH);
	strbuf_adds(&line, ", Linux ");
	add_short(&line, f->run.kernel, KERNEL_WIDTH);
	if (!(f->options.needs & NEED_THREADS)) {
		strbuf_addf(&line, ", %.1f s: ", seconds(f->run.length_ns));
		add_load(&line, f);
		strbuf_adds(&line, f->losses.nr ? "" : "; nothing lost");
	}
	fitted_add_advice(to, &line, INDENT);
}

static void add_lost(struct fitted *to, const struct facts *f)
{
	_cleanup_strbuf_ struct strbuf line = {};
	const char *before = "lost      ";

	for (u32 kind = 0; kind < WICK_NR_KINDS; kind++) {
		size_t size = line.size;

		add_losses(&line, f, kind, before);
		if (line.size > size)
			before = ", ";
	}
	if (line.size)
		fitted_add_advice(to, &line, INDENT);
}

static void add_kept_blocks(struct fitted *to, const struct facts *f)
{
	_cleanup_strbuf_ struct strbuf line = {};

	add_kept(&line, &f->waits);
	if (line.size)
		fitted_add_advice(to, &line, INDENT);
}

/* ---- functions, of a run that samples CPUs and nothing else */

static void add_functions(struct fitted *to, const struct facts *f, u32 most)
{
	const struct cpu_facts *cpu = &f->cpu;
	_cleanup_strbuf_ struct strbuf line = {};

	if (!cpu->has_tree || f->options.needs & NEED_SCHED || most < 2)
		return;
	strbuf_adds(&line, "functions with the most time of their own, of ");
	strbuf_add_number(&line, cpu->drawn);
	strbuf_addf(&line, " sample%s%s", plural(cpu->drawn), cpu->nr_top ? "" : ": none");
	fitted_add(to, &line);
	for (size_t i = 0; i < min(cpu->nr_top, (size_t)most - 1); i++) {
		strbuf_addf(&line, "  %5.1f %%  ", percent(cpu->top[i].self, cpu->drawn));
		add_string(&line, cpu->top[i].name);
		if (cpu->top[i].module.size) {
			strbuf_adds(&line, "  (");
			add_string(&line, cpu->top[i].module);
			strbuf_addc(&line, ')');
		}
		fitted_add(to, &line);
	}
}

/* ---- what is no delay */

static void add_seconds_of(struct strbuf *b, const char **before, u64 ns, const char *what)
{
	if (!ns)
		return;
	strbuf_adds(b, *before);
	strbuf_add_number(b, (ns + NSEC_PER_SEC / 2) / NSEC_PER_SEC);
	strbuf_addf(b, " %s", what);
	*before = ", ";
}

static void add_idle(struct fitted *to, const struct facts *f)
{
	const u64 *waits = f->processes.waits;
	_cleanup_strbuf_ struct strbuf line = {};
	const char *before = "idle, s   ";

	add_seconds_of(&line, &before, waits[WHY_IDLE], "for work");
	add_seconds_of(&line, &before, waits[WHY_CHILD], "for children");
	add_seconds_of(&line, &before, waits[WHY_UNCLEAR], "unclear");
	add_seconds_of(&line, &before, f->processes.short_ns, "in short waits");
	if (line.size)
		fitted_add(to, &line);
}

/* ---- memory */

static void add_memory(struct fitted *to, const struct facts *f)
{
	_cleanup_strbuf_ struct strbuf line = {};
	const char *before = "memory    ";

	if (topic_is_in(WICK_FAULT, f->options.needs)) {
		strbuf_adds(&line, before);
		strbuf_adds(&line, "resident +");
		strbuf_add_bytes(&line, f->faults.resident);
		strbuf_adds(&line, f->faults.warning ? " or more (" : " (");
		strbuf_add_number(&line, f->faults.major);
		strbuf_adds(&line, " major)");
		before = "; ";
	}
	for (u32 kind = WICK_BRK; kind <= WICK_MMAP; kind++) {
		const struct memory_facts *memory = kind == WICK_BRK ? &f->brk : &f->mmap;

		if (!topic_is_in(kind, f->options.needs))
			continue;
		strbuf_addf(&line, "%s%s +", before, instruments[kind].name);
		strbuf_add_bytes(&line, memory->mapped);
		strbuf_adds(&line, ", ");
		strbuf_add_bytes(&line, memory->held);
		strbuf_adds(&line, " held");
		before = "; ";
	}
	if (line.size)
		fitted_add(to, &line);
}

/* ---- the run */

static void add_largest(struct fitted *to, const struct facts *f)
{
	_cleanup_strbuf_ struct strbuf line = {};

	add_largest_sums(&line, "sums      ", f);
	if (line.size)
		fitted_add(to, &line);
}

static void add_missing(struct fitted *to, const struct facts *f)
{
	_cleanup_strbuf_ struct strbuf line = {};

	add_missing_views(&line, &f->options);
	if (line.size)
		fitted_add(to, &line);
}

/* Of all that would name more, the one thing that names most. */
static void add_names(struct fitted *to, const struct facts *f)
{
	const struct name_facts *names = &f->names;
	const char *missing = f->options.missing_capabilities;
	_cleanup_strbuf_ struct strbuf line = {};

	if (!names->all && !names->kernel_error)
		return;
	strbuf_adds(&line, "names     ");
	if (names->all)
		strbuf_addf(&line, "%.1f %% of user frames", percent(names->named, names->all));
	if (names->kernel_error)
		strbuf_addf(&line,
			    "%sno kernel frames: `sysctl kernel.kptr_restrict=1`, run as root",
			    names->all ? ", " : "");
	else if (names->unfollowed)
		strbuf_adds(&line, "; perf events are forbidden here: see `wick doctor`");
	else if (names->named < names->all && missing && *missing)
		strbuf_addf(&line, "; more with %s: see `wick doctor`", missing);
	else if (names->worst.nr) {
		strbuf_adds(&line, "; not in ");
		add_worst_name(&line, names);
	}
	fitted_add_advice(to, &line, INDENT);
}

static void add_stacks(struct fitted *to, const struct facts *f)
{
	_cleanup_strbuf_ struct strbuf line = {};

	if (!f->ends.all)
		return;
	strbuf_adds(&line, "stacks    ");
	add_whole_stacks(&line, &f->ends);
	fitted_add_advice(to, &line, INDENT);
}

static void add_cost(struct fitted *to, const struct facts *f)
{
	const struct cost_facts *cost = &f->cost;
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_addf(&line, "cost      %.2f %% of the host: wick %.2f s, its BPF programs %.2f s, ",
		    percent(cost->run->cpu_ns + cost->bpf_ns, cost->host_ns),
		    seconds(cost->run->cpu_ns), seconds(cost->bpf_ns));
	strbuf_add_bytes(&line, cost->run->max_resident_bytes);
	if (cost->run->own_over_ns)
		strbuf_addf(&line, "; fewer walks for %.1f s", seconds(cost->run->own_over_ns));
	fitted_add(to, &line);
}

/* ---- all of it */

/* Of instruments that the screen has no words for: those of the long form. */
static void add_other_topics(struct fitted *to, const struct facts *f, u32 most)
{
	for (size_t i = 0; i < NR_TOPICS; i++) {
		_cleanup_free_ char *text = NULL;
		size_t size;
		FILE *out;

		if (!topic_is_in(i, f->options.needs) || topic_is_on_screen(i))
			continue;
		out = open_memstream(&text, &size);
		if (!out)
			out_of_memory();
		topic_words(i, out, f);
		if (fclose(out))
			out_of_memory();
		fitted_add_text(to, text, most - min(most, to->nr));
	}
}

static void add_beginning(struct fitted *to, const struct facts *f)
{
	add_host(to, f);
	add_lost(to, f);
	add_kept_blocks(to, f);
	screen_warnings(to, f);
}

static void add_end(struct fitted *to, const struct facts *f)
{
	screen_delays(to, f, MOST_DELAY_LINES);
	if (f->options.needs & NEED_SCHED)
		add_idle(to, f);
	add_memory(to, f);
	add_largest(to, f);
	add_missing(to, f);
	add_names(to, f);
	add_stacks(to, f);
	if (!f->cost.run->unknown)
		add_cost(to, f);
}

void report_screen(FILE *to, const struct facts *f, unsigned int width, unsigned int written)
{
	_cleanup_(fitted_release) struct fitted beginning = {.width = width},
						end = {.width = width}, middle = {.width = width};
	u32 used, most;

	add_beginning(&beginning, f);
	add_end(&end, f);
	used = beginning.nr + end.nr + written;
	most = SCREEN_LINES - min(used, (u32)SCREEN_LINES);
	screen_processes(&middle, f, min(most, MOST_ROWS + 1u));
	add_functions(&middle, f, min(most - middle.nr, MOST_FUNCTIONS + 1u));
	add_other_topics(&middle, f, most);
	fprintf(to, "%s%s%s", beginning.text.s, middle.text.s ? middle.text.s : "", end.text.s);
}
