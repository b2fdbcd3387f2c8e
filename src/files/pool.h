/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pool.h: threads for work that has to be over in time.
 *
 * Jobs have helper processes do their work, and wait for those until a deadline. The pool does not
 * rely on that: a job has a limit, and when it is over, the pool gives the job up, thread and all:
 * the thread is left to itself, another one takes its place, and whenever it comes back it releases
 * its job and ends. The number of such threads is bounded; beyond it every job is given up at once.
 *
 *	pool_add() -> queued -> running -> done
 *	                           \-> given up (running, but its result is not wanted any more)
 *
 * Jobs with the same key run one at a time, in the order they were added, urgent ones first. Among
 * the others a job's turn is when it was added, and later by what it costs: short ones overtake
 * long ones, and a job that has waited long enough is not overtaken any more. Long ones leave half
 * of the threads to the rest.
 */
#ifndef FILES_POOL_H
#define FILES_POOL_H

#include "base/base.h"

struct pool;
struct job;

struct job_type {
	/* With the lock held: copy what run() needs. false: there is no use in running it, give it
	 * up. */
	bool (*prepare)(struct job *job);
	/* On a thread of the pool, without the lock. Touches nothing but the job. */
	void (*run)(struct job *job);
	/* Then, with the lock held: hand the result over. With given_up run() may be under way
	 * still, or was never called, and the job has no result. */
	void (*finish)(struct job *job, bool given_up);
	/* The last reference to the job is gone. */
	void (*release)(struct job *job);
	bool urgent;
	bool keeps; /* its caller waits for it and calls pool_forget() */
};

enum job_state { JOB_QUEUED, JOB_RUNNING, JOB_DONE, JOB_GIVEN_UP };

/* Embedded as the first member. */
struct job {
	const struct job_type *type;
	u32 key;
	u64 limit_ns;
	u64 cost_ns; /* about; 0: short */
	uid_t owner; /* of what it is about; users other than root get half of the threads at most */
	/* The pool's. */
	struct job *next;
	u64 turn_ns;
	enum job_state state;
	unsigned int refs;
};

/* `threads` at most work at the same time; they are started when there is work. */
struct pool *pool_new(unsigned int threads);
/* Gives up what is queued or running. Waits a moment for what is about to end. */
void pool_free(struct pool *pool);

void pool_lock(struct pool *pool);
void pool_unlock(struct pool *pool);

/* With the lock held. */
void pool_add(struct pool *pool, struct job *job);
/* Waits until a job that its caller keeps is done (true) or was given up. */
bool pool_wait(struct pool *pool, struct job *job);
/* Is it over, at `until_ns` at the latest? */
bool pool_is_over(struct pool *pool, struct job *job, u64 until_ns);
void pool_forget(struct pool *pool, struct job *job);
/* Gives up what is over its limit: to be called now and then while no caller waits. */
void pool_watch(struct pool *pool);

#endif
