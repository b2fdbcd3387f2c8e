/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "draw.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "cmd.h"
#include "debuginfod.h"
#include "operation_options.h"
#include "output.h"
#include "pages.h"
#include "recorder.h"
#include "recording.h"
#include "report.h"
#include "rights.h"
#include "summary.h"
#include "symbolize.h"
#include "view.h"

enum { SYMBOLIZE_TIMEOUT_MS = 5000 };

/* ---- output */

/* WHAT-HOST-YYYYMMDD-HHMMSS.suffix; nothing is overwritten by a default name. */
static char *default_path(const char *what, const struct profile *p, const char *suffix)
{
	time_t start = (time_t)(p->wall_start_ns / NSEC_PER_SEC);
	const char *host = strings_get(&p->names, p->host).s;
	struct tm local;
	char when[32];
	char *path;

	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&start, &local));
	path = format("%s-%s-%s%s", what, host, when, suffix);
	for (unsigned int i = 2; !access(path, F_OK); i++) {
		free(path);
		path = format("%s-%s-%s-%u%s", what, host, when, i, suffix);
	}
	return path;
}

static int write_output(struct finished *f, const char *path, enum output_mode mode,
			const struct format *format_row, const struct drawn *drawn,
			const struct caption *caption)
{
	struct error error = {};

	if (output_write(path, mode, format_row, drawn, caption, &error)) {
		print_error(&error);
		return 1;
	}
	*vec_add(&f->written) = xstrdup(path);
	return 0;
}

/* One that fails does not keep the others from being written. */
static int write_outputs(struct finished *f, const struct view *view, const struct drawn *drawn,
			 const struct caption *caption)
{
	int failed = 0;

	vec_for_each (&f->o->look.outputs, output) {
		_cleanup_free_ char *made =
			output->path ? NULL
				     : default_path(view->name, f->p, output->format->suffix);

		if (output->as == AS_PICTURE)
			failed |= write_output(f, made ? made : output->path,
					       made ? OUTPUT_NEW : OUTPUT_REPLACE, output->format,
					       drawn, caption);
	}
	return failed;
}

size_t recorded_formats(const struct finished *f, const struct format *to[NR_FORMATS])
{
	const struct format *named = f->o->look.format;
	size_t nr = 0;

	for (size_t i = 0; i < NR_FORMATS; i++)
		if (named ? formats[i] == named : formats[i]->recorded)
			to[nr++] = formats[i];
	return nr;
}

/* A view in a record's directory. */
static int write_into(struct finished *f, const char *name, const struct drawn *drawn,
		      const struct caption *caption)
{
	const struct format *wanted[NR_FORMATS];
	size_t nr = recorded_formats(f, wanted);
	int failed = 0;

	for (size_t i = 0; i < nr; i++) {
		_cleanup_free_ char *path =
			format("%s/%s%s", f->directory, name, wanted[i]->suffix);

		if (wanted[i]->waits == ONLY_WAITS && !drawn->stacks->has_waits)
			continue;
		failed |= write_output(f, path, OUTPUT_REPLACE, wanted[i], drawn, caption);
	}
	return failed;
}

char *make_directory(const struct run_options *o, const struct profile *p, struct error *error)
{
	const char *named = o->look.outputs.at[0].path;
	_cleanup_free_ char *path = named ? xstrdup(named) : default_path("record", p, "");

	if (output_make_directory(path, named ? OUTPUT_REPLACE : OUTPUT_NEW, error))
		return NULL;
	return steal(&path);
}

static int check_directory(const char *named, struct error *error)
{
	_cleanup_(rights_take_back) cap_t own = rights_of_caller();
	struct stat st;
	_cleanup_free_ char *path = NULL;
	size_t size;

	if (!named)
		return output_check("record.svg", error);
	if (stat(named, &st)) {
		size = strlen(named);
		while (size > 1 && named[size - 1] == '/')
			size--;
		path = format("%.*s", (int)size, named);
		return output_check(path, error);
	}
	if (!S_ISDIR(st.st_mode))
		return fail(error, -ENOTDIR,
			    "cannot write into %s: it is no directory, and one run makes several "
			    "files",
			    named);
	path = format("%s/cpu.svg", named);
	return output_check(path, error);
}

int check_outputs(const struct run_options *o, struct error *error)
{
	int err = o->recording ? output_check(o->recording, error) : 0;

	if (err)
		return err;
	if (o->drawing.directory)
		return o->look.outputs.nr ? check_directory(o->look.outputs.at[0].path, error) : 0;
	vec_for_each (&o->look.outputs, output) {
		_cleanup_free_ char *made =
			format("%s%s", o->drawing.views[0]->name, output->format->suffix);

		err = output_check(output->path ? output->path : made, error);
		if (err)
			return err;
	}
	return 0;
}

/* ---- the pictures */

static void note_left_out(struct finished *f, const char *name, const struct view_options *options)
{
	struct operation_sums *left_out = vec_add(&f->left_out);

	*left_out = operation_sums_of(options->operations, &options->metric->unit);
	left_out->picture = xstrdup(name);
}

/* The subtitle. What operations have left out is also printed. */
static char *describe(struct finished *f, const struct view *view, const char *name,
		      const struct view_options *options, const struct call_tree *tree)
{
	_cleanup_free_ char *run = report_subtitle(&f->facts, f->p, view, options, tree);
	_cleanup_strbuf_ struct strbuf left_out = {};

	if (!options->operations)
		return steal(&run);
	note_left_out(f, name, options);
	operations_describe(&left_out, options->operations, &options->metric->unit);
	if (!f->o->quiet)
		fprintf(stderr, "%-9s %s\n", view->name, left_out.s);
	return format("%s, %s", run, left_out.s);
}

/* `name`: of the files, where the directory is. */
static int write_view(struct finished *f, const struct view *view, const char *name,
		      const struct view_options *options, const struct drawn *drawn)
{
	const struct run_options *o = f->o;
	struct caption caption = o->look.caption;
	_cleanup_free_ char *subtitle_text = describe(f, view, name, options, drawn->tree);

	caption.unit = options->metric->unit;
	caption.view = view->name;
	if (!caption.title)
		caption.title = view->title;
	if (!caption.subtitle)
		caption.subtitle = subtitle_text;
	if (!caption.colors)
		caption.colors = view->colors;
	return f->directory ? write_into(f, name, drawn, &caption)
			    : write_outputs(f, view, drawn, &caption);
}

/* Does a format that is asked for draw what is not merged? And single waits? */
static bool wants_stacks(const struct finished *f, bool waits)
{
	const struct format *into[NR_FORMATS];
	size_t nr = f->directory ? recorded_formats(f, into) : 0;

	for (size_t i = 0; i < nr; i++)
		if (into[i]->write_stacks && (into[i]->waits || !waits))
			return true;
	vec_for_each (&f->o->look.outputs, output)
		if (!f->directory && output->format->write_stacks &&
		    (output->format->waits || !waits))
			return true;
	return false;
}

static void project_tree(const struct view *view, struct profile *p,
			 const struct view_options *options, struct call_tree *tree)
{
	struct stack_sink sink = call_tree_sink(tree);

	call_tree_init(tree, &p->names);
	if (options->operations)
		operations_begin(options->operations);
	view->project(p, options, &sink);
	call_tree_finish(tree);
	if (options->operations)
		call_tree_prune(tree, options->operations);
}

static bool has_pictures(const struct finished *f)
{
	vec_for_each (&f->o->look.outputs, output)
		if (output->as == AS_PICTURE)
			return true;
	return false;
}

static int draw_view(struct finished *f, const struct view *view, const char *name,
		     const struct metric *metric)
{
	struct view_options options = f->o->view;
	_cleanup_(weighted_stacks_release) struct weighted_stacks stacks = {};
	struct call_tree tree;
	int failed;

	/* Of a recording alone, the summary's. */
	if (!f->directory && !has_pictures(f) && (view->needs != NEED_CPU || f->cpu.nr))
		return 0;
	options.metric = metric;
	options.why = f->why;
	weighted_stacks_init(&stacks, &f->p->names);
	stacks.with_blocks = wants_stacks(f, true);
	if (wants_stacks(f, false))
		view_weigh(view, f->p, &options, &stacks);
	project_tree(view, f->p, &options, &tree);
	failed = write_view(f, view, name, &options, &(struct drawn){&tree, &stacks});
	/* The first view of CPU samples alone: the summary names its functions. */
	if (view->needs == NEED_CPU && !f->cpu.nr)
		f->cpu = tree;
	else
		call_tree_release(&tree);
	return failed;
}

/* Another metric of the same samples is another picture: faults.svg, faults_bytes.svg, ... */
static int draw_other_metrics(struct finished *f, const struct view *view)
{
	int failed = 0;

	for (size_t i = 1; i < MAX_METRICS && view->metrics[i].unit.name; i++) {
		const struct metric *metric = &view->metrics[i];
		_cleanup_free_ char *name = format("%s_%s", view->name, metric->unit.name);

		/* The same in another unit. */
		if (metric->column != metric[-1].column)
			failed |= draw_view(f, view, name, metric);
	}
	return failed;
}

static int draw_views(struct finished *f)
{
	const struct drawing *drawing = &f->o->drawing;
	struct error error = {};
	int failed = 0;

	if (drawing->directory && !f->directory && f->o->look.outputs.nr) {
		f->directory = make_directory(f->o, f->p, &error);
		if (!f->directory) {
			print_error(&error);
			return 1;
		}
	}
	for (size_t i = 0; i < drawing->nr_views; i++) {
		const struct view *view = drawing->views[i];

		failed |= draw_view(f, view, view->name, metric_by_name(view, f->o->metric));
		if (drawing->directory && view->each_metric)
			failed |= draw_other_metrics(f, view);
	}
	return failed;
}

/* ---- pages */

/* Beside the picture. */
static int write_page_into(struct finished *f, const struct view *view)
{
	const struct page *page = page_of_view(view);
	_cleanup_free_ char *path = format("%s/%s.txt", f->directory, view->name);

	return page ? page_write(f, page, path, AS_PAGE) : 0;
}

static int find_moment(struct finished *f)
{
	struct error error;

	if (!f->o->at || !page_find_moment(f, &error))
		return 0;
	print_error(&error);
	return 1;
}

static int write_pages(struct finished *f)
{
	const struct run_options *o = f->o;
	const struct page *page = o->drawing.page;
	int failed = 0;

	for (size_t i = 0; f->directory && i < o->drawing.nr_views; i++)
		failed |= write_page_into(f, o->drawing.views[i]);
	if (!page)
		return failed;
	vec_for_each (&o->look.outputs, output)
		if (output->as != AS_PICTURE)
			failed |= page_write(f, page, output->path, output->as);
	if (!o->look.outputs.nr && !o->json)
		failed |= page_print(f, page);
	return failed;
}

static u64 ns_of(struct timeval t)
{
	return (u64)t.tv_sec * NSEC_PER_SEC + (u64)t.tv_usec * NSEC_PER_USEC;
}

/* What wick itself has cost by now, with its helper processes. */
static void note_own_cost(struct run_cost *cost, const struct profile *p, u64 helpers_ns,
			  u64 started_ns)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	cost->cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime) + helpers_ns;
	cost->max_resident_bytes = (u64)usage.ru_maxrss << 10;
	cost->start_ns = p->begin - started_ns;
	cost->write_ns = monotonic_ns() - p->end;
}

/* They end as soon as it answers. */
static void note_stuck_helpers(const struct run_options *o, struct profile *p,
			       const struct files_cost *cost)
{
	u32 kinds = o->needs & ((1u << WICK_NR_KINDS) - 1);

	profile_loss(p, "helper processes that a file system keeps from ending", NULL,
		     kinds ? (enum wick_kind)__builtin_ctz(kinds) : WICK_SCHED, 0, cost->nr_stuck);
}

static void name_frames(const struct drawn_run *run, struct files_cost *cost)
{
	struct kernel_namer namers[] = {collector_kernel_namer(run->collector),
					kallsyms_namer("/proc/kallsyms")};

	if (run->o->no_inlines)
		profile_drop_sources(run->p);
	if (!run->files)
		return;
	if (run->o->attach_java)
		files_attach_java(run->files);
	if (run->o->debuginfod)
		debuginfod_use(run->files);
	symbolize(run->p, run->files, namers, ARRAY_SIZE(namers), SYMBOLIZE_TIMEOUT_MS,
		  !run->o->no_inlines);
	if (run->o->debuginfod && !run->o->quiet)
		debuginfod_say(run->files);
	*cost = files_cost(run->files);
	note_stuck_helpers(run->o, run->p, cost);
}

/* It is among the files that were written, and is said to be, if it was. */
static int finish_recording(struct finished *f, const struct drawn_run *run)
{
	const char *path = recorder_path(run->recorder), *directory;
	int failed = recorder_finish(run->recorder, run->p);

	if (!path)
		return failed;
	*vec_add(&f->written) = xstrdup(path);
	directory = recorder_directory(run->recorder);
	if (directory)
		f->directory = xstrdup(directory);
	return failed;
}

int draw(const struct drawn_run *run)
{
	struct finished f = {.o = run->o, .p = run->p};
	struct files_cost cost = {};
	int failed;

	name_frames(run, &cost);
	if (run->started_ns)
		note_own_cost(&run->p->cost, run->p, cost.cpu_ns, run->started_ns);
	failed = finish_recording(&f, run);
	profile_set_apart(run->p, NULL, NULL);
	if (run->o->needs & NEED_SCHED)
		f.why = why_new(run->p);
	summary_begin(&f);
	if (find_moment(&f)) {
		finished_release(&f);
		return 1;
	}
	failed |= draw_views(&f);
	failed |= write_pages(&f);
	if (run->started_ns)
		note_own_cost(&run->p->cost, run->p, cost.cpu_ns, run->started_ns);
	failed |= summary_write(&f);
	if (!run->o->quiet)
		summary_print_files(&f, failed);
	finished_release(&f);
	return failed;
}
