/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.c: what the commands that profile do: collect, name, project, write, report. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "cmd.h"
#include "collect.h"
#include "missing.h"
#include "output.h"
#include "run.h"
#include "summary.h"
#include "symbolize.h"
#include "view.h"

enum { SYMBOLIZE_TIMEOUT_MS = 5000, WORTH_DRAWING_MS = 100 };

/* ---- progress */

struct progress_line {
	bool shown; /* on a terminal only */
	u64 last_ns;
};

static void show_progress(void *ctx, const struct collect_progress *p)
{
	struct progress_line *line = ctx;
	u64 now = monotonic_ns();

	if (now - line->last_ns < NSEC_PER_SEC / 4)
		return;
	line->last_ns = now;
	line->shown = true;
	fprintf(stderr, "\r%5.1f", (double)p->elapsed_ns / 1e9);
	if (p->duration_ns)
		fprintf(stderr, " of %.1f", (double)p->duration_ns / 1e9);
	fprintf(stderr, " s, %llu samples; Ctrl-C ends it and writes\033[K",
		(unsigned long long)p->samples);
	fflush(stderr);
}

static void clear_progress(struct progress_line *line)
{
	if (line->shown)
		fputs("\r\033[K", stderr);
	line->shown = false;
}

/* ---- signals: the first ends the run and keeps everything, the second quits */

/* A terminal that is closed ends the run too, unless somebody has said that it shall not: nohup. */
static void fill_signals(sigset_t *signals)
{
	struct sigaction hangup;

	sigemptyset(signals);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(signals, SIGHUP);
}

static int catch_signals(void)
{
	sigset_t signals;

	fill_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void release_signals(int fd)
{
	struct signalfd_siginfo first;
	sigset_t signals;

	/* Takes the one that ended the run; the next one acts as it does by default. */
	if (read(fd, &first, sizeof(first)) < 0 && errno != EAGAIN)
		return;
	fill_signals(&signals);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

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

static int write_output(const struct run_options *o, const char *path, enum output_mode mode,
			const struct format *format_row, const struct call_tree *tree,
			const struct caption *caption)
{
	struct error error = {};

	if (output_write(path, mode, format_row, tree, caption, &error)) {
		print_error(&error);
		return 1;
	}
	if (!o->quiet && !o->drawing.directory && strcmp(path, "-"))
		fprintf(stderr, "wrote     %s\n", path);
	return 0;
}

/* One that fails does not keep the others from being written. */
static int write_outputs(const struct run_options *o, const struct view *view,
			 const struct profile *p, const struct call_tree *tree,
			 const struct caption *caption)
{
	int failed = 0;

	vec_for_each (&o->look.outputs, output) {
		_cleanup_free_ char *made =
			output->path ? NULL : default_path(view->name, p, output->format->suffix);

		failed |= write_output(o, made ? made : output->path,
				       made ? OUTPUT_NEW : OUTPUT_REPLACE, output->format, tree,
				       caption);
	}
	return failed;
}

/* A view in a record's directory: as a picture and as text, or in the format that was named. */
static int write_into(const char *directory, const struct run_options *o, const char *name,
		      const struct call_tree *tree, const struct caption *caption)
{
	static const char *const both[] = {"svg", "folded"};
	int failed = 0;

	for (size_t i = 0; i < (o->look.format ? 1 : ARRAY_SIZE(both)); i++) {
		const struct format *format_row =
			o->look.format ? o->look.format : format_by_name(both[i]);
		_cleanup_free_ char *path = format("%s/%s%s", directory, name, format_row->suffix);

		failed |= write_output(o, path, OUTPUT_REPLACE, format_row, tree, caption);
	}
	return failed;
}

/* The one that -o names, or a new one; NULL with *error filled if it cannot be made. */
static char *make_directory(const struct run_options *o, const struct profile *p,
			    struct error *error)
{
	const char *named = o->look.outputs.at[0].path;
	_cleanup_free_ char *path = named ? xstrdup(named) : default_path("record", p, "");

	if (output_make_directory(path, named ? OUTPUT_REPLACE : OUTPUT_NEW, error))
		return NULL;
	return steal(&path);
}

/* What cannot be written is better known before the run than after it. */
static int check_directory(const char *named, struct error *error)
{
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

static int check_outputs(const struct run_options *o, struct error *error)
{
	if (o->drawing.directory)
		return check_directory(o->look.outputs.at[0].path, error);
	vec_for_each (&o->look.outputs, output) {
		_cleanup_free_ char *made =
			format("%s%s", o->drawing.views->name, output->format->suffix);
		int err = output_check(output->path ? output->path : made, error);

		if (err)
			return err;
	}
	return 0;
}

/* When the command began, and when its files were there: CLOCK_MONOTONIC. */
struct times {
	u64 started_ns, written_ns;
};

/* A run that is over, about to be drawn. */
struct finished {
	const struct run_options *o;
	struct profile *p;
	const struct collect_cost *cost;
	char *directory;      /* NULL: each file where its option says */
	struct call_tree cpu; /* the cpu view's, for the summary; empty where there is none */
};

static void report(const struct finished *f, const struct symbolize_result *names,
		   const struct times *times)
{
	const struct run_options *o = f->o;

	if (o->needs.cpu)
		print_samples(stderr, f->p, f->cpu.nr ? &f->cpu : NULL);
	if (o->needs.sched)
		print_waits(stderr, f->p, f->cost, o->stats);
	if (o->needs.fault)
		print_faults(stderr, f->p);
	if (o->needs.brk)
		print_brk(stderr, f->p);
	if (o->needs.mmap)
		print_mmap(stderr, f->p);
	if (o->needs.threads)
		print_standing(stderr, f->p);
	print_names(stderr, f->p, names, o->stats);
	if (o->stats)
		print_ends(stderr, f->p);
	print_cost(stderr, f->p, f->cost, o->stats);
	if (o->stats)
		fprintf(stderr,
			"  window open %.1f ms after the start; files written %.1f ms after its end\n",
			(double)(f->p->begin - times->started_ns) / 1e6,
			(double)(times->written_ns - f->p->end) / 1e6);
}

/* The last line: who has read the summary need not look for the files above it. */
static void print_directory(const struct finished *f)
{
	const struct drawing *drawing = &f->o->drawing;

	fprintf(stderr, "wrote     %s:", f->directory);
	for (size_t i = 0; i < drawing->nr_views; i++)
		fprintf(stderr, " %s", drawing->views[i].name);
	fprintf(stderr, ", each as %s\n",
		f->o->look.format ? f->o->look.format->suffix : ".svg and .folded");
}

/* ---- the pictures */

/* `name`: of the files, where the directory is. */
static int write_view(const struct finished *f, const struct view *view, const char *name,
		      const struct view_options *options, const struct call_tree *tree)
{
	const struct run_options *o = f->o;
	struct caption caption = o->look.caption;
	_cleanup_free_ char *subtitle_text = subtitle(f->p, view, options, f->cost, tree);

	caption.unit = options->metric->unit;
	if (!caption.title)
		caption.title = view->title;
	if (!caption.subtitle)
		caption.subtitle = subtitle_text;
	if (!caption.colors)
		caption.colors = view->colors;
	return f->directory ? write_into(f->directory, o, name, tree, &caption)
			    : write_outputs(o, view, f->p, tree, &caption);
}

static int draw_view(struct finished *f, const struct view *view, const char *name,
		     const struct metric *metric)
{
	struct view_options options = f->o->view;
	struct call_tree tree;
	int failed;

	options.metric = metric;
	call_tree_init(&tree, &f->p->names);
	view->project(f->p, &options, &tree);
	call_tree_finish(&tree);
	failed = write_view(f, view, name, &options, &tree);
	if (view->needs.cpu && !view->needs.sched)
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

	if (drawing->directory) {
		f->directory = make_directory(f->o, f->p, &error);
		if (!f->directory) {
			print_error(&error);
			return 1;
		}
	}
	for (size_t i = 0; i < drawing->nr_views; i++) {
		const struct view *view = &drawing->views[i];

		failed |= draw_view(f, view, view->name, metric_by_name(view, f->o->metric));
		if (drawing->directory && view->each_metric)
			failed |= draw_other_metrics(f, view);
	}
	return failed;
}

static int draw(const struct run_options *o, struct profile *p, struct collector *collector,
		struct files *files, u64 started_ns)
{
	struct finished f = {.o = o, .p = p, .cost = collector_cost(collector)};
	struct times times = {.started_ns = started_ns};
	struct kernel_namer namers[] = {collector_kernel_namer(collector),
					kallsyms_namer("/proc/kallsyms")};
	struct symbolize_result names = {};
	int failed;

	symbolize(p, files, namers, ARRAY_SIZE(namers), SYMBOLIZE_TIMEOUT_MS, &names);
	failed = draw_views(&f);
	times.written_ns = monotonic_ns();
	if (!o->quiet)
		report(&f, &names, &times);
	if (f.directory && !o->quiet && !failed)
		print_directory(&f);
	call_tree_release(&f.cpu);
	free(f.directory);
	return failed;
}

/* ---- the run */

/*
 * What was collected before a run failed in the middle is. Not the few milliseconds until it turned out that
 * the program cannot be run, in which others may have been seen all the same.
 */
static bool is_worth_drawing(const struct profile *p)
{
	return p->samples.nr && p->end > p->begin + WORTH_DRAWING_MS * NSEC_PER_MSEC;
}

static int program_exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* What the host lacks. A run without privileges fails for want of those, not of what they would let it see. */
static int fit_to_host(struct run_options *o, struct error *error)
{
	int err = privileges_check(error);

	if (!err && !o->needs.threads)
		err = leave_out_missing(&o->drawing, error);
	run_options_set_needs(o);
	return err;
}

static int run(struct run_options *o, struct profile *p, struct files *files, u64 started_ns)
{
	struct progress_line line = {};
	bool show = !o->quiet && isatty(STDERR_FILENO);
	struct collector *collector = NULL;
	struct error error = {};
	int err, failed, stop_fd = catch_signals();

	err = fit_to_host(o, &error);
	if (!err)
		err = collector_open(&collector, &o->collect, p, files, &error);
	if (!err) {
		err = check_outputs(o, &error);
		if (err)
			collector_close(collector);
	}
	if (!err) {
		err = collector_run(collector, stop_fd, show ? show_progress : NULL, &line, &error);
		clear_progress(&line);
	}
	release_signals(stop_fd);
	close(stop_fd);
	if (err) {
		print_error(&error);
		if (o->collect.verbose)
			fputs(collector_log(), stderr);
	}
	if (err && !is_worth_drawing(p))
		return 1;
	failed = draw(o, p, collector, files, started_ns);
	if (!failed && !err && o->collect.program)
		failed = program_exit_status(collector_program_status(collector));
	collector_close(collector);
	return failed || err ? (failed ? failed : 1) : 0;
}

int run_command(const struct drawing *drawing, int argc, char **argv, const char *doc)
{
	u64 started_ns = monotonic_ns();
	struct rlimit open_files;
	struct run_options o;
	struct profile p;
	struct files *files;
	int status;

	run_options_parse(&o, drawing, argc, argv, doc);
	if (!getrlimit(RLIMIT_NOFILE, &open_files))
		o.collect.open_files = open_files.rlim_cur;
	/* On a host whose CPUs are all busy it is scheduling that delays us, not work. */
	setpriority(PRIO_PROCESS, 0, -20);
	profile_init(&p);
	p.filters = strings_add(&p.names, o.filters.s ? o.filters.s : "", o.filters.size);
	files = files_new();
	status = run(&o, &p, files, started_ns);
	files_free(files);
	profile_release(&p);
	run_options_release(&o);
	return status;
}
