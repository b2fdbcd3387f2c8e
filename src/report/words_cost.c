/* SPDX-License-Identifier: GPL-2.0-or-later */
/* words_cost.c: the summary's lines on what the run cost. */
#include "format.h"
#include "words.h"

static double megabytes(u64 bytes)
{
	return (double)bytes / 1048576.0;
}

static void print_rows(FILE *to, const struct run_cost *run)
{
	const struct rows_cost *rows = &run->rows;

	fprintf(to,
		"  unwind tables: %llu files known to BPF, rows %.2f of %.0f MB in the kernel, "
		"%.2f of %.0f "
		"MB in user space; evicted %llu files, %llu regions, %llu tables; %llu being made "
		"at the end\n",
		(unsigned long long)rows->kernel_files, megabytes(rows->kernel_bytes),
		megabytes(rows->kernel_max_bytes), megabytes(rows->user_bytes),
		megabytes(rows->user_max_bytes), (unsigned long long)rows->evicted_files,
		(unsigned long long)rows->evicted_regions, (unsigned long long)rows->evicted_tables,
		(unsigned long long)rows->pending);
	fprintf(to,
		"  %llu copies of stacks walked in user space; %llu refused, cut where the walk "
		"had come to\n",
		(unsigned long long)rows->copies, (unsigned long long)run->copies_refused);
}

static void print_figures(FILE *to, const struct cost_facts *cost)
{
	const struct run_cost *run = cost->run;

	vec_for_each (&cost->programs, program)
		fprintf(to, "  %-20s %10llu runs, %llu ns each; %llu with a walk, %llu ns each\n",
			program->name, (unsigned long long)program->runs,
			(unsigned long long)program->ns, (unsigned long long)program->walks,
			(unsigned long long)program->walk_ns);
	fprintf(to,
		"  %llu bodies, %llu bytes through the ring; %llu side-band records; mappings "
		"of %llu older processes read; BPF maps %.1f MB\n",
		(unsigned long long)run->bodies, (unsigned long long)run->body_bytes,
		(unsigned long long)run->sideband_records, (unsigned long long)run->mappings_read,
		megabytes(run->map_bytes));
	print_rows(to, run);
	fprintf(to,
		"  %llu user and %llu kernel stacks were remembered, not walked; %llu of them "
		"wrongly\n",
		(unsigned long long)run->remembered_user,
		(unsigned long long)run->remembered_kernel, (unsigned long long)run->misremembered);
	fprintf(to, "  wick's own process in the window: %.3f s of CPU time, %.2f %% of the host\n",
		seconds(run->window_cpu_ns), percent(run->window_cpu_ns, cost->host_ns));
	fprintf(to, "  window open %.1f ms after the start; files written %.1f ms after its end\n",
		(double)run->start_ns / 1e6, (double)run->write_ns / 1e6);
}

void cost_words(FILE *to, const struct facts *f)
{
	const struct cost_facts *cost = &f->cost;

	fprintf(to,
		"cost      wick %.3f s of CPU time, its BPF programs %.3f s "
		"(%.2f %% of the host), %.0f MB\n",
		seconds(cost->run->cpu_ns), seconds(cost->bpf_ns),
		percent(cost->run->cpu_ns + cost->bpf_ns, cost->host_ns),
		megabytes(cost->run->max_resident_bytes));
	if (cost->run->own_over_ns)
		fprintf(to,
			"  for %.1f s fewer stacks were walked and copied, down to 1/%u of what the "
			"budget allows: wick's own process took too much\n",
			seconds(cost->run->own_over_ns), 1u << (cost->run->own_level & 31));
	if (f->options.all)
		print_figures(to, cost);
}
