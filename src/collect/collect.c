/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collect.c: the order of things. Side-band first, so that no process is missed; then BPF, then the
 * sampling events, which run from here on and count nothing; then the window opens for all at once.
 * Processes that are older than the run are read after that, between the first samples.
 *
 * While the window is open nothing wakes us but the clock: bodies and records are taken every TICK,
 * counts every SLICE. Each look costs little, and being woken for each record would cost much. On a busy host
 * a look finds every cache cold, so its number is what counts: only while files come up that are new, which
 * may be gone as soon as their process is, it is a QUICK_TICK.
 */
#include "collect.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>

#include "account.h"
#include "check.h"
#include "cost.h"
#include "counts.h"
#include "follow.h"
#include "load.h"
#include "names.h"
#include "pass.h"
#include "perf.h"
#include "processes.h"
#include "program.h"
#include "sampler.h"
#include "sideband.h"
#include "tables.h"
#include "walks.h"
#include "wick.skel.h"

enum {
	SCHED_KEYS = 65536, /* 2,000 walks a second and CPU, and what ends without one */
	TICK_NS = 100 * 1000 * 1000,
	QUICK_TICK_NS = 50 * 1000 * 1000,
	QUICK_FOR_NS = 300 * 1000 * 1000, /* after the last new file */
	HURRY_NS = 4 * 1000 * 1000,	  /* the same while BPF waits to be told of a file */
	SLICE_NS = 1000 * 1000 * 1000,
	HOLD_BACK_NS = 2 * 1000 * 1000,	  /* a body is sent within microseconds of its time */
	READ_OLDER_NS = 10 * 1000 * 1000, /* of each tick, until all older processes are read */
	KEEP_EXITED_NS = 2u * 1000 * 1000 * 1000, /* exited processes, for their last stacks */
	WAIT_FOR_TABLES_NS =
		1000 * 1000 * 1000, /* after the run, for files that were sampled at its end */
	WALK_AFTERWARDS_NS = 1000 * 1000 * 1000, /* threads that are blocked when the window ends */
	LONG_BLOCK_NS = 1000 * 1000,		 /* at first; then what the longest ones are */
	STATS_PART = 4,				 /* the kernel's statistics run for a quarter */
};

struct collector {
	const struct collect_options *options;
	struct profile *profile;
	struct files *files;
	struct sideband *sideband;
	struct processes *processes;
	struct follow *follow;
	struct tables *tables;
	struct walks *walks;
	struct wick_bpf *skeleton;
	struct ring_buffer *ring;
	struct counts counts;
	struct sampler sampler;
	struct cost_meter meter;
	struct program program;
	struct account account;
	struct collect_cost cost;
	int epoll;
	u64 self_begin_ns, self_ns; /* wick's own CPU time, at the begin and of the window */
	u64 samples;
	u64 next_slice, stats_until, quick_until;
	size_t nr_files; /* that had come up at the last look */
	bool stop;
};

/* ---- opening */

static u32 keys_for(const struct collect_options *o)
{
	u64 samples = (u64)o->frequency * (u64)max(libbpf_num_possible_cpus(), 1);

	if (o->max_keys)
		return o->max_keys;
	if (o->sched || o->threads)
		return SCHED_KEYS;
	/* Nearly every sample of a slice can be a key of its own; a late drain has twice as many. */
	return (u32)min(max(samples * 4, (u64)16384), (u64)262144);
}

static int on_body(void *ctx, void *body, size_t size)
{
	struct collector *c = ctx;

	follow_body(c->follow, body, size);
	return 0;
}

static void on_record(void *ctx, const struct sideband_record *record)
{
	follow_record(((struct collector *)ctx)->follow, record);
}

static void on_count(void *ctx, const struct wick_key *key, const struct wick_columns *columns)
{
	struct collector *c = ctx;

	if (key->kind == WICK_CPU || !c->options->cpu)
		c->samples += columns->column[0];
	follow_count(c->follow, key, columns);
}

/* What is watched: rings, which wake us when they fill up, and what ends the run. */
enum { FILLS_UP, ENDS_THE_RUN };

static int watch(int epoll, int fd, u32 what)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = what};

	return fd >= 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int open_channels(struct collector *c, struct error *error)
{
	int err;

	c->ring = ring_buffer__new(bpf_map__fd(c->skeleton->maps.bodies), on_body, c, NULL);
	if (!c->ring)
		return fail(error, -errno, "cannot map the BPF ring buffer: %s", strerror(errno));
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (c->epoll < 0)
		return fail(error, -errno, "epoll_create1: %s", strerror(errno));
	err = watch(c->epoll, ring_buffer__epoll_fd(c->ring), FILLS_UP);
	if (!err)
		err = sideband_watch(c->sideband, c->epoll);
	return err ? fail(error, err, "epoll_ctl: %s", strerror(-err)) : 0;
}

static int watch_ends(struct collector *c, int stop_fd, struct error *error)
{
	int err = watch(c->epoll, stop_fd, ENDS_THE_RUN);

	if (!err)
		err = watch(c->epoll, c->program.pidfd, ENDS_THE_RUN);
	return err ? fail(error, err, "epoll_ctl: %s", strerror(-err)) : 0;
}

static int parse_cpus(const char *text, struct cpu_list *cpus, struct error *error)
{
	size_t nr = 0;

	if (text && parse_cpu_list(text, &cpus->at, &nr))
		return fail(error, -EINVAL, "bad list of CPUs: '%s'; it looks like 0-3,8", text);
	cpus->nr = cpus->room = nr;
	return 0;
}

static int attach_tables(struct collector *c, struct error *error)
{
	const struct tables_maps maps = {
		.known_files = bpf_map__fd(c->skeleton->maps.known_files),
		.regions = bpf_map__fd(c->skeleton->maps.regions),
		.chunks = bpf_map__fd(c->skeleton->maps.chunks),
		.epoch = &c->skeleton->bss->known_files_epoch,
		.clock = &c->skeleton->bss->rows_clock,
	};
	int err = tables_attach(c->tables, &maps, c->options->unwind_bytes / 2);

	files_limit_tables(c->files, c->options->unwind_bytes / 2);
	return err ? fail(error, err, "cannot map the BPF map of unwind rows: %s", strerror(-err))
		   : 0;
}

static int open_all(struct collector *c, struct error *error)
{
	const struct collect_options *o = c->options;
	struct cpu_list cpus = {};
	int err = check_options(o, error);

	if (!err)
		err = parse_cpus(o->cpus, &cpus, error);
	if (!err)
		err = sideband_open(&c->sideband, error);
	if (!err)
		err = load_open(&c->skeleton, o, error);
	if (!err)
		err = counts_init(&c->counts, bpf_map__fd(c->skeleton->maps.counts), keys_for(o),
				  error);
	if (!err)
		err = attach_tables(c, error);
	if (!err)
		err = open_channels(c, error);
	if (!err)
		err = load_attach(c->skeleton, o, error);
	if (!err && o->cpu)
		err = sampler_open(&c->sampler, c->skeleton->progs.wick_cpu,
				   NSEC_PER_SEC / o->frequency, &cpus, error);
	vec_release(&cpus);
	return err;
}

int collector_open(struct collector **out, const struct collect_options *options,
		   struct profile *profile, struct files *files, struct error *error)
{
	struct collector *c = xcalloc(1, sizeof(*c));
	int err;

	c->options = options;
	c->profile = profile;
	c->files = files;
	c->epoll = -1;
	c->meter.stats_fd = -1;
	c->program = (struct program){.pidfd = -1, .go = -1, .failed = -1};
	c->processes = processes_new(profile, files);
	c->tables = tables_new(profile, files, c->processes, !options->walk_fp);
	c->walks = walks_new(profile, files, c->processes, c->tables, !options->walk_fp);
	c->follow = follow_new(profile, c->processes, c->walks);
	err = open_all(c, error);
	if (err) {
		collector_close(c);
		return err;
	}
	*out = c;
	return 0;
}

/* ---- draining */

/* The ring first: what a body needs to know of its process is in the side-band before it is sent. */
static void drain_bodies(struct collector *c, u64 hold_back_ns)
{
	u64 now = monotonic_ns();

	ring_buffer__consume(c->ring);
	sideband_drain(c->sideband, on_record, c);
	follow_until(c->follow, hold_back_ns ? now - hold_back_ns : UINT64_MAX);
	walks_retry(c->walks);
	tables_retry(c->tables);
	files_trim_tables(c->files);
}

static void drain_pass(void *ctx)
{
	struct collector *c = ctx;

	drain_bodies(c, 0);
}

static int drain_counts(struct collector *c, u64 hold_back_ns)
{
	int err;

	tables_make_room(c->tables);
	err = counts_flip(&c->counts);
	if (err)
		return err;
	tables_reclaim(c->tables);
	drain_bodies(c, hold_back_ns);
	err = counts_drain(&c->counts, on_count, c);
	if (c->profile->blocks.nr == MAX_BLOCKS)
		c->skeleton->bss->control.long_block = c->profile->blocks.at[MAX_BLOCKS - 1].ns;
	if (follow_rotate(c->follow))
		__atomic_fetch_add(&c->skeleton->bss->window.epoch, 1, __ATOMIC_RELEASE);
	return err;
}

static void look_for_new_files(struct collector *c, u64 now)
{
	if (c->profile->files.nr == c->nr_files)
		return;
	c->nr_files = c->profile->files.nr;
	c->quick_until = now + QUICK_FOR_NS;
}

static void end_of_slice(struct collector *c, u64 now)
{
	if (c->options->cpu)
		sampler_follow_cpus(&c->sampler);
	sideband_follow_cpus(c->sideband);
	processes_forget(c->processes, now - KEEP_EXITED_NS);
	if (now >= c->stats_until)
		cost_meter_off(&c->meter);
	c->next_slice = now + SLICE_NS;
}

/* ---- the window */

static u64 self_cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (u64)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * NSEC_PER_SEC +
	       (u64)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * NSEC_PER_USEC;
}

static void describe_run(struct profile *p, const struct collect_options *o,
			 const struct sampler *s)
{
	struct utsname host;
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	p->wall_start_ns = (u64)wall.tv_sec * NSEC_PER_SEC + (u64)wall.tv_nsec;
	if (!uname(&host)) {
		p->host = strings_adds(&p->names, host.nodename);
		p->kernel_release = strings_adds(&p->names, host.release);
	}
	p->frequency = o->frequency;
	p->event = strings_adds(&p->names, "cpu-clock");
	p->nr_cpus = s->nr ? (u32)s->nr : (u32)get_nprocs();
}

static void open_window(struct collector *c)
{
	struct wick_window *window = &c->skeleton->bss->window;
	u64 duration = c->options->duration_ns;

	describe_run(c->profile, c->options, &c->sampler);
	cost_meter_on(&c->meter);
	c->self_begin_ns = self_cpu_ns();
	sampler_begin(&c->sampler);
	c->profile->begin = monotonic_ns();
	c->profile->end = duration ? c->profile->begin + duration : UINT64_MAX;
	c->next_slice = c->profile->begin + SLICE_NS;
	c->stats_until = c->profile->begin + max(duration / STATS_PART, (u64)SLICE_NS);
	window->end = c->profile->end;
	c->skeleton->bss->control.long_block = LONG_BLOCK_NS;
	__atomic_store_n(&window->begin, c->profile->begin, __ATOMIC_RELEASE);
}

static void close_window(struct collector *c)
{
	struct wick_window *window = &c->skeleton->bss->window;
	u64 now = monotonic_ns();

	if (now < c->profile->end) {
		__atomic_store_n(&window->end, now, __ATOMIC_RELEASE);
		c->profile->end = now;
	}
	sampler_end(&c->sampler);
	c->self_ns = c->options->self ? 0 : self_cpu_ns() - c->self_begin_ns;
}

/* BPF waits to be told of a file: the sooner, the fewer stacks it sends. */
static bool is_waited_for(const struct collector *c)
{
	return follow_hurries(c->follow) || tables_pending(c->tables);
}

/* Until the next tick, or something that wakes us. Sets c->stop when the run is over. */
static void wait_for_tick(struct collector *c)
{
	u64 now = monotonic_ns();
	u64 left = c->profile->end > now ? c->profile->end - now : 0;
	u64 tick = now < c->quick_until ? QUICK_TICK_NS : TICK_NS;
	u64 wait = min(left, is_waited_for(c) ? (u64)HURRY_NS : tick);
	int timeout = (int)((wait + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC), nr;
	struct epoll_event events[16];

	nr = epoll_wait(c->epoll, events, ARRAY_SIZE(events), timeout);
	for (int i = 0; i < nr; i++)
		c->stop |= events[i].data.u32 == ENDS_THE_RUN;
	if (monotonic_ns() >= c->profile->end)
		c->stop = true;
}

static void report_progress(struct collector *c,
			    void (*progress)(void *, const struct collect_progress *), void *ctx)
{
	struct collect_progress p = {
		.elapsed_ns = monotonic_ns() - c->profile->begin,
		.duration_ns = c->options->duration_ns,
		.samples = c->samples,
	};

	if (progress)
		progress(ctx, &p);
}

static int watch_window(struct collector *c,
			void (*progress)(void *, const struct collect_progress *), void *ctx)
{
	while (!c->stop) {
		u64 now;

		processes_read_older(c->processes, monotonic_ns() + READ_OLDER_NS);
		wait_for_tick(c);
		if (c->stop)
			break;
		now = monotonic_ns();
		if (now >= c->next_slice) {
			int err = drain_counts(c, HOLD_BACK_NS);

			if (err)
				return err;
			end_of_slice(c, now);
		} else {
			drain_bodies(c, HOLD_BACK_NS);
		}
		look_for_new_files(c, now);
		report_progress(c, progress, ctx);
	}
	return 0;
}

/* The CPU samples that should have been seen, against those that were. */
static int close_cpu_account(struct collector *c)
{
	struct profile *p = c->profile;
	int err = account_read(&c->account, bpf_map__fd(c->skeleton->maps.counters), WICK_CPU);

	if (!err)
		account_close(
			&c->account,
			account_skipped(&c->account, &c->sampler, p->end - p->begin, c->self_ns),
			p);
	c->cost.copies_refused += c->account.sum.at[WICK_LOST_COPY];
	return err;
}

static int close_sched_account(struct collector *c)
{
	int err;

	c->skeleton->bss->control.walk_until = monotonic_ns() + WALK_AFTERWARDS_NS;
	err = pass_run(c->skeleton, drain_pass, c);
	pass_thresholds(c->skeleton, c->options->walk_above_ns, c->cost.thresholds);
	if (!account_read(&c->account, bpf_map__fd(c->skeleton->maps.counters), WICK_SCHED)) {
		account_close_sched(&c->account, c->profile);
		c->cost.copies_refused += c->account.sum.at[WICK_LOST_COPY];
	}
	return err;
}

static void read_costs(struct collector *c)
{
	cost_meter_off(&c->meter);
	cost_read(c->skeleton, c->account.sum.at[WICK_RAN], &c->cost);
	c->cost.map_bytes = load_map_bytes(c->skeleton);
	tables_cost(c->tables, &c->cost.rows);
	c->cost.rows.copies = walks_nr_copies(c->walks);
	c->cost.body_bytes = follow_body_bytes(c->follow);
	c->cost.bodies = follow_nr_bodies(c->follow);
	c->cost.sideband_records = sideband_nr_records(c->sideband);
	c->cost.mappings_read = processes_nr_read(c->processes);
}

/* The window is closed: what programs counted in it is all in the map that is flipped away now. */
static int finish(struct collector *c)
{
	struct profile *p = c->profile;
	bool pass = c->options->sched || c->options->threads;
	int passed = pass ? close_sched_account(c) : 0;
	int err = drain_counts(c, 0);

	follow_finish(c->follow);
	walks_finish(c->walks, monotonic_ns() + WAIT_FOR_TABLES_NS);
	files_trim_tables(c->files);
	files_trim_tables(c->files); /* also what has just come: nobody waits for it any more */
	if (!err)
		err = passed;
	if (!err && c->options->cpu)
		err = close_cpu_account(c);
	read_costs(c);
	/* These samples are in the graph, under a note. */
	profile_loss(p, "stacks or names that were not received", NULL, WICK_CPU,
		     follow_lost_stacks(c->follow));
	profile_loss(p, "records of what processes did", NULL, WICK_CPU,
		     sideband_lost(c->sideband));
	return err;
}

/* No window: now. */
static int look_at_threads(struct collector *c, struct error *error)
{
	struct wick_window *window = &c->skeleton->bss->window;
	u64 now = monotonic_ns();
	int err;

	describe_run(c->profile, c->options, &c->sampler);
	cost_meter_on(&c->meter);
	c->profile->begin = c->profile->end = window->begin = window->end = now;
	err = finish(c);
	return err ? fail(error, err, "cannot look at the threads: %s", strerror(-err)) : 0;
}

int collector_run(struct collector *c, int stop_fd,
		  void (*progress)(void *ctx, const struct collect_progress *progress), void *ctx,
		  struct error *error)
{
	char *const *argv = c->options->program;
	int err = argv ? program_fork(&c->program, argv, c->options->open_files, error) : 0,
	    drained, failed;

	if (!err)
		err = watch_ends(c, stop_fd, error);
	if (err)
		return err;
	if (c->options->threads)
		return look_at_threads(c, error);
	open_window(c);
	if (argv)
		err = program_go(&c->program, argv, error);
	drained = err ? 0 : watch_window(c, progress, ctx);
	close_window(c);
	failed = finish(c);
	program_reap(&c->program);
	if (err)
		return err;
	if (drained || failed)
		return fail(error, drained ? drained : failed, "cannot read the BPF maps: %s",
			    strerror(drained ? -drained : -failed));
	return 0;
}

/* ---- afterwards */

const char *collector_log(void)
{
	return load_log();
}

struct kernel_namer collector_kernel_namer(struct collector *c)
{
	(void)c;
	return (struct kernel_namer){.name = "bpf", .names = kernel_prints_names};
}

const struct collect_cost *collector_cost(const struct collector *c)
{
	return &c->cost;
}

int collector_program_status(const struct collector *c)
{
	return c->program.status;
}

void collector_close(struct collector *c)
{
	if (!c)
		return;
	cost_meter_off(&c->meter);
	sampler_close(&c->sampler);
	account_release(&c->account);
	ring_buffer__free(c->ring);
	counts_release(&c->counts);
	wick_bpf__destroy(c->skeleton);
	sideband_close(c->sideband);
	follow_free(c->follow);
	walks_free(c->walks);
	tables_free(c->tables);
	processes_free(c->processes);
	program_release(&c->program);
	if (c->epoll >= 0)
		close(c->epoll);
	vec_release(&c->cost.programs);
	free(c);
}
