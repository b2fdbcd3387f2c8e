/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * collect.h: one run: instruments are loaded, one window is opened, what they count is drained into
 * a profile, processes are followed so that every user address knows its file.
 *
 *	struct collector *c;
 *
 *	collector_open(&c, &options, &profile, files, &error);	  checks, loads, attaches: may fail
 *	collector_run(c, stop_fd, progress, ctx, &error);	  the window
 *	... symbolize(&profile, ...), with collector_kernel_namer(c) ...
 *	collector_close(c);					  nothing is left on the host
 *
 * This is the only stage that uses libbpf or needs privileges. The profile and the files are the
 * caller's and must outlive the collector. Everything happens in the caller's thread.
 */
#ifndef WICK_COLLECT_H
#define WICK_COLLECT_H

#include "base/base.h"
#include "base/strbuf.h"
#include "base/vec.h"
#include "files.h"
#include "instrument.h"
#include "profile.h"
#include "run.h"
#include "symbolize.h"

/* A window that does not begin at once. All zero: it does. */
struct collect_start {
	u64 in_ns;    /* after everything is ready; is told when that is, CLOCK_MONOTONIC */
	u64 until_ns; /* CLOCK_MONOTONIC: when the window ends, whatever its duration is; 0: none */
	void (*tell)(void *ctx, u64 begin_ns);
	void *ctx;
};

struct collect_options {
	u64 duration_ns; /* of the window; 0: until stopped, or until the program ends */
	struct collect_start start;
	u32 frequency;		/* CPU samples a second and CPU, 1 to 100000 */
	const u32 *pids, *tids; /* filters: all that are given must hold */
	size_t nr_pids, nr_tids;
	const char *comm;    /* a glob: the thread's name */
	const char *process; /* a glob: the process's */
	const char *cgroup;  /* a directory of the cgroup v2 hierarchy, or its path inside that */
	const char *cpus;    /* "0-3,8" */
	bool user_threads, kernel_threads; /* only those */
	bool user_frames, kernel_frames;   /* only those; samples stay */
	bool idle;			   /* with the idle task */
	bool self;			   /* with wick itself */
	u32 forker;			   /* files_forker(): as much wick as it is */
	char *const *program; /* argv of a program to run, NULL-terminated; NULL: none */
	bool all;	      /* the whole host also with a program */
	bool walk_fp;	      /* user stacks by frame pointers; else by unwind tables */
	bool no_python;	      /* the interpreter's frames stay what they are */
	u32 copies;	      /* of stacks, at most, a second and CPU */
	u64 unwind_bytes;     /* of unwind tables, at most: half for BPF, half in user space */
	u32 max_keys;	      /* bound on distinct keys a slice; 0: by the number of CPUs */
	u32 needs;	      /* enum needs */
	bool by_faults; /* fault: what became resident is a page a fault, whatever the kernel knows */
	u32 depth;	/* hops of a chain, 1 to 32 */
	u64 walk_above_ns; /* blocks are walked from here on; 0: all */
	double budget;	   /* percent of a CPU's time that walks may take; 0: by the CPUs */
	u64 min_block_ns,
		max_block_ns; /* blocks (switch-out to wakeup) outside of it are left out; 0: none */
	const char *switch_hook; /* where to walk: see switch_hooks[]; NULL: the best that loads */
	const char *call_hook;	 /* of call_hooks[]; NULL: the best that this kernel has */
	u32 drop_switches;	 /* to test the account: every so many is not looked at; 0: none */
	bool verbose; /* errors of the BPF loader come with the end of the verifier's log */
};

/* What a progress line can say. */
struct collect_progress {
	u64 elapsed_ns, duration_ns; /* duration 0: not known */
	u64 samples;
};

/*
 * Whether this host lacks what the instrument takes; what that is, is appended to *why. Loads
 * nothing.
 */
bool instrument_is_missing(enum wick_kind kind, struct strbuf *why);

/* A BPF program that the kernel has taken, and what its verifier had to say: verifier_stats.h. */
struct program_figures {
	char name[32];
	u64 processed;	     /* instructions, on all paths */
	u64 processed_limit; /* at most so many are followed */
	u32 states, peak_states;
	u32 stack_bytes;  /* of the deepest chain of calls; 0: not known */
	u32 stack_frames; /* of the longest */
	u64 verification_ns;
};

/* Programs that were loaded to see whether the kernel takes them. */
struct trial {
	int err;	      /* as collector_open() gives it; 0: they work */
	struct strbuf reason; /* as part of a line: "this kernel refuses wick_cpu (...): ..." */
	u64 load_ns;
	VEC(struct program_figures) programs;
};

/*
 * Loads what a run with these options would load, attaches nothing, and throws it away: 10 to 100
 * ms. `figures`: of each program; without, what the verifier has refused is in collector_log() with
 * its instructions.
 */
void try_programs(const struct collect_options *options, bool figures, struct trial *trial);
/* The same of the program of collector_kernel_namer(). */
void try_kernel_names(struct trial *trial);
void trial_release(struct trial *trial);

/* "v1.1" */
const char *libbpf_in_use(void);

/* What this host allows, for `wick doctor`. */
enum probe_result {
	PROBE_OK,
	PROBE_LESS, /* all views work, and would be better */
	PROBE_MISSING,
};

struct probe {
	const char *name;
	/* What it is good for: the views that need any of these (enum needs), and the text. */
	u32 needs;
	const char *use;
	/* Appends what was seen, and where that is not all, what to do about it. */
	enum probe_result (*run)(struct strbuf *seen, struct strbuf *fix);
	bool traced; /* it is good for the views of instruments with tracepoints, too */
};

extern const struct probe probes[];
extern const size_t nr_probes;

/* A capability, and what it is good for: capabilities(7). */
struct capability {
	int number; /* CAP_BPF, ... */
	const char *name;
	const char *use;
	bool required; /* no run without it */
	bool kept;     /* also while a run is on; the required ones are, too */
	bool names;    /* without it, fewer frames have names */
};

extern const struct capability capabilities[];
extern const size_t nr_capabilities;
/* Does this process have it, to use it now? */
bool has_capability(int number);
/* -EPERM, with a text that names what is missing, if something is that every run takes. */
int privileges_check(struct error *error);

/* A rung of a ladder of hooks. The best comes first. */
struct hook {
	const char *name;
	const char *summary;
};

/* At which a thread is walked that comes back to a CPU. */
extern const struct hook switch_hooks[];
extern const size_t nr_switch_hooks;
/* At which brk() and mmap() are seen. */
extern const struct hook call_hooks[];
extern const size_t nr_call_hooks;

struct collector;

/*
 * Nothing counts yet when this returns. Errors: -EPERM (a capability is missing, or perf events or
 * BPF are forbidden), -ENOTSUP (no BTF, a kernel that is too old), -ENOEXEC (the kernel refuses a
 * program; it may take those of fewer instruments), -ESRCH (no such process), -ENOENT (no such
 * cgroup, CPU), -EINVAL.
 */
int collector_open(struct collector **c, const struct collect_options *options,
		   struct profile *profile, struct files *files, struct error *error);

/*
 * The run, step by step, for callers that do more than wait:
 *
 *	collector_begin(c, &error);
 *	while ((step = collector_step(c, deadline)) != COLLECT_OVER)
 *		... at COLLECT_SLICE the profile has all that was counted ...
 *	collector_end(c, &error);
 */
enum collect_step {
	COLLECT_TICK,  /* records and stacks were taken */
	COLLECT_SLICE, /* counts, too: about once a second */
	COLLECT_OVER, /* the window has ended, the program has, or collector_end_by()'s descriptor is readable */
};

/*
 * Starts the program, and opens the window. After a failure with p->begin set, collector_end()
 * gives what was collected. -ECANCELED: start.until_ns is over before the window would begin.
 */
int collector_begin(struct collector *c, struct error *error);
/* The run ends when `fd` becomes readable. */
int collector_end_by(struct collector *c, int fd);
/* The window ends at this time (CLOCK_MONOTONIC), or now, if that is over; never later. */
void collector_end_at(struct collector *c, u64 end_ns);
/*
 * Waits until something is due, at most until `deadline_ns` (CLOCK_MONOTONIC), and takes it.
 */
enum collect_step collector_step(struct collector *c, u64 deadline_ns);
/*
 * Closes the window, and takes what is left: what was collected is in the profile afterwards, also
 * when this fails.
 */
int collector_end(struct collector *c, struct error *error);
struct collect_progress collector_progress(const struct collector *c);

/* Is told how a run goes. Either may be NULL. */
struct collect_watcher {
	void (*progress)(void *ctx, const struct collect_progress *progress);
	/*
	 * The profile has all that was counted before profile->counted_until. False: the run ends
	 * now.
	 */
	bool (*slice)(void *ctx);
	void *ctx;
};

/*
 * All of that, until the run is over or stop_fd becomes readable; also the look at threads, which
 * has no window.
 */
int collector_run(struct collector *c, int stop_fd, const struct collect_watcher *watcher,
		  struct error *error);

/*
 * Bytes of memory that a run may take where no option says: a quarter of the host's, or half of
 * what wick's cgroup may use.
 */
u64 memory_for_run(void);

/* The end of the BPF loader's log, when collector_open() has failed: the verifier's story. */
const char *collector_log(void);

/*
 * Names kernel addresses by a BPF program that prints them, and those of BPF programs that came or
 * went in the run by what the kernel said of them then. Good until collector_close().
 */
struct kernel_namer collector_kernel_namer(struct collector *c);
/* As waitpid() gives it; 0 where there was no program. */
int collector_program_status(const struct collector *c);
void collector_close(struct collector *c);

/* Parses "0-3,8" into ascending numbers, an array to be freed. -EINVAL. */
int parse_cpu_list(const char *text, u32 **cpus, size_t *nr);

#endif
