/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampler.h"

#include <bpf/libbpf.h>
#include <time.h>

#include "perf.h"

/* The starts of all events are spread over one period, but nobody waits longer than this for them. */
enum { STAGGER_MAX_NS = 20 * 1000 * 1000 };

static int open_event(struct sampler *s, u32 cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = s->period_ns,
		.disabled = 1,
	};
	struct bpf_link *link;
	struct sampler_event *event;
	int fd = perf_open_on_cpu(&attr, cpu);

	if (fd < 0)
		return fd;
	/* Attaching enables the event: its period begins here. */
	link = bpf_program__attach_perf_event(s->program, fd);
	if (!link) {
		int err = -errno;

		close(fd);
		return err;
	}
	event = vec_add(s);
	*event = (struct sampler_event){.cpu = cpu, .fd = fd, .link = link};
	return 0;
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

static bool has(const struct sampler *s, u32 cpu)
{
	vec_for_each (s, event)
		if (event->cpu == cpu)
			return true;
	return false;
}

static void pause_ns(u64 ns)
{
	struct timespec ts = {.tv_sec = (time_t)(ns / NSEC_PER_SEC),
			      .tv_nsec = (long)(ns % NSEC_PER_SEC)};

	nanosleep(&ts, NULL);
}

static void release_list(struct cpu_list *cpus)
{
	vec_release(cpus);
}

int sampler_open(struct sampler *s, const struct bpf_program *program, u64 period_ns,
		 struct cpu_list *only, struct error *error)
{
	_cleanup_(release_list) struct cpu_list online = {};
	int err = cpus_online(&online);

	*s = (struct sampler){.program = program, .period_ns = period_ns, .only = *only};
	*only = (struct cpu_list){};
	if (err)
		return fail(error, err, "cannot read /sys/devices/system/cpu/online: %s",
			    strerror(-err));
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

void sampler_follow_cpus(struct sampler *s)
{
	_cleanup_(release_list) struct cpu_list online = {};
	struct idle_times idle = {};

	if (cpus_online(&online) || online.nr == s->nr)
		return;
	vec_for_each (&online, cpu) {
		if (!wants(s, *cpu) || has(s, *cpu) || open_event(s, *cpu) || !s->in_window)
			continue;
		if (!idle.nr)
			cpus_idle(&idle);
		event_begin(&s->at[s->nr - 1], &idle);
	}
	vec_release(&idle);
}

void sampler_begin(struct sampler *s)
{
	struct idle_times idle = {};

	cpus_idle(&idle);
	vec_for_each (s, event)
		event_begin(event, &idle);
	vec_release(&idle);
	s->in_window = true;
}

void sampler_end(struct sampler *s)
{
	struct idle_times idle = {};

	cpus_idle(&idle);
	vec_for_each (s, event) {
		u64 clock = 0;

		if (read(event->fd, &clock, sizeof(clock)) == sizeof(clock))
			event->clock = clock - event->clock_begin;
		if (event->cpu < idle.nr && idle.at[event->cpu] > event->idle_begin)
			event->idle = idle.at[event->cpu] - event->idle_begin;
	}
	vec_release(&idle);
	s->in_window = false;
}

void sampler_close(struct sampler *s)
{
	vec_for_each (s, event)
		bpf_link__destroy(event->link);
	vec_release(&s->only);
	vec_release(s);
}
