/* SPDX-License-Identifier: GPL-2.0-or-later */
/* index.h: each thread's entries of the log, in order of time. */
#ifndef WHY_INDEX_H
#define WHY_INDEX_H

#include "places.h"
#include "why.h"

struct why_thread {
	u32 tid;
	u64 start_ns;
	u32 first, nr;	/* in why.entries */
	u64 begin, end; /* of its time in the window */
	u64 running;
	u32 parent;    /* leg; 0: not known */
	bool followed; /* there are entries of it, or an account */
	bool has_time; /* running is known */
};

struct entry_times {
	u64 begin, end;
	u64 ran; /* what the thread had run in the window before */
};

struct why {
	const struct profile *p;
	VEC(u32) thread_of; /* by leg */
	VEC(struct why_thread) threads;
	VEC(u32) entries;	       /* refs of p->blocks, by thread, then by time */
	VEC(struct entry_times) times; /* of the entries: one after the other, for caches */
	VEC(bool) interrupted;	       /* by hop: it is an interrupt's doing */
	struct places places;
	VEC(u8) classes; /* by block: enum why_class; empty before why_classify() */
};

/* Time between two entries of a thread, or before the first, or after the last. */
struct gap {
	u64 begin, end;
	u64 ran;
};

/* The thread's first entry that ends after a time: t->nr: there is none. */
u32 index_first_after(const struct why *why, const struct why_thread *t, u64 time);
/* The gap before its i-th entry; t->nr: the last one. It is empty where entries overlap. */
struct gap index_gap(const struct why *why, const struct why_thread *t, u32 i);

#endif
