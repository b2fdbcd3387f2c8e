/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window.c: the order of things. Side-band first, so that no process is missed; then BPF, then the
 * sampling events, which run from here on and count nothing; then the window opens for all at once.
 * Processes that are older than the run are read just before that, as far as that goes quickly, and
 * then between the first samples.
 *
 * While the window is open nothing wakes us but the clock, and rings that fill up: bodies and
 * records are taken every TICK, counts every SLICE, or when half of their room is taken. Each look
 * costs little, and being woken for each record would cost much. On a busy host a look finds every
 * cache cold, so its number is what counts: only while files come up that are new, which may be
 * gone as soon as their process is, it is a QUICK_TICK.
 */
#include "collect.h"

#include <sys/epoll.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/boot_id.h"
#include "collector.h"
#include "collect/kernel/load_log.h"
#include "collect/kernel/kernel_names.h"
#include "collect/host/privileges.h"
#include "wick.h"
#include "wick.skel.h"

enum {
	TICK_NS = 100 * 1000 * 1000,
	QUICK_TICK_NS = 50 * 1000 * 1000,
	QUICK_FOR_NS = 300 * 1000 * 1000, /* after the last new file */
	HURRY_NS = 4 * 1000 * 1000,	  /* while BPF waits to be told of a file */
	READ_OLDER_NS = 10 * 1000 * 1000, /* of each tick, until all older processes are read */
	PREPARE_NS = 25 * 1000 * 1000,	  /* of it, before the window; at most ... */
	WAITING_NS = 50 * 1000 * 1000,	  /* between looks, before a window that begins later */
	TOLD_NS = 300 * 1000 * 1000,	  /* ... until BPF has been told of what was read */
	CHOSEN_NS = 1000 * 1000 * 1000,	  /* ... for the processes of -p */
	LAST_LINES = 100,		  /* of the verifier's log: all of it can be a million */
};

/* ---- the window */

static void describe_run(struct profile *p, const struct collect_options *o,
			 const struct sampler *s)
{
	char boot_id[BOOT_ID_SIZE + 1];
	struct utsname host;
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	p->wall_start_ns = (u64)wall.tv_sec * NSEC_PER_SEC + (u64)wall.tv_nsec;
	if (!uname(&host)) {
		p->host = strings_adds(&p->names, host.nodename);
		p->kernel_release = strings_adds(&p->names, host.release);
	}
	if (boot_id_read(boot_id))
		p->boot_id = strings_adds(&p->names, boot_id);
	p->frequency = o->frequency;
	p->event = strings_adds(&p->names, "cpu-clock");
	p->nr_cpus = s->nr ? (u32)s->nr : (u32)get_nprocs();
}

/* A window that begins later is known to BPF before that, and so begins on time. */
static u64 wait_for_begin(struct collector *c)
{
	const struct collect_start *start = &c->options->start;
	struct wick_window *window = &c->skeleton->bss->window;
	u64 now = monotonic_ns(), begin = now + start->in_ns;

	window->end = UINT64_MAX;
	__atomic_store_n(&window->begin, begin, __ATOMIC_RELEASE);
	start->tell(start->ctx, begin);
	for (; now < begin; now = monotonic_ns()) {
		follow_read_older(c->follow, now + READ_OLDER_NS);
		drain_bodies(c, HOLD_BACK_NS);
		now = monotonic_ns();
		if (now < begin)
			usleep((useconds_t)(min(begin - now, (u64)WAITING_NS) / NSEC_PER_USEC));
	}
	return begin;
}

static u64 end_of_window(const struct collector *c)
{
	const struct collect_options *o = c->options;

	if (o->start.until_ns)
		return max(o->start.until_ns, c->profile->begin);
	return o->duration_ns ? c->profile->begin + o->duration_ns : UINT64_MAX;
}

/* With some time left, since what tells it may be late, too. */
static bool is_too_late(const struct collector *c)
{
	const struct collect_start *start = &c->options->start;

	return start->until_ns && monotonic_ns() + start->in_ns + SLICE_NS >= start->until_ns;
}

static void open_window(struct collector *c)
{
	struct wick_window *window = &c->skeleton->bss->window;
	u64 begin = c->options->start.in_ns ? wait_for_begin(c) : 0;

	describe_run(c->profile, c->options, &c->sampler);
	c->self_begin_ns = self_cpu_ns(c->files);
	own_cost_begin(&c->own, c->self_begin_ns, c->sizes.memory, c->options->frequency,
		       &c->skeleton->bss->limits);
	cpus_idle(&c->idle_begin);
	sampler_begin(&c->sampler, &c->idle_begin);
	c->profile->most_blocks = c->sizes.blocks;
	c->profile->needs = c->options->needs;
	c->profile->depth = c->options->depth;
	c->profile->begin = begin ? begin : monotonic_ns();
	c->profile->end = end_of_window(c);
	c->next_slice = c->profile->begin + SLICE_NS;
	window->end = c->profile->end;
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
	cpus_idle(&c->idle_end);
	sampler_end(&c->sampler, &c->idle_end);
	c->profile->cost.window_cpu_ns = self_cpu_ns(c->files) - c->self_begin_ns;
	c->self_ns = c->options->self ? 0 : c->profile->cost.window_cpu_ns;
}

/* BPF waits to be told of a file: the sooner, the fewer stacks it sends. */
static bool is_waited_for(const struct collector *c)
{
	return follow_hurries(c->follow) || publisher_pending(c->publisher);
}

/*
 * Until the next tick, the deadline, or something that wakes us. Sets c->stop when the run is over.
 */
static void wait_for_tick(struct collector *c, u64 deadline_ns)
{
	u64 now = monotonic_ns();
	u64 until = min(c->profile->end, deadline_ns), left = until > now ? until - now : 0;
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

static void look_for_new_files(struct collector *c, u64 now)
{
	if (c->profile->files.nr == c->nr_files)
		return;
	c->nr_files = c->profile->files.nr;
	c->quick_until = now + QUICK_FOR_NS;
}

/* ---- the run, step by step */

static int fork_program(struct collector *c, struct error *error)
{
	const struct collect_options *o = c->options;
	int err = o->program ? program_fork(&c->program, o->program, error) : 0;

	if (err)
		return err;
	err = collector_watch(c->epoll, c->program.pidfd, ENDS_THE_RUN);
	return err ? fail(error, err, "epoll_ctl: %s", strerror(-err)) : 0;
}

int collector_begin(struct collector *c, struct error *error)
{
	int err = fork_program(c, error);

	if (err)
		return err;
	privileges_drop();
	follow_read_first(c->follow, c->options->pids, c->options->nr_pids,
			  monotonic_ns() + CHOSEN_NS);
	follow_prepare(c->follow, monotonic_ns() + PREPARE_NS, monotonic_ns() + TOLD_NS);
	if (is_too_late(c))
		return fail(error, -ECANCELED, "the window would begin after its end");
	open_window(c);
	if (!c->options->program)
		return 0;
	err = program_go(&c->program, c->options->program, error);
	/* What was collected until then is the caller's to end. */
	c->stop |= err != 0;
	return err;
}

int collector_end_by(struct collector *c, int fd)
{
	return collector_watch(c->epoll, fd, ENDS_THE_RUN);
}

void collector_end_at(struct collector *c, u64 end_ns)
{
	struct wick_window *window = &c->skeleton->bss->window;
	u64 end = max(end_ns, monotonic_ns());

	if (end >= c->profile->end)
		return;
	c->profile->end = end;
	__atomic_store_n(&window->end, end, __ATOMIC_RELEASE);
}

enum collect_step collector_step(struct collector *c, u64 deadline_ns)
{
	u64 now;

	if (c->stop)
		return COLLECT_OVER;
	follow_read_older(c->follow, monotonic_ns() + READ_OLDER_NS);
	wait_for_tick(c, deadline_ns);
	if (c->stop)
		return COLLECT_OVER;
	now = monotonic_ns();
	if (now < c->next_slice) {
		if (counts_fill_up(c) || counts_wait(&c->counts))
			drain_counts(c, HOLD_BACK_NS);
		else
			drain_bodies(c, HOLD_BACK_NS);
		look_for_new_files(c, now);
		return COLLECT_TICK;
	}
	drain_counts(c, HOLD_BACK_NS);
	end_of_slice(c, now);
	look_for_new_files(c, now);
	return COLLECT_SLICE;
}

int collector_end(struct collector *c, struct error *error)
{
	int err;

	close_window(c);
	err = collector_finish(c);
	program_reap(&c->program);
	return err ? fail(error, err, "cannot read the BPF maps: %s", strerror(-err)) : 0;
}

struct collect_progress collector_progress(const struct collector *c)
{
	return (struct collect_progress){
		.elapsed_ns = monotonic_ns() - c->profile->begin,
		.duration_ns = c->options->duration_ns,
		.samples = c->samples,
	};
}

/* ---- all of it */

/* No window: now. */
static int look_at_threads(struct collector *c, struct error *error)
{
	struct wick_window *window = &c->skeleton->bss->window;
	u64 now = monotonic_ns();
	int err;

	privileges_drop();
	describe_run(c->profile, c->options, &c->sampler);
	c->profile->needs = c->options->needs;
	c->profile->begin = c->profile->end = window->begin = window->end = now;
	err = collector_finish(c);
	return err ? fail(error, err, "cannot look at the threads: %s", strerror(-err)) : 0;
}

/* Returns whether the run goes on. */
static bool tell(const struct collector *c, const struct collect_watcher *watcher,
		 enum collect_step step)
{
	struct collect_progress now = collector_progress(c);

	if (watcher->progress)
		watcher->progress(watcher->ctx, &now);
	return !watcher->slice || step != COLLECT_SLICE || watcher->slice(watcher->ctx);
}

int collector_run(struct collector *c, int stop_fd, const struct collect_watcher *watcher,
		  struct error *error)
{
	struct error at_the_end;
	enum collect_step step;
	int err, ended;

	if (c->options->needs & NEED_THREADS)
		return look_at_threads(c, error);
	err = collector_end_by(c, stop_fd);
	if (err)
		return fail(error, err, "epoll_ctl: %s", strerror(-err));
	err = collector_begin(c, error);
	if (err && !c->profile->begin)
		return err;
	while (!err && (step = collector_step(c, UINT64_MAX)) != COLLECT_OVER)
		if (!tell(c, watcher, step))
			break;
	ended = collector_end(c, err ? &at_the_end : error);
	return err ? err : ended;
}

/* ---- afterwards */

const char *collector_log(void)
{
	return load_log_end(LAST_LINES);
}

static int names_of_run(void *self, const u64 *addresses, size_t nr,
			void (*answer)(void *ctx, size_t i, const char *name, const char *module),
			void *ctx)
{
	const struct kernel_namer kernel = {.names = kernel_prints_names};
	struct collector *c = self;

	return programs_names(sideband_programs(c->sideband), c->profile->kernel_sights.at,
			      c->profile->kernel_sights.nr, &kernel, addresses, nr, answer, ctx);
}

struct kernel_namer collector_kernel_namer(struct collector *c)
{
	return (struct kernel_namer){.name = "bpf", .names = names_of_run, .self = c};
}

int collector_program_status(const struct collector *c)
{
	return c->program.status;
}
