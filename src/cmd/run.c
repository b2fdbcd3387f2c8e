/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.c: what the commands that profile do: fit the options to the host, collect, draw. */
#include <sys/resource.h>
#include <sys/wait.h>

#include "cmd.h"
#include "collect.h"
#include "crash.h"
#include "draw.h"
#include "identify.h"
#include "missing.h"
#include "own_memory.h"
#include "recorder.h"
#include "relay.h"
#include "replay.h"
#include "run.h"
#include "signals.h"

enum { WORTH_DRAWING_MS = 100 };

/* ---- progress */

struct progress_line {
	bool shown; /* on a terminal only */
	u64 last_ns;
};

/* What is told while a run goes on. */
struct watched {
	const struct run_options *o;
	struct progress_line line;
	struct recorder *recorder;
	struct identifier *identifier; /* NULL: nothing is recorded */
	struct relay *relay;
	struct collector *collector;
	struct profile *p;
};

/* Another runner may be about to go on with it. */
static void step_relay(const struct watched *watched)
{
	const struct profile *p = watched->p;
	u64 end = relay_step(watched->relay, watched->o, p->begin, p->end,
			     recorder_file(watched->recorder));

	if (end != UINT64_MAX)
		collector_end_at(watched->collector, end);
}

static bool add_slice(void *ctx)
{
	struct watched *watched = ctx;

	if (watched->identifier)
		identifier_step(watched->identifier, watched->p);
	recorder_add_slice(watched->recorder, watched->p, watched->p->counted_until);
	step_relay(watched);
	return !recorder_is_full(watched->recorder, watched->p) &&
	       !own_memory_is_full(watched->o, watched->p);
}

static void show_progress(void *ctx, const struct collect_progress *p)
{
	struct watched *watched = ctx;
	struct progress_line *line = &watched->line;
	u64 now = monotonic_ns(), before = relay_before(watched->relay, watched->p->begin);

	if (now - line->last_ns < NSEC_PER_SEC / 4)
		return;
	line->last_ns = now;
	line->shown = true;
	fprintf(stderr, "\r%5.1f", (double)(before + p->elapsed_ns) / 1e9);
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

/* ---- the run */

/*
 * What was collected before a run failed in the middle is. Not the few milliseconds until it turned
 * out that the program cannot be run, in which others may have been seen all the same.
 */
static bool is_worth_drawing(const struct profile *p)
{
	return p->samples.nr && p->end > p->begin + WORTH_DRAWING_MS * NSEC_PER_MSEC;
}

static int program_exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/*
 * What the host lacks. A run without privileges fails for want of those, not of what they would let
 * it see.
 */
static int fit_to_host(struct run_options *o, struct error *error)
{
	int err = privileges_check(error);

	if (!err && !(o->needs & NEED_THREADS))
		err = leave_out_missing(&o->drawing, error);
	run_options_set_needs(o);
	return err;
}

/*
 * Where the kernel refuses some of the programs, the others have to do: that costs nothing where it
 * takes all. *log: the loader's, if the whole of it failed.
 */
static int open_collector(struct run_options *o, struct collector **collector, struct profile *p,
			  struct files *files, struct strbuf *log, struct error *error)
{
	int err = collector_open(collector, &o->collect, p, files, error);

	if (err)
		strbuf_adds(log, collector_log());
	if (err != -ENOEXEC)
		return err;
	err = leave_out_refused(o, error);
	if (err)
		return err;
	run_options_set_needs(o);
	return collector_open(collector, &o->collect, p, files, error);
}

/* ---- what is left when wick crashes */

struct unfinished {
	struct run_options *o;
	struct profile *p;
	struct collector *collector;
	struct files *files;
	u64 started_ns;
	bool is_collecting;
};

/* The first attempt does what the run would have; the other one has no threads to ask for names. */
static bool write_unfinished(void *ctx, enum crash_attempt attempt)
{
	struct unfinished *u = ctx;
	struct error error;

	if (!u->p->begin)
		return false;
	if (u->is_collecting && attempt == CRASH_HERE && collector_end(u->collector, &error))
		return false;
	if (u->is_collecting)
		u->p->end = min(u->p->end, monotonic_ns());
	return !draw(&(struct drawn_run){.o = u->o,
					 .p = u->p,
					 .collector = u->collector,
					 .files = attempt == CRASH_HERE ? u->files : NULL,
					 .started_ns = u->started_ns});
}

/* ---- all of it */

static void report_bugs(void)
{
	if (bugs_found())
		fprintf(stderr,
			"wick: %llu checks of its own state failed, as said above: what depends on "
			"them may be wrong\n",
			(unsigned long long)bugs_found());
}

/* Collects; what was collected is in the profile, also after an error. */
static int collect(struct unfinished *u, struct watched *watched, struct strbuf *log,
		   struct error *error)
{
	bool show = !u->o->quiet && isatty(STDERR_FILENO);
	struct collect_watcher watcher = {
		.progress = show ? show_progress : NULL, .slice = add_slice, .ctx = watched};
	int stop_fd = signals_catch(), err = fit_to_host(u->o, error);

	if (!err)
		err = open_collector(u->o, &u->collector, u->p, u->files, log, error);
	if (!err)
		err = check_outputs(u->o, error);
	if (err)
		return err;
	watched->collector = u->collector;
	u->is_collecting = !(u->o->needs & NEED_THREADS);
	crash_rescue_by(write_unfinished, u);
	err = collector_run(u->collector, stop_fd, &watcher, error);
	clear_progress(&watched->line);
	u->is_collecting = false;
	return err;
}

/* A run that has come to something. */
static int finish(struct unfinished *u, struct recorder *recorder)
{
	int failed;

	recorder_add_slice(recorder, u->p, u->p->end);
	failed = draw(&(struct drawn_run){.o = u->o,
					  .p = u->p,
					  .collector = u->collector,
					  .files = u->files,
					  .recorder = recorder,
					  .started_ns = u->started_ns});
	crash_rescue_by(NULL, NULL);
	report_bugs();
	return failed;
}

static int run(struct run_options *o, struct relay *relay, struct profile *p, struct files *files,
	       u64 started_ns)
{
	_cleanup_strbuf_ struct strbuf log = {};
	struct unfinished unfinished = {.o = o, .p = p, .files = files, .started_ns = started_ns};
	struct watched watched = {
		.o = o, .p = p, .recorder = recorder_new(o, relay, p), .relay = relay};
	struct error error = {};
	int failed = 0, err;
	bool is_late;

	relay_fit(relay, &o->collect);
	if (watched.recorder)
		watched.identifier = identifier_new(files);
	err = collect(&unfinished, &watched, &log, &error);
	identifier_free(watched.identifier);
	is_late = err == -ECANCELED; /* the runner before goes on to the end */
	if (err && !is_late) {
		print_error(&error);
		if (o->collect.verbose && log.size)
			fputs(log.s, stderr);
	}
	o->quiet |= relay_is_part(relay); /* the whole is told when it is over */
	if (!err || is_worth_drawing(p))
		failed = finish(&unfinished, watched.recorder);
	crash_rescue_by(NULL, NULL);
	if (!failed && !err && o->collect.program)
		failed = program_exit_status(collector_program_status(unfinished.collector));
	recorder_free(watched.recorder);
	collector_close(unfinished.collector);
	return failed ? failed : err && !is_late;
}

struct command {
	struct run_options *o;
	u64 started_ns;
};

static int run_one(void *ctx, struct relay *relay)
{
	const struct command *command = ctx;
	struct run_options *o = command->o;
	u64 started_ns = relay_follows(relay) ? monotonic_ns() : command->started_ns;
	/* Its helper processes have the caller's priority. */
	struct files *files = files_new();
	struct profile p;
	int status;

	o->collect.forker = files_forker(files);
	/* On a host whose CPUs are all busy it is scheduling that delays us, not work. */
	setpriority(PRIO_PROCESS, 0, -20);
	profile_init(&p);
	p.filters = strings_add(&p.names, o->filters.s ? o->filters.s : "", o->filters.size);
	status = run(o, relay, &p, files, started_ns);
	files_free(files);
	profile_release(&p);
	return status;
}

int run_command(const struct drawing *drawing, int argc, char **argv, const char *doc)
{
	struct run_options o;
	struct command command = {.o = &o, .started_ns = monotonic_ns()};
	bool in_relay;
	int status;

	run_options_parse(&o, drawing, argc, argv, doc);
	in_relay = relay_is_wanted(&o);
	if (!o.max_memory)
		o.max_memory = memory_for_run();
	if (o.input)
		status = replay(&o);
	else
		status = in_relay ? relay_run(&o, run_one, &command) : run_one(&command, NULL);
	run_options_release(&o);
	return status;
}
