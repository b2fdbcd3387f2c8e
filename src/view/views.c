/* SPDX-License-Identifier: GPL-2.0-or-later */
/* views.c: the table of views. */
#include "cpu.h"
#include "sched.h"
#include "view.h"

#define SAMPLES                                                                                    \
	{                                                                                          \
		.unit = {.name = "samples", .divisor = 1}, .column = 0                             \
	}
#define MICROSECONDS                                                                               \
	{                                                                                          \
		.unit = {.name = "us", .divisor = 1000, .time = true}, .column = 1                 \
	}
#define NANOSECONDS                                                                                \
	{                                                                                          \
		.unit = {.name = "ns", .divisor = 1, .time = true}, .column = 1                    \
	}
#define COUNT                                                                                      \
	{                                                                                          \
		.unit = {.name = "count", .divisor = 1}, .column = 0                               \
	}

const struct view views[] = {
	{
		.name = "cpu",
		.title = "On-CPU flame graph",
		.summary = "where threads were when they ran; width: samples of CPU time",
		.needs = {.cpu = true},
		.metrics = {SAMPLES},
		.project = project_cpu,
	},
	{
		.name = "offcpu",
		.title = "Off-CPU flame graph",
		.summary = "where threads were when they waited; width: time off-CPU",
		.needs = {.sched = true},
		.colors = "chain",
		.metrics = {MICROSECONDS, NANOSECONDS, COUNT},
		.project = project_offcpu,
	},
	{
		.name = "wakeup",
		.title = "Wakeup flame graph",
		.summary = "where wakers were when they woke others; width: time that those slept",
		.needs = {.sched = true, .wakers = true},
		.only_woken = true,
		.colors = "wakeup",
		.metrics = {MICROSECONDS, NANOSECONDS, COUNT},
		.project = project_wakeup,
	},
	{
		.name = "offwake",
		.title = "Off-wake flame graph",
		.summary = "where threads waited, and above it who woke them; width: time off-CPU",
		.needs = {.sched = true, .wakers = true},
		.colors = "chain",
		.metrics = {MICROSECONDS, NANOSECONDS, COUNT},
		.project = project_offwake,
	},
	{
		.name = "chain",
		.title = "Chain graph",
		.summary = "as offwake, and above it who woke the waker, and so on",
		.needs = {.sched = true, .wakers = true, .chains = true},
		.colors = "chain",
		.metrics = {MICROSECONDS, NANOSECONDS, COUNT},
		.project = project_chain,
	},
	{
		.name = "wall",
		.title = "Wall-clock flame graph",
		.summary = "all of the threads' time, running and waiting; width: wall-clock time",
		.needs = {.cpu = true, .sched = true},
		.metrics = {MICROSECONDS, NANOSECONDS},
		.project = project_wall,
	},
};

const size_t nr_views = ARRAY_SIZE(views);

const struct view threads_view = {
	.name = "threads",
	.title = "Threads",
	.summary = "what every thread is doing now, by stack; width: threads",
	.needs = {.threads = true},
	.metrics = {{.unit = {.name = "threads", .divisor = 1}, .column = 0},
		    MICROSECONDS,
		    NANOSECONDS},
	.project = project_threads,
};

const struct view *view_by_name(const char *name)
{
	for (size_t i = 0; i < nr_views; i++)
		if (!strcmp(views[i].name, name))
			return &views[i];
	return NULL;
}

const struct metric *metric_by_name(const struct view *view, const char *name)
{
	for (size_t i = 0; i < MAX_METRICS && view->metrics[i].unit.name; i++)
		if (!name || !strcmp(view->metrics[i].unit.name, name))
			return &view->metrics[i];
	return NULL;
}
