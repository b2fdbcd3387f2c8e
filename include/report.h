/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report.h: what a run says of itself: in the subtitles of its pictures, in words, as JSON.
 *
 * Every number is computed once, from the profile into struct facts. What prints has only the
 * facts: it chooses units and words.
 *
 *	struct facts f;
 *
 *	facts_init(&f, &profile, &options);	when the frames have names: the sums
 *	text = report_subtitle(&f, ...);	for each picture
 *	facts_finish(&f, &profile, cpu_tree);	the rest, when the pictures are written
 *	report_words(stderr, &f);		or report_json()
 *	facts_release(&f);
 *
 * Times are nanoseconds, sizes bytes. Lists are in the order in which they are shown, and may be
 * longer than what is shown. Strings are the profile's, any bytes, or the facts' own: the profile
 * must outlive the facts.
 */
#ifndef WICK_REPORT_H
#define WICK_REPORT_H

#include "base/base.h"
#include "base/strbuf.h"
#include "base/strings.h"
#include "base/vec.h"
#include "profile.h"
#include "tree.h"
#include "view.h"
#include "why.h"

/* A view that this host cannot draw, and why not. */
struct missing_fact {
	const char *view, *why;
};

/* What a report is of, and what is not in a profile. */
struct report_options {
	u32 needs; /* enum needs: what the run observed */
	bool all;  /* each thread, file, program: not just what stands out */
	const struct missing_fact *missing; /* views that were asked for */
	size_t nr_missing;
	const struct operation_sums *left_out; /* of pictures; known when they are written */
	size_t nr_left_out;
	/* "CAP_SYSLOG", without which fewer frames have names; NULL or "": none is missing. */
	const char *missing_capabilities;
	/* Of the profile; not owned. facts_finish() needs it where sched is observed. */
	struct why *why;
};

struct run_facts {
	struct string host, kernel; /* the kernel's release */
	struct string filters;	    /* as they were typed; "" where there are none */
	u64 started_ns;		    /* CLOCK_REALTIME */
	u64 length_ns;		    /* of the window */
	u32 nr_cpus;
};

/* What was lost: never 0. In the order of the profile. */
struct loss_fact {
	enum wick_kind kind;
	const char *cause; /* a constant */
	u64 value;
	bool is_time; /* else a number of what the cause says */
};

struct thread_fact {
	struct string comm;
	u32 pid, tid;
};

/* ---- cpu */

struct function_fact {
	struct string name, module;
	u64 self; /* of cpu_facts.drawn */
};

enum { MAX_TOP = 10 };

struct cpu_facts {
	u32 frequency; /* Hz */
	struct string event;
	u64 samples, expected; /* with what was lost */
	u64 processes;	       /* that ran, without the idle task */
	/* Of the cpu view's tree, if there is one: the functions with the most time of their own */
	bool has_tree;
	u64 drawn;
	struct function_fact top[MAX_TOP];
	size_t nr_top;
};

/* ---- sched: what threads waited for */

enum { NR_LETTERS = sizeof(STATE_LETTERS) - 1 };

/* Index of a state's letter in STATE_LETTERS; NR_LETTERS: it is none of them. */
size_t letter_index(u32 state);

/* Time off-CPU by letter; the last one is for states whose letter is none of STATE_LETTERS. */
struct state_times {
	u64 ns[NR_LETTERS + 1];
	u64 blocked; /* all but R and Q */
	u64 io;	     /* what the kernel accounts as I/O */
};

/* A thread's time, or all threads'. */
struct time_account {
	u64 running, queued, preempted, blocked, unaccounted;
	u64 sum;	/* of those */
	u64 expected;	/* as long as it existed in the window */
	u64 difference; /* of the two */
	u64 ran;	/* running, as the scheduler's own clock has it */
	u64 doubt;	/* the difference of that and running */
};

/* A CPU's time, or all CPUs'. */
struct cpu_account {
	u32 cpu;
	u64 running, idle; /* of its threads, and of itself */
	u64 sum, expected, difference;
};

struct account_row {
	struct thread_fact thread;
	struct time_account time;
	bool off; /* by more than clock_tolerance() in a sum, or against the scheduler's clock */
};

/* A threshold, and how long it held: all blocks that were longer were walked. */
struct threshold_fact {
	u64 above_ns, ruled_ns;
};

struct block_fact {
	struct thread_fact thread;
	u32 state; /* enum wick_state */
	u64 begin; /* after the window's begin */
	u64 ns;
	struct string place; /* "ksys_read < work < main" */
	struct string waker; /* "" where it is not known */
};

struct wait_facts {
	u64 all; /* with what was lost */
	struct state_times states;
	u64 nr_never_ran; /* threads */
	struct state_times never_ran;
	VEC(struct threshold_fact) thresholds; /* that ruled at all, the lowest first */
	u64 ruled_ns;			       /* their sum */
	u64 blocks, walked_blocks;
	u64 recorded_only; /* blocks that a recording has, and this log has no room for ... */
	u64 logged_from;   /* ... ns: those that it has are as long, or longer */
	u64 nr_threads;
	struct time_account account;	  /* of all of them */
	u32 nr_cpus;			  /* with an account */
	struct cpu_account cpus;	  /* of all of them */
	VEC(struct cpu_account) off_cpus; /* those that are off */
	VEC(struct account_row) threads;  /* by difference: those that are off, or all */
	VEC(struct block_fact) longest;	  /* blocks of threads that ran, the longest first */
};

/* ---- processes: which matter, and what delays them */

/* Waits of one class of processes of one name at one place. */
struct delay_fact {
	u32 process; /* row in process_facts.all, of the longest wait */
	bool others; /* there are others of that name */
	enum why_class class;
	u64 ns, nr;
	bool stands_for_more; /* nr: there were shorter ones besides, which ns has */
	u64 longest_ns;	      /* of one */
	struct string place;  /* "fdatasync < XLogWrite"; "": for a CPU */
	struct string cause;  /* of the most of it */
};

struct process_fact {
	struct string name; /* its leader's */
	u32 pid;	    /* 0: several processes of that name */
	u64 nr_threads;	    /* that were seen */
	u64 running;
	u64 waits[NR_WHY_CLASSES];
	u64 matters; /* by which they are ordered: the longest of running, no CPU, other delays */
	struct delay_fact longest; /* the delay with its longest wait; ns is 0: none */
};

/* A process, or several of one name, each of which matters little beside their sum. */
struct process_row {
	struct process_fact fact;
	u64 nr; /* processes */
};

/* A thread that ran, or wanted to, most of the time that it existed. */
struct busy_fact {
	struct thread_fact thread;
	u64 running, no_cpu;
	u64 existed;
};

enum { MOST_PROCESSES = 100, MOST_DELAYS = 100, MOST_QUOTA_USERS = 2 };

struct quota_user {
	struct string name; /* NULL: none */
	u32 pid;
	u64 running;
};

/* Who used the quota of the cgroup that was throttled the most. */
struct quota_fact {
	struct string cgroup; /* its path; NULL: not known, or none was throttled */
	/* Its processes: the one that ran most, and one that ran half as much, at least. */
	struct quota_user users[MOST_QUOTA_USERS];
};

struct process_facts {
	/* Those that matter most come first; from MOST_PROCESSES on, places are not named. */
	VEC(struct process_fact) all;
	VEC(struct process_row) rows;  /* the same processes, in the same order */
	VEC(struct delay_fact) delays; /* the MOST_DELAYS largest, the largest first */
	VEC(struct busy_fact) full;    /* threads that ran nearly all the time, the most first */
	VEC(struct busy_fact) starved; /* that rather waited for a CPU than ran, the most first */
	struct quota_fact quota;
	u64 waits[NR_WHY_CLASSES]; /* of all */
	u64 short_ns;		   /* of waits that were too short for the log */
	u64 running;
};

/* ---- fault, brk, mmap */

struct fault_facts {
	u64 faults, resident, ns; /* with what was lost */
	u64 major, major_ns;
	u64 in_kernel;	       /* faults that the kernel took on a user address */
	u64 resident_by_calls; /* of resident: made so by system calls, without faults */
	u64 not_done;
	/* Resident is a page for each fault: what is wrong with that; NULL: it was measured */
	const char *warning;
};

/* What calls have made; with what was lost. */
struct memory_facts {
	u64 calls, mapped;
	u64 per_second; /* of mapped */
	u64 of_files;	/* of mapped */
	u64 unmapped;	/* brk: by which it was made smaller */
	u64 gone;	/* with their processes */
	u64 held;	/* at the end */
};

/* ---- threads as they are */

/* Threads of one name, in one state, at one place. */
struct standing_row {
	u32 state; /* enum wick_state: its letter, and whether it is I/O */
	struct string comm, place;
	u64 nr, longest_ns;
};

struct standing_facts {
	u64 all;
	u64 nr[NR_LETTERS + 1]; /* the last one: on a CPU */
	VEC(struct standing_row)
	places; /* that may be stuck; those that most likely are come first */
};

/* ---- names of user frames */

enum nameless_what { NAMELESS_CODE, NAMELESS_FILE, NAMELESS_PROCESS };

/* A file, or a process's run-time code, whose frames have no names. */
struct nameless {
	enum nameless_what what; /* NAMELESS_CODE: nothing more is known */
	u64 weight;		 /* of name_facts.all */
	struct string name;	 /* the file's, or the process's */
	struct string path;	 /* the file's */
	enum files_state state;
	u32 pid, inner_pid;
	bool has_code; /* the process: a perf map would name it; else its mappings are not known */
	struct string runtime; /* the process: the file that makes its code, where that is known */
};

struct name_facts {
	u64 named, all;		    /* frames of stacks, weighted by samples */
	VEC(struct nameless) worst; /* the most frames first */
	u64 files_without_time;	    /* whose lines of source were not all found in time */
	bool unfollowed;	    /* mappings of processes that ended in the run are not known */
	int kernel_error;	    /* why kernel frames have no names, an errno; 0: they have */
};

/* ---- ends of walks */

struct broken_file {
	u32 file;	       /* row in profile.files; 0: code without a file */
	struct string name;    /* the file's */
	struct string process; /* without a file: of one that runs such code; empty: not known */
	u64 nr[WICK_NR_ENDS], sum;
};

/* Of the user stacks of all samples, by enum wick_end. */
struct end_facts {
	u64 nr[WICK_NR_ENDS];
	u64 all;		       /* but for WICK_NO_STACK */
	VEC(struct broken_file) files; /* in which walks broke off, the most first */
};

/* ---- cost */

struct program_fact {
	const char *name;
	u64 runs, ns;	    /* those that walked no stack, and what each cost */
	u64 walks, walk_ns; /* the others */
};

struct cost_facts {
	const struct run_cost *run; /* the profile's */
	u64 bpf_ns;		    /* of all programs */
	u64 host_ns;		    /* the window's time on all CPUs */
	VEC(struct program_fact) programs;
};

/* ---- all of it */

struct facts {
	struct report_options options;
	struct run_facts run;
	VEC(struct loss_fact) losses;
	u64 nr_largest_sums; /* that have reached UINT64_MAX: see profile_nr_largest() */
	struct cpu_facts cpu;
	struct wait_facts waits;
	struct process_facts processes; /* where sched or cpu is observed */
	struct fault_facts faults;
	struct memory_facts brk, mmap, reserved; /* reserved: mappings without access */
	u64 plain[WICK_NR_KINDS][MAX_COLUMNS];	 /* of an instrument without facts of its own */
	u64 processes_32_bit;			 /* whose brk and mmap are not seen */
	struct standing_facts standing;
	struct name_facts names;
	struct end_facts ends;
	struct cost_facts cost;
	struct strings texts; /* places and wakers */
};

/*
 * Sums of what the needs ask for; the rest is 0. The options are copied, but not what they point
 * to. Names of notes may be added to the profile.
 */
void facts_init(struct facts *f, struct profile *p, const struct report_options *options);
/* All other facts. `cpu`: the finished tree of the cpu view, or NULL. */
void facts_finish(struct facts *f, struct profile *p, const struct call_tree *cpu);
void facts_release(struct facts *f);

/*
 * Of a picture: host, kernel, start, seconds, filters; what the view's instruments saw and lost,
 * and what the options leave out of it. One line, to be freed. Needs facts_init() only, with at
 * least the view's needs.
 */
char *report_subtitle(const struct facts *f, const struct profile *p, const struct view *view,
		      const struct view_options *options, const struct call_tree *tree);

enum { SCREEN_LINES = 25, SCREEN_WIDTH = 100, SCREEN_NARROW = 80 };

/*
 * The first screen: what the run says of the host in SCREEN_LINES - `written` lines, where
 * `written` are for what follows it: each at most `width` columns, SCREEN_NARROW or more. Looks up
 * the package of the file that it shows without names, in dpkg's lists.
 */
void report_screen(FILE *to, const struct facts *f, unsigned int width, unsigned int written);
/* All of it, in lines as long as they are. Looks up packages too. */
void report_words(FILE *to, const struct facts *f);
/*
 * The summary for scripts: times are seconds. `files`: what was written. 0, or a negative errno: it
 * could not be written.
 */
int report_json(FILE *to, const struct facts *f, char *const *files, size_t nr_files);

/*
 * The members of that, for the manual: an object's path, "processes[].waits", and names of its
 * members, separated by blanks. "" is the summary itself; "[]": it is an array.
 */
struct json_members {
	const char *object, *names, *meaning;
};

enum { JSON_SCHEMA = 1 }; /* their version */
extern const struct json_members json_members[];
extern const size_t nr_json_members;

/*
 * Appends how the runtime of a process whose run-time code has no names would write a perf map.
 * `name`: of the runtime's program or library, or else of the process; `inner_pid`: in its own pid
 * namespace; `state`: what became of its map.
 */
void advise_process(struct strbuf *out, const char *name, u32 inner_pid, enum files_state state);
/* Whether a program or library of this name has a runtime that is known to do so. */
bool advice_knows_runtime(const char *name);

/* Room for a page: it is at most so wide and long. */
struct page_size {
	u32 columns, lines;
};

/* Where nothing says how large the page is. */
enum { PAGE_COLUMNS = SCREEN_WIDTH, PAGE_LINES = 48, PAGE_FEWEST_LINES = SCREEN_LINES };

/*
 * The page of `wick why`, of a profile that has a log of blocks: what its threads waited for. What
 * does not fit is counted.
 */
void report_why(FILE *to, struct profile *p, struct why *why, struct page_size size);
/*
 * What `wick why -t TID --at TIME` prints: what a thread was at in a moment, and if it waited, for
 * what.
 */
void report_moment(FILE *to, struct profile *p, struct why *why, const struct why_moment *m,
		   struct page_size size);
int report_moment_json(FILE *to, struct profile *p, struct why *why, const struct why_moment *m);
/* All of it, as JSON; 0, or a negative errno if it could not be written. */
int report_why_json(FILE *to, struct profile *p, struct why *why);
/* The page of `wick locks`, of the same profile, and all of that. */
void report_locks(FILE *to, struct profile *p, struct why *why, struct page_size size);
int report_locks_json(FILE *to, struct profile *p, struct why *why);

/*
 * Appends the lines for apt's list of sources that Debian's packages with symbols need, each in
 * single quotes: one for the release, one for what security updates have brought since. Nothing
 * where apt has that archive, or where this is no Debian.
 */
void advise_archive(struct strbuf *out);

#endif
