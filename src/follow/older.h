/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * older.h: processes that are older than the run. Their mappings are read from /proc/PID/maps by
 * the helpers of files.h: in advance (processes_read_older()), or when they first matter. Here is
 * also what older.c and processes.c share.
 */
#ifndef FOLLOW_OLDER_H
#define FOLLOW_OLDER_H

#include <dirent.h>

#include "processes.h"

struct process {
	u32 pid;
	u32 image;     /* the row its frames without a file were last of */
	file_ref code; /* its run-time code's names, if it made any in the run; 0: none */
	struct mappings *mappings; /* NULL: not known */
	bool gone;		   /* was not in /proc when it was looked for */
	u64 exited;		   /* when; 0: alive */
};

/* A process whose mappings were asked for, and are not there yet. */
struct asked {
	u32 pid;
	struct files_request *request;
	bool again; /* it has mapped something since, which the answer may not have */
};

struct processes {
	VEC_FIELDS(struct process);
	struct table by_pid;
	struct profile *profile;
	struct files *files;
	VEC(u32) rows; /* file token -> row in profile.files */
	DIR *older;    /* the walk over /proc; NULL when done */
	VEC(struct asked) asked;
	u64 nr_read, nr_unread;
	unsigned int nr_misses;
	VEC(u32) frames; /* of the stack at hand */
	struct python_codes *codes;
	struct javas *javas;
};

/* NULL: it is not known. Valid until the next process_get(). */
struct process *process_find(struct processes *p, u32 pid);
/* Adds it where it is not known. */
struct process *process_get(struct processes *p, u32 pid);
/* A mapping of its process, `offset` bytes into its file, which is announced. */
struct mapping process_mapping(struct processes *p, const struct files_mapping *m, u64 offset);

/*
 * The token of a process's run-time code. It is announced at once: its first stack may be known
 * only when it has ended, and then its directories are gone.
 */
file_ref process_code(struct processes *p, struct process *process);

/*
 * Reads the mappings of a process that matters now: a moment is waited for them. Moves processes:
 * look for them again.
 */
void process_read(struct processes *p, struct process *process);
/* Until its answer is there or can no more be expected; NULL: it was not asked for. */
struct asked *process_asked(struct processes *p, u32 pid);

#endif
