/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads.h: the threads of weighted stacks, for formats that have a track for each. A thread may
 * have several legs: it was called otherwise, or was in another cgroup.
 */
#ifndef EMIT_THREADS_H
#define EMIT_THREADS_H

#include "profile.h"

struct threads {
	const struct profile *profile; /* not owned; NULL: there is one thread, without a leg */
	VEC(u32) legs;		       /* by thread: its last one, which has its last name */
	VEC(u32) of_leg;	       /* index + 1; 0: not known yet */
	struct table table;
};

void threads_release(struct threads *t);
/* Row 0 of the profile's legs, or what stands for it, is the unknown thread. */
const struct leg *threads_leg(const struct threads *t, u32 leg);
/* The index of a leg's thread, which is added if it is new. */
u32 threads_of(struct threads *t, u32 leg);

/* Things in the order of their threads, and in the order in which they came there. */
struct by_thread {
	u32 *things;   /* indexes */
	size_t *first; /* by thread, where its things begin; one more for the end */
};

enum { NO_THREAD = UINT32_MAX /* of a thing that is left out */ };

/* `thread`: of each of the nr things. */
struct by_thread by_thread(const u32 *thread, size_t nr, size_t nr_threads);
void by_thread_release(struct by_thread *b);

static inline size_t by_thread_nr(const struct by_thread *b, size_t thread)
{
	return b->first[thread + 1] - b->first[thread];
}

#endif
