/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler.h: the perf events that drive the cpu instrument: one cpu-clock event a CPU, with a fixed
 * period (frequency mode shrinks the period on idle CPUs and floods when they wake up), starts
 * staggered over one period so that CPUs do not sample in step.
 */
#ifndef COLLECT_EVENTS_SAMPLER_H
#define COLLECT_EVENTS_SAMPLER_H

#include "base/vec.h"
#include "cpus.h"

struct bpf_program;
struct bpf_link;

struct sampler_event {
	u32 cpu;
	int fd;		       /* the link's, and closed with it */
	struct bpf_link *link; /* NULL: its CPU is gone */
	u64 clock_begin;       /* the event's own clock, ns, when the window opened */
	u64 clock;	       /* of the window */
	u64 clock_before;      /* of events that have ended with their CPU */
	u64 idle_begin, idle;
};

struct sampler {
	VEC_FIELDS(struct sampler_event);
	const struct bpf_program *program;
	u64 period_ns;
	struct cpu_list only; /* the CPUs to sample; empty: all */
	bool in_window;
};

/*
 * Opens and starts an event on each online CPU of `only` (taken over; empty for all). -EPERM and
 * others with a text.
 */
int sampler_open(struct sampler *s, const struct bpf_program *program, u64 period_ns,
		 struct cpu_list *only, struct error *error);
/* A CPU that has come online, or was offline in between: its event has ended, if there was one. */
void sampler_reopen(struct sampler *s, u32 cpu);
/* At the edges of the window: reads the clocks. `idle` is what cpus_idle() says there. */
void sampler_begin(struct sampler *s, const struct idle_times *idle);
void sampler_end(struct sampler *s, const struct idle_times *idle);
void sampler_close(struct sampler *s);

#endif
