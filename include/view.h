/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view.h: ways to read a profile as weighted stacks. A view is a row: it costs nothing while a run
 * is on, and any number of them can be drawn from one profile. A file in src/view/ and a line of
 * VIEWS add one.
 */
#ifndef WICK_VIEW_H
#define WICK_VIEW_H

#include "base/strbuf.h"
#include "emit.h"
#include "operations.h"
#include "profile.h"
#include "tree.h"
#include "weighted.h"

struct why;

/* What the root frame of each stack is. */
enum grouping {
	GROUP_PROCESS, /* java, and above it the thread's name where that is another */
	GROUP_COMM,    /* the thread's: GC Thread#0 */
	GROUP_PID,     /* java-12: the process's name */
	GROUP_TID,     /* java-12/34: the thread's name */
	GROUP_CGROUP,  /* /system.slice/tomcat.service */
	GROUP_NONE,
};

/* What the width of a box can be. The unit's name is what --metric takes. */
struct metric {
	struct unit unit;
	unsigned int column; /* of the samples */
	const char *also;    /* another name that --metric takes; NULL: none */
};

/* The letters of enum wick_state; bits of those that need no wakeup. */
#define STATE_LETTERS "SDITRQ"
enum { STATES_RUNNABLE = 1 << 4 | 1 << 5 };

struct view_options {
	enum grouping group;
	bool reverse;		       /* stacks from leaf to root */
	const struct metric *metric;   /* one of the view's */
	u32 states;		       /* sched: bit i for STATE_LETTERS[i]; 0: all */
	bool no_never_ran;	       /* sched: without threads that did not run */
	bool no_still_blocked;	       /* sched: without what had not ended */
	bool idle;		       /* sched: idle waits in full, not as one box */
	bool no_idle;		       /* sched: without them */
	u32 depth;		       /* chain: wakers of wakers; 0: the profile's */
	bool outstanding;	       /* brk, mmap: what is still held at the end */
	bool reserved;		       /* mmap: also what is mapped without access */
	struct operations *operations; /* on each stack, before it is reversed; NULL: none */
	const struct why *why;	       /* what waits were for, not owned; NULL: not known */
};

enum { MAX_METRICS = MAX_WEIGHTS };

struct view {
	const char *name;    /* for the command line and file names */
	const char *title;   /* of the picture */
	const char *summary; /* for `wick list` */
	const char *brief;   /* for `wick -h` */
	u32 needs;	     /* enum needs: what a run has to observe for it */
	const char *colors;  /* palette; NULL: by the frames' kinds */
	bool only_woken;     /* without what no waker ended */
	bool each_metric;    /* of which `record` draws every one: they are different questions */
	struct metric metrics[MAX_METRICS]; /* the first is the default, unused ones the last */
	/* Gives all stacks of the profile to the sink, whose names are profile->names. */
	void (*project)(struct profile *p, const struct view_options *options,
			const struct stack_sink *sink);
	/* For the man page. */
	const char *reading; /* how to read it: paragraphs, separated by empty lines */
	const char *example; /* a few lines of folded text ... */
	const char *meaning; /* ... and what they say */
};

/*
 * The views of a run, in the order in which they are listed; each is a NAME_view in a file of
 * src/view/.
 */
#define VIEWS(X)                                                                                   \
	X(cpu)                                                                                     \
	X(offcpu)                                                                                  \
	X(wakeup)                                                                                  \
	X(offwake)                                                                                 \
	X(chain)                                                                                   \
	X(wall)                                                                                    \
	X(why)                                                                                     \
	X(locks)                                                                                   \
	X(faults)                                                                                  \
	X(brk)                                                                                     \
	X(mmap)

#define DECLARE_VIEW(name) extern const struct view name##_view;
VIEWS(DECLARE_VIEW)
#undef DECLARE_VIEW

#define ONE_VIEW(name) +1
enum { NR_VIEWS = 0 VIEWS(ONE_VIEW) };
#undef ONE_VIEW

extern const struct view *const views[NR_VIEWS];
/* What `wick threads` draws: no window, so it is none of the views of a run. */
extern const struct view threads_view;

const struct view *view_by_name(const char *name);
/* The same of all that a command draws: also threads_view and why_view. */
const struct view *view_of_command(const char *name);
/* -EINVAL when there is none of that name. */
int grouping_by_name(const char *name, enum grouping *group);
/* NULL names the view's own; returns NULL when it has none of that name. */
const struct metric *metric_by_name(const struct view *view, const char *name);
/* "SD" or "sd": -EINVAL for an empty text and for letters that are none of STATE_LETTERS. */
int states_by_letters(const char *letters, u32 *states);

/*
 * The view's stacks, with a value of each metric that is no other one in another unit, the options'
 * first. `stacks` is to be initialized with the profile's names.
 */
void view_weigh(const struct view *view, struct profile *p, const struct view_options *options,
		struct weighted_stacks *stacks);

/*
 * Off-CPU time that is in the profile and not in a view, because the options say so: nanoseconds.
 */
struct left_out {
	u64 states, never_ran, still_blocked, idle;
};

struct left_out view_left_out(const struct profile *p, const struct view_options *options);

/* Frames of one stack, root first, to be released with vec_release(). */
struct frames {
	VEC_FIELDS(struct tree_frame);
};

/*
 * Adds where a thread waits: its user stack, then its kernel stack down to where it left the CPU.
 * What is nearer to the leaf is tracing.
 */
void frames_add_wait(struct frames *f, struct profile *p, u32 user, u32 kernel);
/*
 * Adds the first waker of a chain, which begins with its thread, as GROUP_TID has it, or with the
 * note of an interrupt. Nothing where the waker is not known.
 */
void frames_add_first_waker(struct frames *f, struct profile *p, u32 chain);

/*
 * Was a wakeup an interrupt's doing, and not that of the thread which this came upon? Of a softirq
 * its kernel stack tells, which has to have names.
 */
bool hop_is_interrupt(const struct profile *p, const struct hop *hop);
/* Of one that was: "timer", "softirq", "irq", or "interrupt" where the stack does not tell. */
const char *hop_interrupt(const struct profile *p, const struct hop *hop);

/* A function and the samples, or other units, in which it was the leaf. */
struct top_function {
	struct tree_frame frame;
	u64 self;
};

/* The functions with the largest self values, largest first; returns how many, at most `room`. */
size_t top_functions(const struct call_tree *tree, struct top_function *top, size_t room);

#endif
