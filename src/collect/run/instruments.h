/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instruments.h: what the collector does for an instrument (include/instrument.h has the rest). A
 * step that it has no use for is NULL; one without a row only counts.
 */
#ifndef COLLECT_RUN_INSTRUMENTS_H
#define COLLECT_RUN_INSTRUMENTS_H

#include "collector.h"

struct instrument_steps {
	/*
	 * After its programs are attached: events that they run at. `cpus`: those of -C, or empty.
	 */
	int (*open)(struct collector *c, struct cpu_list *cpus, struct error *error);
	/* A CPU has come online. */
	void (*reopen)(struct collector *c, u32 cpu);
	/* After the window, before the last counts are taken: what is still to be counted. */
	int (*visit)(struct collector *c);
	/*
	 * After the last counts: losses, and what the profile has beside samples. NULL:
	 * close_plain(), unless the visit has done that.
	 */
	int (*close)(struct collector *c);
};

/* By enum wick_kind. */
extern const struct instrument_steps instrument_steps[WICK_NR_KINDS];

/* for_each_instrument (c, kind): those that this run observes. */
#define for_each_instrument(c, kind)                                                               \
	for (enum wick_kind kind = 0; kind < WICK_NR_KINDS; kind++)                                \
		if ((c)->options->needs & 1u << kind)

/* The losses that every instrument can have. */
int close_plain(struct collector *c, enum wick_kind kind);
/* Visits every thread, and counts what it does now: sched at a window's end, and `threads`. */
int visit_all_threads(struct collector *c);

#endif
