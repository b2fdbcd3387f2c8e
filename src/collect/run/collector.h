/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collector.h: what a run consists of, shared between its phases: open.c, window.c, drain.c while
 * the window is open, close.c.
 */
#ifndef COLLECT_RUN_COLLECTOR_H
#define COLLECT_RUN_COLLECTOR_H

#include "collect/kernel/account.h"
#include "collect.h"
#include "follow.h"
#include "publish.h"
#include "collect/kernel/counts.h"
#include "collect/kernel/intake.h"
#include "collect/kernel/rows_maps.h"
#include "own_cost.h"
#include "collect/events/fault_events.h"
#include "collect/host/program.h"
#include "collect/host/sizes.h"
#include "collect/events/sampler.h"
#include "collect/events/sideband.h"

struct wick_bpf;

struct collector {
	const struct collect_options *options;
	struct profile *profile;
	struct files *files;
	struct sizes sizes;
	struct sideband *sideband;
	struct follow *follow;
	struct publisher *publisher;
	struct wick_bpf *skeleton;
	struct rows_maps rows_maps;
	struct intake *intake;
	struct counts counts;
	struct sampler sampler;
	struct faults faults;
	struct program program;
	struct idle_times idle_begin, idle_end; /* of the CPUs, at the window's edges */
	struct account account;
	int epoll;
	struct own_cost own;
	u64 no_python;		    /* stacks in which Python's frames were not found */
	u64 over_share;		    /* new stacks, names and chains that were not sent */
	u64 self_begin_ns, self_ns; /* wick's own CPU time, at the begin and of the window */
	u64 samples;
	u64 drained_keys;     /* keys that were made before the last flip */
	u64 generation_ns;    /* when that flip began: what is counted from then on comes later */
	u64 nr_returned_cpus; /* that have come online in the window */
	u64 next_slice, quick_until;
	size_t nr_files; /* that had come up at the last look */
	bool stop;
};

/* What is watched: what fills up, and wakes us for that, and what ends the run. */
enum { FILLS_UP, ENDS_THE_RUN };

/* Adds a descriptor, if it is one, to those that are watched. */
int collector_watch(int epoll, int fd, u32 what);

enum {
	SLICE_NS = 1000 * 1000 * 1000,	/* counts are taken so often */
	HOLD_BACK_NS = 2 * 1000 * 1000, /* a body is sent within microseconds of its time */
};

/*
 * Takes what has come through the rings and applies what is older than `hold_back_ns`; 0: all of
 * it.
 */
void drain_bodies(struct collector *c, u64 hold_back_ns);
/* The same, and the counts; those that cannot be read now come with a later call. */
void drain_counts(struct collector *c, u64 hold_back_ns);
/* Is half of the room for counts taken? */
bool counts_fill_up(const struct collector *c);
/* The last time: what cannot be read is a loss. */
void drain_last_counts(struct collector *c);
/* What is looked after once a second. */
void end_of_slice(struct collector *c, u64 now);

/* The instrument whose summary has the losses of a whole run: the first of those that run. */
static inline enum wick_kind main_kind(const struct collector *c)
{
	u32 kinds = c->options->needs & ((1u << WICK_NR_KINDS) - 1);

	return kinds ? (enum wick_kind)__builtin_ctz(kinds) : WICK_SCHED;
}

/* The window is closed: what programs counted in it is all in the map that is flipped away now. */
int collector_finish(struct collector *c);

#endif
