/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * helpers.h: wick's side of its helper processes.
 *
 *	wick ---- request, file (O_PATH) ----> opener ---- file, opened ----> parser
 *	     <--- found, or why not ----------
 *	     <--------------------------- sealed answer ---------------------
 *
 * A call waits until its deadline. A helper that has not answered by then, has ended, or has
 * answered another question is killed, not waited for, and the next call gets a new one. Helpers
 * that SIGKILL does not end, because a file system does not answer them, are counted; when there
 * are too many, every call fails at once.
 *
 * A parser serves one owner's files. Calls come from several threads; at most HELPERS_AT_ONCE at a
 * time.
 */
#ifndef FILES_HELPERS_H
#define FILES_HELPERS_H

#include "answer.h"
#include "message.h"

enum { HELPERS_AT_ONCE = 8 };

struct helpers;

/* Starts the process that makes them; to be called as early as can be. Never NULL. */
struct helpers *helpers_new(void);
/* Another reference, to be put as the first one is. With the last one all of them end. */
struct helpers *helpers_get(struct helpers *helpers);
void helpers_put(struct helpers *helpers);
/* Ends them all now: calls that are under way fail. */
void helpers_end(struct helpers *helpers);

/* Descriptors go in, and others come out, at most MESSAGE_MAX_FDS. */
struct helper_fds {
	const int *fds;
	size_t nr;
};

/*
 * Asks an opener; what `with` has in the end is the caller's. FILES_OK: it has answered, and the
 * reply's state says what. FILES_TIMED_OUT: a file system keeps it; FILES_TOO_LONG, FILES_CRASHED.
 */
enum files_state helpers_open(struct helpers *helpers, struct opener_request *request,
			      struct helper_fds fds, struct opener_reply *reply,
			      struct received *with, u64 deadline_ns);

/* What is to be parsed. */
struct parse_job {
	struct parser_request request;
	uid_t owner;
	int file;		 /* to look through (O_PATH); -1: the vdso */
	struct helper_fds debug; /* debug files, the same way */
	const u64 *addresses;	 /* NULL for a table */
};

/*
 * Has it parsed. FILES_OK: the reply has its state, and *answer, where the parser wrote one, is the
 * caller's to unmap; its content has not been looked at. Else why the file could not be opened, or
 * FILES_TIMED_OUT, FILES_TOO_LONG, FILES_CRASHED.
 */
enum files_state helpers_parse(struct helpers *helpers, const struct parse_job *job,
			       struct parser_reply *reply, struct answer *answer, u64 deadline_ns);

/*
 * Has a process that becomes this user ask a Java VM, by its socket, for its perf map. FILES_OK:
 * it says that it has written one; else why not. One that does not answer is no fault of his
 * files.
 */
enum files_state helpers_attach(struct helpers *helpers, const struct attach_request *request,
				int socket, u64 deadline_ns);

/*
 * Has a process that may do nothing else ask debuginfod servers for a debug file; `environment` are
 * its lines NAME=VALUE. A descriptor, and its *size, or a negative errno: -ENOSYS where the client
 * library is not installed, -ENOENT where no server has it, -ETIMEDOUT.
 */
int helpers_download(struct helpers *helpers, const struct download_request *request,
		     const char *environment, u64 *size, u64 deadline_ns);

/* An answer that was not what it has to be: the parsers of this owner are not to be trusted. */
void helpers_distrust(struct helpers *helpers, uid_t owner);

/* The process that makes them; 0: there is none. */
u32 helpers_forker(const struct helpers *helpers);

struct helpers_count {
	u64 nr_made, nr_ended; /* ended by us: they were late, or broken */
	u32 nr_stuck;	       /* killed, and still there */
	u64 cpu_ns;	       /* of all of them */
};
struct helpers_count helpers_count(struct helpers *helpers);

#endif
