/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fault_events.h: the perf events that drive the fault instrument: on each CPU one that fires when
 * a fault begins, and two that fire when it is done, for minor and for major faults.
 */
#ifndef COLLECT_EVENTS_FAULT_EVENTS_H
#define COLLECT_EVENTS_FAULT_EVENTS_H

#include "base/base.h"
#include "base/vec.h"

struct bpf_program;
struct bpf_link;

enum { FAULT_EVENTS = 3 };

struct fault_events {
	u32 cpu;
	int fd[FAULT_EVENTS]; /* the links', and closed with them */
	struct bpf_link *link[FAULT_EVENTS];
};

struct faults {
	VEC_FIELDS(struct fault_events);
	const struct bpf_program *begins, *ends;
	u64 ended; /* faults that events have counted which ended with their CPU */
};

/* Opens and starts the events on each online CPU. -EPERM and others with a text. */
int faults_open(struct faults *f, const struct bpf_program *begins, const struct bpf_program *ends,
		struct error *error);
/*
 * A CPU that has come online, or was offline in between: its events have ended, if there were some.
 */
void faults_reopen(struct faults *f, u32 cpu);
/*
 * Stops the events, and returns how often the programs should have seen a fault done: by the
 * events' own counts.
 */
u64 faults_stop(struct faults *f);
void faults_close(struct faults *f);

#endif
