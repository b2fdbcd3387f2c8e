/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.c: the commands that profile: collect, name, project, write, report. */
#include <signal.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>

#include "cmd.h"
#include "collect.h"
#include "options.h"
#include "output.h"
#include "summary.h"
#include "symbolize.h"
#include "view.h"

enum { SYMBOLIZE_TIMEOUT_MS = 5000 };

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

static int catch_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
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
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
}

/* ---- output */

/* VIEW-HOST-YYYYMMDD-HHMMSS.suffix; nothing is overwritten by a default name. */
static char *default_path(const struct view *view, const struct profile *p,
			  const struct format *format_row)
{
	time_t start = (time_t)(p->wall_start_ns / NSEC_PER_SEC);
	const char *host = strings_get(&p->names, p->host).s;
	struct tm local;
	char when[32];
	char *path;

	strftime(when, sizeof(when), "%Y%m%d-%H%M%S", localtime_r(&start, &local));
	path = format("%s-%s-%s%s", view->name, host, when, format_row->suffix);
	for (unsigned int i = 2; !access(path, F_OK); i++) {
		free(path);
		path = format("%s-%s-%s-%u%s", view->name, host, when, i, format_row->suffix);
	}
	return path;
}

static int write_outputs(const struct run_options *o, const struct view *view,
			 const struct profile *p, const struct call_tree *tree,
			 const struct caption *caption)
{
	int failed = 0;

	vec_for_each (&o->outputs, output) {
		_cleanup_free_ char *made =
			output->path ? NULL : default_path(view, p, output->format);
		const char *path = made ? made : output->path;
		struct error error = {};

		/* One that fails does not keep the others from being written. */
		if (output_write(path, made ? OUTPUT_NEW : OUTPUT_REPLACE, output->format, tree,
				 caption, &error)) {
			print_error(&error);
			failed = 1;
		} else if (!o->quiet && strcmp(path, "-")) {
			fprintf(stderr, "wrote     %s\n", path);
		}
	}
	return failed;
}

/* What cannot be written is better known before the run than after it. */
static int check_outputs(const struct run_options *o, const struct view *view, struct error *error)
{
	vec_for_each (&o->outputs, output) {
		_cleanup_free_ char *made = format("%s%s", view->name, output->format->suffix);
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

static void report(const struct run_options *o, const struct profile *p,
		   const struct call_tree *tree, const struct symbolize_result *names,
		   const struct collect_cost *cost, const struct times *times)
{
	print_samples(stderr, p, tree);
	print_names(stderr, p, names, o->stats);
	if (o->stats)
		print_ends(stderr, p);
	print_cost(stderr, p, cost, o->stats);
	if (o->stats)
		fprintf(stderr,
			"  window open %.1f ms after the start; files written %.1f ms after its end\n",
			(double)(p->begin - times->started_ns) / 1e6,
			(double)(times->written_ns - p->end) / 1e6);
}

/* ---- the run */

static int draw(const struct run_options *o, const struct view *view, struct profile *p,
		struct collector *collector, struct files *files, u64 started_ns)
{
	struct times times = {.started_ns = started_ns};
	struct kernel_namer namers[] = {collector_kernel_namer(collector),
					kallsyms_namer("/proc/kallsyms")};
	struct caption caption = o->caption;
	_cleanup_free_ char *subtitle_text = NULL;
	struct symbolize_result names = {};
	struct call_tree tree;
	int failed;

	symbolize(p, files, namers, ARRAY_SIZE(namers), SYMBOLIZE_TIMEOUT_MS, &names);
	call_tree_init(&tree, &p->names);
	view->project(p, &o->view, &tree);
	call_tree_finish(&tree);
	subtitle_text = subtitle(p);
	caption.unit = view->unit;
	if (!caption.title)
		caption.title = view->title;
	if (!caption.subtitle)
		caption.subtitle = subtitle_text;
	failed = write_outputs(o, view, p, &tree, &caption);
	times.written_ns = monotonic_ns();
	if (!o->quiet)
		report(o, p, &tree, &names, collector_cost(collector), &times);
	call_tree_release(&tree);
	return failed;
}

static int program_exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run(const struct run_options *o, const struct view *view, struct profile *p,
	       struct files *files, u64 started_ns)
{
	struct progress_line line = {};
	bool show = !o->quiet && isatty(STDERR_FILENO);
	struct collector *collector;
	struct error error = {};
	int err, failed, stop_fd = catch_signals();

	err = collector_open(&collector, &o->collect, p, files, &error);
	if (!err) {
		err = check_outputs(o, view, &error);
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
	/* What was collected before it failed is still worth a picture. */
	if (err && (!p->end || !p->samples.nr))
		return 1;
	failed = draw(o, view, p, collector, files, started_ns);
	if (!failed && !err && o->collect.program)
		failed = program_exit_status(collector_program_status(collector));
	collector_close(collector);
	return failed || err ? (failed ? failed : 1) : 0;
}

int cmd_view(int argc, char **argv)
{
	const struct view *view = view_by_name(strrchr(argv[0], ' ') + 1);
	u64 started_ns = monotonic_ns();
	struct rlimit open_files;
	struct run_options o;
	struct profile p;
	struct files *files;
	int status;

	run_options_parse(&o, argc, argv, view->summary);
	if (!getrlimit(RLIMIT_NOFILE, &open_files))
		o.collect.open_files = open_files.rlim_cur;
	/* On a host whose CPUs are all busy it is scheduling that delays us, not work. */
	setpriority(PRIO_PROCESS, 0, -20);
	profile_init(&p);
	p.filters = strings_add(&p.names, o.filters.s ? o.filters.s : "", o.filters.size);
	files = files_new();
	status = run(&o, view, &p, files, started_ns);
	files_free(files);
	profile_release(&p);
	run_options_release(&o);
	return status;
}
