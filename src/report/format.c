/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "format.h"

/* ---- numbers and names */

double percent(u64 part, u64 whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

double seconds(u64 ns)
{
	return (double)ns / (double)NSEC_PER_SEC;
}

const char *plural(u64 nr)
{
	return nr == 1 ? "" : "s";
}

void add_seconds(struct strbuf *b, u64 ns)
{
	u64 ms = (ns + NSEC_PER_MSEC / 2) / NSEC_PER_MSEC;

	strbuf_add_number(b, ms / 1000);
	strbuf_addf(b, ".%03u s", (unsigned int)(ms % 1000));
}

void add_string(struct strbuf *b, struct string s)
{
	strbuf_add_safe_utf8(b, s.s, s.size);
}

void add_thread(struct strbuf *b, const struct thread_fact *thread)
{
	add_string(b, thread->comm);
	strbuf_addf(b, "-%u/%u", thread->pid, thread->tid);
}

void print_line(FILE *to, struct strbuf *line)
{
	fprintf(to, "%s\n", line->s ? line->s : "");
	strbuf_clear(line);
}

/* ---- facts that the summary and a subtitle share */

void add_losses(struct strbuf *b, const struct facts *f, enum wick_kind kind, const char *before)
{
	vec_for_each (&f->losses, loss) {
		if (loss->kind != kind)
			continue;
		strbuf_addf(b, "%s%s ", before, loss->cause);
		if (loss->is_time)
			add_seconds(b, loss->value);
		else
			strbuf_add_number(b, loss->value);
		before = ", ";
	}
}

void add_largest_sums(struct strbuf *b, const char *before, const struct facts *f)
{
	bool one = f->nr_largest_sums == 1;

	if (!f->nr_largest_sums)
		return;
	strbuf_adds(b, before);
	strbuf_add_number(b, f->nr_largest_sums);
	strbuf_adds(b, one ? " sum has reached its largest value, 2^64 - 1: the true one is larger"
			   : " sums have reached their largest value, 2^64 - 1: the true ones are "
			     "larger");
}

/* "from 1 ms on (46.7 % of the time), at most 16 ms (53.3 %)" */
static void add_thresholds(struct strbuf *b, const struct wait_facts *waits)
{
	size_t last = waits->thresholds.nr - 1;

	strbuf_adds(b, "all from ");
	for (size_t i = 0; i < waits->thresholds.nr; i++) {
		const struct threshold_fact *t = &waits->thresholds.at[i];

		if (i && i != last)
			continue;
		strbuf_addf(b, "%s%g ms (%.1f %%%s)", i ? ", at most " : "",
			    (double)t->above_ns / 1e6, percent(t->ruled_ns, waits->ruled_ns),
			    i ? "" : " of the time");
	}
	strbuf_adds(b, " on");
}

void add_walked(struct strbuf *b, const struct wait_facts *waits)
{
	strbuf_add_number(b, waits->walked_blocks);
	strbuf_adds(b, " of ");
	strbuf_add_number(b, waits->blocks);
	strbuf_addf(b, " blocks (%.1f %%), which stand for all",
		    percent(waits->walked_blocks, waits->blocks));
	if (!waits->thresholds.nr)
		return;
	strbuf_adds(b, "; ");
	add_thresholds(b, waits);
}

void add_kept(struct strbuf *b, const struct wait_facts *waits)
{
	if (!waits->recorded_only)
		return;
	strbuf_addf(b, "kept      in memory: blocks of %.3f ms and more; ",
		    (double)waits->logged_from / 1e6);
	strbuf_add_number(b, waits->recorded_only);
	strbuf_addf(b, " shorter one%s only in parts of the recording (--from, --to)",
		    waits->recorded_only == 1 ? " is" : "s are");
}

void add_held(struct strbuf *b, const struct memory_facts *memory)
{
	strbuf_add_bytes(b, memory->held);
	strbuf_adds(b, " outstanding");
}

void add_reserved(struct strbuf *b, const struct facts *f)
{
	if (!f->reserved.calls)
		return;
	strbuf_add_bytes(b, f->reserved.mapped);
	strbuf_adds(b, " reserved without access by ");
	strbuf_add_number(b, f->reserved.calls);
	strbuf_addf(b, " call%s, ", plural(f->reserved.calls));
	add_held(b, &f->reserved);
}

void add_32_bit(struct strbuf *b, const struct facts *f)
{
	if (!f->processes_32_bit)
		return;
	strbuf_adds(b, "; not seen: the calls of ");
	strbuf_add_number(b, f->processes_32_bit);
	strbuf_addf(b, " process%s of 32 bits", f->processes_32_bit == 1 ? "" : "es");
}

void add_faults(struct strbuf *b, const struct fault_facts *faults)
{
	strbuf_add_number(b, faults->faults);
	strbuf_addf(b, " fault%s, ", plural(faults->faults));
	strbuf_add_bytes(b, faults->resident);
	if (faults->warning)
		strbuf_addf(b, " (a page each: this run does not know what became resident; %s)",
			    faults->warning);
	else
		strbuf_adds(b, " became resident");
	strbuf_adds(b, ", ");
	add_seconds(b, faults->ns);
	strbuf_adds(b, " in them");
}

/* Why: that was said before the run. */
void add_missing_views(struct strbuf *b, const struct report_options *options)
{
	if (!options->nr_missing)
		return;
	strbuf_adds(b, "missing  ");
	for (size_t i = 0; i < options->nr_missing; i++)
		strbuf_addf(b, " %s", options->missing[i].view);
	strbuf_adds(b, ": the first lines say why");
}
