/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * request_steps.h: what the kinds of requests share. A pool's thread calls request_prepare() and
 * the job's finish() with the lock held; they copy from the source and write to it. run() in
 * between touches only the request, and waits for nothing but a helper, until the deadline.
 */
#ifndef FILES_REQUEST_STEPS_H
#define FILES_REQUEST_STEPS_H

#include "request.h"

struct files_request *request_of(struct job *job);

/*
 * CLOCK_MONOTONIC: when a job that begins now has to be done, but for what it waits for downloads.
 * Before the pool gives it up.
 */
u64 request_deadline(const struct job *job);

/* Copies what the source knows; false where its owner's files are given up. */
bool request_prepare(struct job *job);
void request_release(struct job *job);

/*
 * Asks an opener; `fds` stay the caller's. Fills `failed` and `found`; found_fd and found_root are
 * replaced by what came with the answer.
 */
void request_ask_opener(struct files_request *request, enum opener_task task, const int *fds,
			size_t nr_fds);

/* Opens the mapped file by way of its process, or of another one in its mount namespace. */
void request_open_file(struct files_request *request);

/* A file that was closed because too many were open: the same one again, or none. */
void request_reopen(struct files_request *request);
/* Descriptors of what may be the debug file that is meant, downloaded if need be; how many. */
size_t request_find_debug_files(struct files_request *request, const struct debug_link *link,
				struct received *found);

/* Looks for the perf map; the process's root is needed only as long as there is none. */
void request_find_map(struct files_request *request);
/* Hands what was found over to the source. With the lock held. */
void request_keep_map(struct files_request *request, struct source *source);

/* True where a helper did not do what it was asked: the source is given up. With the lock held. */
bool request_has_failed(struct files_request *request, struct source *source, bool given_up);

/*
 * Has an opener open the process's memory, and a parser parse it. What fails then fails for its
 * user, and the source is asked for other things all the same.
 */
void request_run_by_memory(struct files_request *request, enum opener_task open,
			   void (*parse)(struct files_request *request, int memory));
void request_finish_by_memory(struct job *job, bool given_up);

/* A copy that is the caller's; -1 for a negative one, or where there are too many. */
int request_copy_fd(int fd);

static inline void request_close_fds(const int *fds, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		close(fds[i]);
}

#endif
