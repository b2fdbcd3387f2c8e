/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fault_events.h"

#include <bpf/libbpf.h>
#include <sys/ioctl.h>

#include "cpus.h"
#include "perf.h"

static const struct {
	u64 config;
	bool ends;
	u64 cookie; /* what wick_fault_ends() reads */
} events[FAULT_EVENTS] = {
	{.config = PERF_COUNT_SW_PAGE_FAULTS},
	{.config = PERF_COUNT_SW_PAGE_FAULTS_MIN, .ends = true},
	{.config = PERF_COUNT_SW_PAGE_FAULTS_MAJ, .ends = true, .cookie = 1},
};

static void close_events(struct fault_events *e)
{
	for (size_t i = 0; i < FAULT_EVENTS; i++)
		bpf_link__destroy(e->link[i]);
}

static int open_event(const struct faults *f, struct fault_events *e, size_t i)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = events[i].config,
		.sample_period = 1,
		.disabled = 1,
	};
	LIBBPF_OPTS(bpf_perf_event_opts, options, .bpf_cookie = events[i].cookie);
	int fd = perf_open_on_cpu(&attr, e->cpu);

	if (fd < 0)
		return fd;
	/* Attaching enables the event. */
	e->link[i] = bpf_program__attach_perf_event_opts(events[i].ends ? f->ends : f->begins, fd,
							 &options);
	if (!e->link[i]) {
		int err = -errno;

		close(fd);
		return err;
	}
	e->fd[i] = fd;
	return 0;
}

/* The begin last: a fault that has one is to have an end. */
static int open_cpu(struct faults *f, u32 cpu)
{
	struct fault_events e = {.cpu = cpu};

	for (size_t i = FAULT_EVENTS; i-- > 0;) {
		int err = open_event(f, &e, i);

		if (err) {
			close_events(&e);
			return err;
		}
	}
	*vec_add(f) = e;
	return 0;
}

int faults_open(struct faults *f, const struct bpf_program *begins, const struct bpf_program *ends,
		struct error *error)
{
	_cleanup_cpu_list_ struct cpu_list online = {};
	int err = cpus_online(&online, error);

	*f = (struct faults){.begins = begins, .ends = ends};
	if (err)
		return err;
	vec_for_each (&online, cpu) {
		err = open_cpu(f, *cpu);
		/* -ENODEV: went offline since. */
		if (err && err != -ENODEV)
			return perf_refused(error, err, "an event of page faults");
	}
	return 0;
}

/* What its events have counted until now. */
static u64 ends_of(const struct fault_events *e)
{
	u64 sum = 0, count;

	for (size_t i = 0; i < FAULT_EVENTS; i++)
		if (events[i].ends && read(e->fd[i], &count, sizeof(count)) == sizeof(count))
			sum += count;
	return sum;
}

void faults_reopen(struct faults *f, u32 cpu)
{
	for (size_t i = 0; i < f->nr; i++) {
		if (f->at[i].cpu != cpu)
			continue;
		f->ended += ends_of(&f->at[i]);
		close_events(&f->at[i]);
		f->at[i] = f->at[--f->nr];
		break;
	}
	open_cpu(f, cpu);
}

u64 faults_stop(struct faults *f)
{
	u64 sum = f->ended;

	vec_for_each (f, e)
		for (size_t i = 0; i < FAULT_EVENTS; i++)
			ioctl(e->fd[i], PERF_EVENT_IOC_DISABLE, 0);
	vec_for_each (f, e)
		sum += ends_of(e);
	return sum;
}

void faults_close(struct faults *f)
{
	vec_for_each (f, e)
		close_events(e);
	vec_release(f);
}
