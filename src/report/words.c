/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words.c: the summary for a terminal, in its order; samples, and how walks ended. */
#include "words.h"

#include "format.h"
#include "topics.h"

enum { BROKEN_FILES = 10, LONGEST_FUNCTION = 100, LONGEST_MODULE = 60 };

/* ---- samples */

static void print_top(FILE *to, const struct cpu_facts *cpu)
{
	_cleanup_strbuf_ struct strbuf line = {};

	for (size_t i = 0; i < cpu->nr_top; i++) {
		struct string name = cpu->top[i].name, module = cpu->top[i].module;

		strbuf_addf(&line, "  %5.1f %%  ", percent(cpu->top[i].self, cpu->drawn));
		strbuf_add_safe_utf8(&line, name.s, min(name.size, (size_t)LONGEST_FUNCTION));
		if (module.size) {
			strbuf_adds(&line, "  (");
			strbuf_add_safe_utf8(&line, module.s,
					     min(module.size, (size_t)LONGEST_MODULE));
			strbuf_adds(&line, ")");
		}
		print_line(to, &line);
	}
}

void cpu_words(FILE *to, const struct facts *f)
{
	const struct cpu_facts *cpu = &f->cpu;
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, "samples   ");
	strbuf_add_number(&line, cpu->samples);
	strbuf_adds(&line, " of ");
	strbuf_add_number(&line, max(cpu->expected, cpu->samples));
	strbuf_addf(&line, " expected in %.1f s at %u Hz", seconds(f->run.length_ns),
		    cpu->frequency);
	add_losses(&line, f, WICK_CPU, "; lost: ");
	print_line(to, &line);
	strbuf_adds(&line, "seen      ");
	strbuf_add_number(&line, cpu->processes);
	strbuf_adds(&line, " processes on CPU");
	if (cpu->has_tree)
		strbuf_adds(&line, "; the functions with the most time of their own:");
	print_line(to, &line);
	if (cpu->has_tree && !cpu->drawn)
		fprintf(to, "  none: nothing that the options ask for ran\n");
	else
		print_top(to, cpu);
}

/* ---- how walks ended */

static const char *const causes[WICK_NR_ENDS] = {
	[WICK_COMPLETE] = "complete",
	[WICK_TRUNCATED] = "truncated at the depth limit",
	[WICK_NO_UNWIND_INFO] = "no unwind information",
	[WICK_BAD_FRAME] = "bad frame",
	[WICK_UNREADABLE] = "unreadable stack memory",
	[WICK_LOST] = "lost",
	[WICK_NO_STACK] = "no user stack (not broken)",
};

static void print_broken(FILE *to, const struct broken_file *row)
{
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, "    ");
	if (row->file)
		add_string(&line, row->name);
	else
		strbuf_adds(&line, "(no file)");
	for (size_t end = 0; end < WICK_NR_ENDS; end++)
		if (row->nr[end])
			strbuf_addf(&line, ", %s %llu", causes[end],
				    (unsigned long long)row->nr[end]);
	print_line(to, &line);
}

/* Less than these shares of all is not worth a word, or advice. */
#define LEAST_BROKEN  0.05
#define LEAST_ADVISED 1.0

/*
 * What makes the stacks of a runtime's code whole: see the manual of each. A Java VM whose code can
 * be walked without has a few broken ones all the same.
 */
static const char *whole_stacks_of(struct string process, double share)
{
	static const char java[] = "java";

	if (share >= LEAST_ADVISED && process.size >= strlen(java) &&
	    !memcmp(process.s, java, strlen(java)))
		return ": add -XX:+PreserveFramePointer";
	return "";
}

void add_whole_stacks(struct strbuf *b, const struct end_facts *ends)
{
	const struct broken_file *worst = ends->files.nr ? &ends->files.at[0] : NULL;
	double share = worst ? percent(worst->sum, ends->all) : 0;

	strbuf_addf(b, "%.1f %% of user stacks reach their root",
		    percent(ends->nr[WICK_COMPLETE], ends->all));
	if (share < LEAST_BROKEN)
		return;
	strbuf_addf(b, "; %.1f %% end in ", share);
	if (worst->file) {
		add_string(b, worst->name);
		return;
	}
	if (worst->process.size) {
		add_string(b, worst->process);
		strbuf_adds(b, "'s ");
	}
	strbuf_addf(b, "run-time code%s", whole_stacks_of(worst->process, share));
}

void ends_words(FILE *to, const struct facts *f)
{
	const struct end_facts *ends = &f->ends;

	fprintf(to, "stacks    of %llu samples with a user stack:\n",
		(unsigned long long)ends->all);
	for (size_t end = 0; end < WICK_NR_ENDS; end++)
		if (ends->nr[end])
			fprintf(to, "  %7.2f %%  %s (%llu)\n", percent(ends->nr[end], ends->all),
				causes[end], (unsigned long long)ends->nr[end]);
	if (ends->files.nr)
		fprintf(to, "  where the broken ones stopped:\n");
	for (size_t i = 0; i < min(ends->files.nr, (size_t)BROKEN_FILES); i++)
		print_broken(to, &ends->files.at[i]);
}

/* ---- all of it */

static void print_largest_sums(FILE *to, const struct facts *f)
{
	_cleanup_strbuf_ struct strbuf line = {};

	add_largest_sums(&line, "sums      ", f);
	if (line.size)
		print_line(to, &line);
}

static void print_missing(FILE *to, const struct facts *f)
{
	_cleanup_strbuf_ struct strbuf line = {};

	add_missing_views(&line, &f->options);
	if (line.size)
		print_line(to, &line);
}

void report_words(FILE *to, const struct facts *f)
{
	for (size_t i = 0; i < NR_TOPICS; i++)
		if (topic_is_in(i, f->options.needs))
			topic_words(i, to, f);
	print_largest_sums(to, f);
	print_missing(to, f);
	names_words(to, f);
	if (f->options.all)
		ends_words(to, f);
	/* Of a run that was killed, and of a part of one, it is not known. */
	if (!f->cost.run->unknown)
		cost_words(to, f);
}
