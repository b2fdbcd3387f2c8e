/* SPDX-License-Identifier: GPL-2.0-or-later */
/* views.c: the table of views. */
#include "cpu.h"
#include "memory.h"
#include "sched.h"
#include "view.h"

#define PLAIN(what, from)                                                                          \
	{                                                                                          \
		.unit = {.name = what, .divisor = 1}, .column = from                               \
	}
#define COUNT_OF(what, from)                                                                       \
	{                                                                                          \
		.unit = {.name = what, .divisor = 1}, .column = from, .also = "count"              \
	}
#define MICROSECONDS(from)                                                                         \
	{                                                                                          \
		.unit = {.name = "us", .divisor = 1000, .time = true}, .column = from              \
	}
#define NANOSECONDS(from)                                                                          \
	{                                                                                          \
		.unit = {.name = "ns", .divisor = 1, .time = true}, .column = from                 \
	}
#define BYTES(from)                                                                                \
	{                                                                                          \
		.unit = {.name = "bytes", .divisor = 1, .bytes = true}, .column = from             \
	}

const struct view views[] = {
	{
		.name = "cpu",
		.title = "On-CPU flame graph",
		.summary = "where threads run; width: CPU time, in samples",
		.needs = NEED_CPU,
		.metrics = {PLAIN("samples", 0)},
		.project = project_cpu,
	},
	{
		.name = "offcpu",
		.title = "Off-CPU flame graph",
		.summary = "where threads wait; width: time off-CPU",
		.needs = NEED_SCHED,
		.colors = "chain",
		.metrics = {MICROSECONDS(1), NANOSECONDS(1), PLAIN("count", 0)},
		.project = project_offcpu,
	},
	{
		.name = "wakeup",
		.title = "Wakeup flame graph",
		.summary = "which code wakes other threads; width: time that those had slept",
		.needs = NEED_SCHED | NEED_WAKERS,
		.only_woken = true,
		.colors = "wakeup",
		.metrics = {MICROSECONDS(1), NANOSECONDS(1), PLAIN("count", 0)},
		.project = project_wakeup,
	},
	{
		.name = "offwake",
		.title = "Off-wake flame graph",
		.summary = "where threads wait, and above it who woke them; width: time off-CPU",
		.needs = NEED_SCHED | NEED_WAKERS,
		.colors = "chain",
		.metrics = {MICROSECONDS(1), NANOSECONDS(1), PLAIN("count", 0)},
		.project = project_offwake,
	},
	{
		.name = "chain",
		.title = "Chain graph",
		.summary = "as offwake, with who woke the waker, and so on; width: time off-CPU",
		.needs = NEED_SCHED | NEED_WAKERS | NEED_CHAINS,
		.colors = "chain",
		.metrics = {MICROSECONDS(1), NANOSECONDS(1), PLAIN("count", 0)},
		.project = project_chain,
	},
	{
		.name = "wall",
		.title = "Wall-clock flame graph",
		.summary = "all of the threads' time, running and waiting; width: wall-clock time",
		.needs = NEED_CPU | NEED_SCHED,
		.metrics = {MICROSECONDS(1), NANOSECONDS(1)},
		.project = project_wall,
	},
	{
		.name = "faults",
		.title = "Page-fault flame graph",
		.summary = "where memory becomes resident; width: faults, bytes or time in them",
		.needs = NEED_FAULT,
		.colors = "mem",
		.each_metric = true,
		.metrics = {COUNT_OF("faults", 0), BYTES(1), MICROSECONDS(2), NANOSECONDS(2)},
		.project = project_faults,
	},
	{
		.name = "brk",
		.title = "Heap growth (brk) flame graph",
		.summary = "where the heap grows, by brk(); width: bytes",
		.needs = NEED_BRK,
		.colors = "mem",
		.metrics = {BYTES(1), COUNT_OF("calls", 0)},
		.project = project_brk,
	},
	{
		.name = "mmap",
		.title = "Mapped memory (mmap) flame graph",
		.summary = "where memory is mapped, by mmap() and mremap(); width: bytes",
		.needs = NEED_MMAP,
		.colors = "mem",
		.metrics = {BYTES(1), COUNT_OF("calls", 0)},
		.project = project_mmap,
	},
};

const size_t nr_views = ARRAY_SIZE(views);

const struct view threads_view = {
	.name = "threads",
	.title = "Threads",
	.summary = "what every thread is doing now, by stack; width: threads",
	.needs = NEED_THREADS,
	.metrics = {PLAIN("threads", 0), MICROSECONDS(1), NANOSECONDS(1)},
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
		if (!name || !strcmp(view->metrics[i].unit.name, name) ||
		    (view->metrics[i].also && !strcmp(view->metrics[i].also, name)))
			return &view->metrics[i];
	return NULL;
}
