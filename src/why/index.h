/* SPDX-License-Identifier: GPL-2.0-or-later */
/* index.h: each thread's entries of the log, in order of time. */
#ifndef WHY_INDEX_H
#define WHY_INDEX_H

#include "places.h"
#include "why.h"

struct why_thread {
	u32 tid, host;
	u64 start_ns;
	u32 first, nr;	/* in why.refs and why.entries */
	u64 begin, end; /* of its time in the window */
	u64 running;
	u32 parent;    /* leg; 0: not known */
	u64 ran_last;  /* what it had run in the window when its last entry ended */
	bool followed; /* there are entries of it, or an account */
	bool has_time; /* running is known */
};

/* Which entries of the log a sample has. */
struct sample_entries {
	u32 first, nr; /* in why.sampled */
};

/* Where a thread had most of its short waits. */
struct usual {
	u32 function; /* UINT32_MAX: not asked for yet; 0: not known */
	u32 class;
};

/* What has to be known of a block to go on from it, in one line of the cache. */
struct entry {
	u64 begin, woken, end;
	u64 gap_begin, gap_ran; /* of the gap before it */
	u32 ref;		/* of p->blocks */
	u32 by;			/* leg of the thread that ended it, where `what` is WHY_RAN */
	u16 what;		/* enum why_what: why it goes no further; WHY_RAN: it does */
	bool is_series;
} __attribute__((aligned(64)));

struct why {
	const struct profile *p;
	VEC(u32) thread_of; /* by leg */
	VEC(struct why_thread) threads;
	VEC(u32) refs;	       /* of p->blocks, by thread, then by time */
	struct entry *entries; /* the same */
	VEC(u64) ends;	       /* and what is searched by */
	VEC(bool) interrupted; /* by hop: it is an interrupt's doing */
	VEC(u32) other_ends;   /* by object: a leg */
	struct table by_tid;   /* legs */
	VEC(u8) object_kinds;  /* by block: enum wick_object, as it is known now */
	VEC(u32) holders;      /* by block, of locks: a leg; 0: not known */
	struct places places;
	VEC(u8) classes;		      /* by block: enum why_class */
	VEC(struct sample_entries) of_sample; /* by row of p->samples */
	VEC(u32) sampled;		      /* refs of p->blocks, by sample */
	VEC(u64) stands_for;		      /* by block: ns */
	VEC(u32) spots; /* by user stack: the frame at which the program waits, from the leaf */
	VEC(struct usual) usual; /* by thread */
};

/* Time between two entries of a thread, or before the first, or after the last. */
struct gap {
	u64 begin, end;
	u64 ran;
};

/* The thread's first entry that ends after a time: t->nr: there is none. */
u32 index_first_after(const struct why *why, const struct why_thread *t, u64 time);
/* Of a thread that could run: the one that had the CPU, unless it had to wait in any case. */
struct why_label no_cpu_label(const struct profile *p, const struct block *block);
/* Fills why->other_ends; the index is there. */
void ends_find(struct why *why);
/* Fills why->object_kinds and why->holders; threads are known. */
void futexes_find(struct why *why);
/*
 * The leg of the thread that a block is explained by: the one that ended it, or, where that is not
 * known yet, the one that has the lock; 0: none.
 */
u32 index_cause(const struct why *why, const struct block *block);
/* The gap before its i-th entry; t->nr: the last one. It is empty where entries overlap. */
struct gap index_gap(const struct why *why, const struct why_thread *t, u32 i);
/* WHY_RAN: it has a cause; else why there is none. */
enum why_what index_how_it_ended(const struct why *why, const struct block *block);
/* Finds the blocks of each sample. */
void samples_index(struct why *why);
/* Fills why->spots; the classes are known. */
void wrappers_find(struct why *why);
/* Fills the classes; the index is complete. */
void classes_find(struct why *why);

#endif
