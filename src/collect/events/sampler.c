/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampler.h"

#include <bpf/libbpf.h>
#include <time.h>

#include "perf.h"

/*
 * The starts of all events are spread over one period, but none waits longer than this.
 */
enum { STAGGER_MAX_NS = 20 * 1000 * 1000 };

/* Of event->cpu. */
static int start_event(const struct sampler *s, struct sampler_event *event)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = s->period_ns,
		.disabled = 1,
	};
	struct bpf_link *link;
	int fd = perf_open_on_cpu(&attr, event->cpu);

	if (fd < 0)
		return fd;
	/* Attaching enables the event: its period begins here. */
	link = bpf_program__attach_perf_event(s->program, fd);
	if (!link) {
		int err = -errno;

		close(fd);
		return err;
	}
	event->fd = fd;
	event->link = link;
	return 0;
}

static int open_event(struct sampler *s, u32 cpu)
{
	struct sampler_event event = {.cpu = cpu, .fd = -1};
	int err = start_event(s, &event);

	if (!err)
		*vec_add(s) = event;
	return err;
}

static bool wants(const struct sampler *s, u32 cpu)
{
	if (!s->only.nr)
		return true;
	vec_for_each (&s->only, only)
		if (*only == cpu)
			return true;
	return false;
}

static struct sampler_event *find_event(const struct sampler *s, u32 cpu)
{
	vec_for_each (s, event)
		if (event->cpu == cpu)
			return event;
	return NULL;
}

static void pause_ns(u64 ns)
{
	struct timespec ts = {.tv_sec = (time_t)(ns / NSEC_PER_SEC),
			      .tv_nsec = (long)(ns % NSEC_PER_SEC)};

	nanosleep(&ts, NULL);
}

int sampler_open(struct sampler *s, const struct bpf_program *program, u64 period_ns,
		 struct cpu_list *only, struct error *error)
{
	_cleanup_cpu_list_ struct cpu_list online = {};
	int err = cpus_online(&online, error);

	*s = (struct sampler){.program = program, .period_ns = period_ns, .only = *only};
	*only = (struct cpu_list){};
	if (err)
		return err;
	vec_for_each (&online, cpu) {
		if (!wants(s, *cpu))
			continue;
		if (s->nr)
			pause_ns(min(period_ns, (u64)STAGGER_MAX_NS) / online.nr);
		err = open_event(s, *cpu);
		/* -ENODEV: went offline since. */
		if (err && err != -ENODEV)
			return perf_refused(error, err, "a cpu-clock event for sampling");
	}
	return 0;
}

static void event_begin(struct sampler_event *event, const struct idle_times *idle)
{
	u64 clock = 0;

	if (read(event->fd, &clock, sizeof(clock)) == sizeof(clock))
		event->clock_begin = clock;
	event->idle_begin = event->cpu < idle->nr ? idle->at[event->cpu] : 0;
}

/* Its event has ended: what its clock has said stays. */
static void end_event(const struct sampler *s, struct sampler_event *event)
{
	u64 clock = 0;

	if (s->in_window && event->link && read(event->fd, &clock, sizeof(clock)) == sizeof(clock))
		event->clock_before += clock - event->clock_begin;
	bpf_link__destroy(event->link);
	event->link = NULL;
	event->fd = -1;
	event->clock_begin = 0;
}

void sampler_reopen(struct sampler *s, u32 cpu)
{
	struct idle_times idle = {};
	struct sampler_event *event = find_event(s, cpu);

	if (!wants(s, cpu))
		return;
	if (!event) {
		event = vec_add(s);
		event->cpu = cpu;
		if (s->in_window && !cpus_idle(&idle) && cpu < idle.nr)
			event->idle_begin = idle.at[cpu];
		vec_release(&idle);
	}
	end_event(s, event);
	start_event(s, event);
}

void sampler_begin(struct sampler *s, const struct idle_times *idle)
{
	vec_for_each (s, event)
		event_begin(event, idle);
	s->in_window = true;
}

void sampler_end(struct sampler *s, const struct idle_times *idle)
{
	vec_for_each (s, event) {
		u64 clock = 0;

		event->clock = event->clock_before;
		if (event->link && read(event->fd, &clock, sizeof(clock)) == sizeof(clock))
			event->clock += clock - event->clock_begin;
		if (event->cpu < idle->nr && idle->at[event->cpu] > event->idle_begin)
			event->idle = idle->at[event->cpu] - event->idle_begin;
	}
	s->in_window = false;
}

void sampler_close(struct sampler *s)
{
	vec_for_each (s, event)
		bpf_link__destroy(event->link);
	vec_release(&s->only);
	vec_release(s);
}
