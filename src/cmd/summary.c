/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "summary.h"

#include <time.h>

#include "advice.h"
#include "words.h"

enum { TOP = 10, WORST = 3 };

static u64 nr_samples(const struct profile *p)
{
	return profile_sum(p, WICK_CPU, 0, 0, 0);
}

static void add_cpu(struct strbuf *b, const struct profile *p)
{
	strbuf_adds(b, ", ");
	add_number(b, nr_samples(p));
	strbuf_addf(b, " samples at %u Hz ", p->frequency);
	add_string(b, p, p->event);
	add_losses(b, p, WICK_CPU, ", lost: ");
}

/* A picture from which something was left out says what, and how much. */
static void add_left_out(struct strbuf *b, u64 ns, const char *what)
{
	if (!ns)
		return;
	strbuf_adds(b, ", without ");
	add_seconds(b, ns);
	strbuf_addf(b, " %s", what);
}

static void add_sched(struct strbuf *b, const struct profile *p, const struct view *view,
		      const struct view_options *options, const struct call_tree *tree)
{
	struct left_out left = view_left_out(p, options);
	u64 all = sched_ns(p), rest = all - left.states - left.never_ran - left.still_blocked;

	strbuf_adds(b, ", ");
	add_seconds(b, all);
	strbuf_adds(b, " off-CPU");
	add_left_out(b, left.states, "in other states than --state asks for");
	add_left_out(b, left.never_ran, "of threads that never ran");
	add_left_out(b, left.still_blocked, "that had not ended");
	if (view->only_woken && options->metric->unit.time && rest > tree->sum)
		add_left_out(b, rest - tree->sum, "that no waker ended");
	add_losses(b, p, WICK_SCHED, ", lost: ");
}

/* Of threads as they are. */
static void add_other_states(struct strbuf *b, const struct profile *p,
			     const struct view_options *options, const struct call_tree *tree)
{
	u64 all = 0;

	vec_for_each (&p->samples, sample)
		all += sample->column[0];
	if (options->states && !options->metric->unit.time)
		strbuf_addf(b, ", without %llu threads in other states than --state asks for",
			    (unsigned long long)(all - min(all, tree->sum)));
}

char *subtitle(const struct profile *p, const struct view *view, const struct view_options *options,
	       const struct run_cost *cost, const struct call_tree *tree)
{
	struct strbuf b = {};
	time_t start = (time_t)(p->wall_start_ns / NSEC_PER_SEC);
	struct tm local;
	char when[64];

	strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S %Z", localtime_r(&start, &local));
	add_string(&b, p, p->host);
	strbuf_adds(&b, ", Linux ");
	add_string(&b, p, p->kernel_release);
	strbuf_addf(&b, ", %s, %.1f s, %u CPU%s, ", when, seconds(p->end - p->begin), p->nr_cpus,
		    p->nr_cpus == 1 ? "" : "s");
	if (strings_get(&p->names, p->filters).size)
		add_string(&b, p, p->filters);
	else
		strbuf_adds(&b, "all processes");
	if (view->needs & NEED_THREADS)
		add_other_states(&b, p, options, tree);
	if (view->needs & NEED_CPU)
		add_cpu(&b, p);
	if (view->needs & NEED_FAULT)
		add_fault_words(&b, p);
	if (view->needs & NEED_BRK)
		add_brk_words(&b, p, options);
	if (view->needs & NEED_MMAP)
		add_mmap_words(&b, p, options);
	if (view->needs & NEED_SCHED) {
		add_sched(&b, p, view, options, tree);
		add_risen_thresholds(&b, cost);
	}
	return strbuf_detach(&b);
}

static size_t nr_processes(const struct profile *p)
{
	struct table seen = {};
	size_t nr = 0;

	vec_for_each (&p->samples, sample) {
		const struct leg *leg = &p->legs.at[sample->leg];
		u64 hash = hash_u64((u64)leg->pid << 32 ^ p->images.at[leg->image].start_ns);
		struct table_probe probe = table_probe(&seen, hash);
		bool found = !leg->pid || sample->kind != WICK_CPU;

		while (!found && table_next(&probe))
			found = p->legs.at[probe.ref].pid == leg->pid;
		if (found)
			continue;
		table_insert(&seen, hash, sample->leg);
		nr++;
	}
	table_release(&seen);
	return nr;
}

static void print_top(FILE *to, const struct call_tree *tree)
{
	struct top_function top[TOP];
	size_t nr = top_functions(tree, top, TOP);
	_cleanup_strbuf_ struct strbuf line = {};

	for (size_t i = 0; i < nr; i++) {
		struct string name = tree_name(tree, top[i].frame.name);
		struct string module = tree_name(tree, top[i].frame.module);

		strbuf_addf(&line, "  %5.1f %%  ", percent(top[i].self, tree->at[0].total));
		strbuf_add_safe_utf8(&line, name.s, min(name.size, (size_t)100));
		if (module.size) {
			strbuf_adds(&line, "  (");
			strbuf_add_safe_utf8(&line, module.s, min(module.size, (size_t)60));
			strbuf_adds(&line, ")");
		}
		print_line(to, &line);
	}
}

void print_samples(FILE *to, const struct profile *p, const struct call_tree *tree)
{
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, "samples   ");
	add_number(&line, nr_samples(p));
	strbuf_adds(&line, " of ");
	add_number(&line, max(p->expected, nr_samples(p)));
	strbuf_addf(&line, " expected in %.1f s at %u Hz", seconds(p->end - p->begin),
		    p->frequency);
	add_losses(&line, p, WICK_CPU, "; lost: ");
	print_line(to, &line);
	strbuf_adds(&line, "seen      ");
	add_number(&line, nr_processes(p));
	strbuf_adds(&line, " processes on CPU");
	if (tree)
		strbuf_adds(&line, "; the functions with the most time of their own:");
	print_line(to, &line);
	if (!tree)
		return;
	if (tree->at[0].total)
		print_top(to, tree);
	else
		fprintf(to, "  none: nothing that the options ask for ran\n");
}

/* A file, or a process's run-time code, and how many of its frames have no name. */
struct nameless {
	u64 weight;
	u32 file; /* one of the two is 0 */
	u32 image;
};

struct naming {
	VEC(struct nameless) files, images;
	u64 named, all;
};

static struct nameless *file_row(struct naming *n, u32 file)
{
	while (n->files.nr <= file)
		vec_add(&n->files);
	n->files.at[file].file = file;
	return &n->files.at[file];
}

static struct nameless *image_row(struct naming *n, u32 image)
{
	while (n->images.nr <= image)
		vec_add(&n->images);
	n->images.at[image].image = image;
	return &n->images.at[image];
}

static void weigh_stack(struct naming *n, const struct profile *p, const struct stack *stack,
			u64 weight)
{
	for (u32 i = 0; i < stack->nr; i++) {
		const struct frame *frame = &p->frames.at[p->stack_frames.at[stack->first + i]];

		if (frame->space == SPACE_NOTE)
			continue;
		n->all += weight;
		if (p->functions.at[frame->function].named)
			n->named += weight;
		else if (frame->space == SPACE_FILE)
			file_row(n, frame->origin)->weight += weight;
		else if (frame->space == SPACE_IMAGE)
			image_row(n, frame->origin)->weight += weight;
	}
}

static int compare_nameless(const void *a, const void *b)
{
	const struct nameless *x = a, *y = b;

	return x->weight < y->weight ? 1 : x->weight > y->weight ? -1 : 0;
}

static void print_nameless(FILE *to, const struct profile *p, const struct nameless *n,
			   const char *package, u64 all)
{
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, "  ");
	if (n->file) {
		const struct profile_file *file = &p->files.at[n->file];

		add_string(&line, p, file->name);
		strbuf_addf(&line, ", %.1f %%: ", percent(n->weight, all));
		advise_file(&line, package, file->state);
	} else if (n->image) {
		const struct image *image = &p->images.at[n->image];

		add_string(&line, p, image->comm);
		strbuf_addf(&line, " %u, %.1f %%: ", image->pid, percent(n->weight, all));
		if (image->has_code)
			advise_process(&line, strings_get(&p->names, image->comm).s, image->pid,
				       image->inner_pid, image->state);
		else
			strbuf_adds(&line, "its memory map could not be read before it ended");
	} else {
		strbuf_addf(&line, "unknown code, %.1f %%", percent(n->weight, all));
	}
	print_line(to, &line);
}

/* The rows of *worst, sorted, that are shown. */
static void print_worst(FILE *to, const struct profile *p, const struct nameless *worst, size_t nr,
			u64 all)
{
	_cleanup_free_ struct string *paths = xcalloc(nr, sizeof(*paths));
	char **packages;

	for (size_t i = 0; i < nr; i++) {
		const struct profile_file *file = &p->files.at[worst[i].file];

		if (worst[i].file && advice_needs_package(file->state))
			paths[i] = strings_get(&p->names, file->path);
	}
	packages = packages_of(paths, nr);
	for (size_t i = 0; i < nr; i++)
		print_nameless(to, p, &worst[i], packages[i], all);
	packages_free(packages, nr);
}

/* What would name more. */
static void print_missing_capabilities(FILE *to, bool some_are_nameless)
{
	_cleanup_strbuf_ struct strbuf missing = {};

	for (size_t i = 0; i < nr_capabilities; i++)
		if (capabilities[i].names && !has_capability(capabilities[i].number))
			strbuf_addf(&missing, "%s%s", missing.size ? ", " : "",
				    capabilities[i].name);
	if (some_are_nameless && missing.size)
		fprintf(to, "names     there would be more with %s: see `wick doctor`\n",
			missing.s);
}

void print_names(FILE *to, const struct profile *p, const struct naming_result *result, bool all)
{
	struct naming n = {};
	size_t shown = 0;

	vec_for_each (&p->samples, sample)
		weigh_stack(&n, p, &p->stacks.at[sample->user], sample->column[0]);
	if (n.all)
		fprintf(to, "names     %.1f %% of user frames have one%s\n",
			percent(n.named, n.all), n.named < n.all ? "; without:" : "");
	vec_for_each (&n.images, image)
		*vec_add(&n.files) = *image;
	vec_sort(&n.files, compare_nameless);
	while (shown < n.files.nr && (all || shown < WORST) && n.files.at[shown].weight)
		shown++;
	print_worst(to, p, n.files.at, shown, n.all);
	if (p->unfollowed)
		fprintf(to,
			"names     of processes that ended in the run may be missing: perf events are "
			"forbidden here, see `wick doctor`\n");
	print_missing_capabilities(to, n.named < n.all);
	if (!result->kernel && result->kernel_error)
		fprintf(to,
			"names     kernel frames have none (%s): allow them with "
			"`sysctl kernel.kptr_restrict=1` and run as root\n",
			strerror(-result->kernel_error));
	vec_release(&n.files);
	vec_release(&n.images);
}

static u64 ns_per_run(const struct program_cost *c)
{
	return c->timed_runs ? c->timed_ns / c->timed_runs : 0;
}

static double megabytes(u64 bytes)
{
	return (double)bytes / 1048576.0;
}

static void print_rows(FILE *to, const struct rows_cost *rows, u64 copies_refused)
{
	fprintf(to,
		"  unwind tables: %llu files known to BPF, rows %.2f of %.0f MB in the kernel, %.2f of %.0f "
		"MB in user space; evicted %llu files, %llu regions, %llu tables; %llu being made at the end\n",
		(unsigned long long)rows->kernel_files, megabytes(rows->kernel_bytes),
		megabytes(rows->kernel_max_bytes), megabytes(rows->user_bytes),
		megabytes(rows->user_max_bytes), (unsigned long long)rows->evicted_files,
		(unsigned long long)rows->evicted_regions, (unsigned long long)rows->evicted_tables,
		(unsigned long long)rows->pending);
	fprintf(to,
		"  %llu copies of stacks walked in user space; %llu refused, cut where the walk had come to\n",
		(unsigned long long)rows->copies, (unsigned long long)copies_refused);
}

static void print_programs(FILE *to, const struct run_cost *cost)
{
	for (size_t i = 0; i < cost->programs.nr; i++) {
		const struct program_cost *c = &cost->programs.at[i];

		fprintf(to, "  %-20s %10llu runs, %llu ns each (measured over %llu)\n", c->name,
			(unsigned long long)c->runs, (unsigned long long)ns_per_run(c),
			(unsigned long long)c->timed_runs);
	}
	fprintf(to,
		"  %llu bodies, %llu bytes through the ring; %llu side-band records; mappings of %llu "
		"older processes read; BPF maps %.1f MB\n",
		(unsigned long long)cost->bodies, (unsigned long long)cost->body_bytes,
		(unsigned long long)cost->sideband_records, (unsigned long long)cost->mappings_read,
		megabytes(cost->map_bytes));
	print_rows(to, &cost->rows, cost->copies_refused);
}

void print_cost(FILE *to, const struct profile *p, const struct run_cost *cost, bool all)
{
	u64 bpf_ns = 0;

	vec_for_each (&cost->programs, c)
		bpf_ns += c->runs * ns_per_run(c);
	fprintf(to,
		"cost      wick %.3f s of CPU time, its BPF programs %.3f s (%.2f %% of the host), "
		"%.0f MB\n",
		seconds(cost->cpu_ns), seconds(bpf_ns),
		percent(cost->cpu_ns + bpf_ns, (p->end - p->begin) * max(p->nr_cpus, 1u)),
		megabytes(cost->max_resident_bytes));
	if (all)
		print_programs(to, cost);
}
