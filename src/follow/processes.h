/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * processes.h: what is mapped where, in every process, at the time that records have reached.
 * Records and captured stacks are put in order of time by follow.h and applied here one by one, so
 * that a stack's addresses are turned into {file, offset} with the mappings of its own moment:
 * later ones, an exec, a dlclose, the end of the process, change nothing for it.
 *
 * Processes older than the run are read from /proc/PID/maps, when the run begins or when they first
 * matter. An exited process is kept for a while, for stacks that are still under way.
 */
#ifndef FOLLOW_PROCESSES_H
#define FOLLOW_PROCESSES_H

#include "files.h"
#include "mappings.h"
#include "profile.h"
#include "follow.h"

struct processes;
struct python_codes;
struct blocked_stack;
struct unwind_walked;

struct processes *processes_new(struct profile *profile, struct files *files,
				struct java_sink java);
void processes_free(struct processes *p);

/*
 * A record as it is kept until its turn: the file has been announced, the path is not needed any
 * more.
 */
struct process_event {
	enum sideband_type type;
	u64 time;
	u32 pid, tid, parent;
	struct mapping mapping; /* MMAP */
};

/* Announces the record's file at once: its process may be gone in a moment. */
void processes_event(struct processes *p, const struct sideband_record *r,
		     struct process_event *event);
void processes_apply(struct processes *p, const struct process_event *event);
/* Something is being found out about processes that BPF is to be told. */
bool processes_hurry(const struct processes *p);
/* Tells of what has been found out since; waits for that until a time of monotonic_ns(). */
void processes_wait(struct processes *p, u64 until_ns);
/* Does not wait. */
void processes_retry(struct processes *p);

/* Reads the mappings of these first, one after the other, until the time is up. */
void processes_read_first(struct processes *p, const u32 *pids, size_t nr, u64 until_ns);
/*
 * Reads the mappings of processes that are older than the run, until all are read or the time is
 * up. Returns true while there are more.
 */
bool processes_read_older(struct processes *p, u64 until_ns);
u64 processes_nr_read(const struct processes *p);
/*
 * Of how many the mappings could not be read: their helper process did not come to an end, or has
 * not yet, though the process was seen in the run.
 */
u64 processes_nr_unread(struct processes *p);

/*
 * Announces the file of a mapping once more, since it has another content than the one that was
 * opened: its row in profile.files from now on; 0: there is no such.
 */
u32 processes_announce_again(struct processes *p, u32 pid, const struct mapping *mapping);

/* Are the mappings of this process known already? */
bool processes_knows(struct processes *p, u32 pid);

/* A Python function that stacks name; all of them. */
void processes_python_code(struct processes *p, const struct wick_code_body *body);
struct python_codes *processes_python_codes(struct processes *p);
/* The token of a process's run-time code, by which its memory is read. */
file_ref processes_code(struct processes *p, u32 pid, u32 image);

/* The row of a user stack that BPF has walked, and that lies in files only. */
u32 processes_stack(struct processes *p, const struct wick_stack_body *body);
/*
 * Fills the reserved row of one that does not. `image` is the row that addresses without a file
 * belong to. `exec_pending` says whether the process execs between the stack's time and now: then
 * /proc would tell about another program.
 */
void processes_fill_stack(struct processes *p, const struct wick_stack_body *body, u32 image,
			  bool exec_pending, u32 row);
/* A stack that was walked from a copy, with the mappings it was walked with. */
struct walked_stack {
	const struct mappings *mappings;
	u32 pid, image;
	bool in_exec;
	const struct unwind_walked *walked;
	const struct blocked_stack *python; /* NULL: its evaluator's frames stay */
};

/* Fills the reserved row; empty where an exec was under way and the old stack is gone. */
void processes_walked_stack(struct processes *p, const struct walked_stack *stack, u32 row);
/*
 * The rule of a frame in code that no file has, in a copied stack: as unwind_find_rule has it.
 */
struct unwind_stack;
struct wick_unwind_regs;
bool processes_java_rule(struct processes *p, u32 pid, struct mappings *mappings,
			 const struct unwind_stack *stack, const struct wick_unwind_regs *regs,
			 u32 *rule);
/* The mappings of a process as they are now: a reference of the caller's. NULL: not known. */
struct mappings *processes_mappings(struct processes *p, u32 pid, bool exec_pending);

/* Forgets processes that exited before `time`. */
void processes_forget(struct processes *p, u64 time);

#endif
