/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * why.h: what a stretch of a thread's time was for.
 *
 * A block that a thread W ended is explained by what W did while it lasted: where W ran, the block
 * waited for that; where W was blocked itself, for what ended that, and so on. So each nanosecond
 * of a stretch is followed from thread to thread, at its own time, until one is found that ran,
 * that waited for a CPU, or whose block no thread ended. (Yang and others, wPerf, OSDI 2018; the
 * critical path of Trace Compass does it for one thread.) A thread that begins in the stretch goes
 * on with its parent before that.
 *
 * All of it is read from the log of blocks (struct block). What was too short for the log is in the
 * gaps between a thread's entries, of which its running time is known, and so the rest: short
 * waits. In a part of a gap both have the same share as in all of it.
 *
 * Times are CLOCK_MONOTONIC nanoseconds. The pieces of a stretch sum to its length, always.
 */
#ifndef WICK_WHY_H
#define WICK_WHY_H

#include "base/strbuf.h"
#include "profile.h"

enum why_what {
	WHY_RAN,
	WHY_SHORT_WAITS, /* too short for the log, each */
	WHY_NO_CPU,	 /* runnable, waited for a CPU */
	/* It was blocked, and no thread can be blamed: */
	WHY_INTERRUPT, /* a timer, a device, the network ended that */
	WHY_UNKNOWN,   /* what ended it was not seen */
	WHY_STILL,     /* it had not ended when the window did */
	/* Nothing tells what it did: */
	WHY_STRANGER, /* the thread was not followed: left out by the filters, or wick */
	WHY_BEFORE,   /* it had not begun, and its parent is not known */
	WHY_GONE,     /* it had ended */
	/* There would be more to tell: */
	WHY_CYCLE, /* the thread that ended it is one of those that wait for it */
	WHY_DEPTH, /* WHY_MOST_STEPS threads wait for each other in a row */
	WHY_LIMIT, /* the explanation has WHY_MOST_PIECES */
	WHY_NR,
};

enum {
	WHY_MOST_STEPS = 32,
	WHY_MOST_PIECES = 4096,
	WHY_NO_BLOCK = UINT32_MAX,
	WHY_NO_STEP = UINT32_MAX,
};

/* From a thread that was blocked, or had not begun, to the one that it waited for. */
struct why_step {
	u32 from;  /* the step that led to the first one; WHY_NO_STEP: it is the one asked for */
	u32 block; /* the first one's; WHY_NO_BLOCK: it was forked by the second one */
	u32 leg;   /* the second one, as it was when it did the wakeup */
};

/* A part of the stretch. */
struct why_piece {
	u32 step;  /* the last one that led here; WHY_NO_STEP: it is the thread's own time */
	u32 block; /* in which it happened; WHY_NO_BLOCK: in none */
	enum why_what what;
	u64 begin, end; /* of what this is a part of: pieces of a gap share it */
	u64 ns;
};

struct why_pieces {
	VEC(struct why_step) steps; /* after those that led to them */
	VEC(struct why_piece) pieces;
};

void why_pieces_release(struct why_pieces *pieces);

/*
 * An index of a profile's log, and the classes of its waits. One is enough for a run, when its
 * frames have names; the log must not change while there is one.
 */
struct why;
struct why *why_new(const struct profile *p);
void why_free(struct why *why);

/* A number for the thread of a leg, below why_nr_threads(), whatever its name was. */
u32 why_thread(const struct why *why, u32 leg);
u32 why_nr_threads(const struct why *why);
/* The blocks of a thread in order of time, refs of p->blocks, and how many those are. */
const u32 *why_blocks(const struct why *why, u32 thread, size_t *nr);

/* Replaces `pieces` by those of a thread's time from `from` to `to`, of leg's thread. */
void why_explain(const struct why *why, u32 leg, u64 from, u64 to, struct why_pieces *pieces);
/* The same of a block, until its end: without the wait for a CPU. */
void why_explain_block(const struct why *why, u32 block, struct why_pieces *pieces);
/* The hop that ended a block, or NULL where that was not seen. */
const struct hop *why_hop(const struct profile *p, const struct block *block);
/*
 * The leg of the thread at the other end of what a block waited for: of the connection, by its two
 * addresses, or of the pipe, by what ended waits for it. 0: not known.
 */
u32 why_other_end(const struct why *why, const struct block *block);
/* What it waited for, or how that was used: a futex that is no lock is none. */
enum wick_object why_object_kind(const struct why *why, const struct block *block);
/* The leg of the thread that had the lock, as the lock's word says; 0: not known. */
u32 why_holder(const struct why *why, const struct block *block);
/* Was it an interrupt, and not the thread that this came upon? */
bool why_by_interrupt(const struct why *why, const struct block *block);

/* ---- classes */

/* What a wait was. docs/why.md says how it is told. */
enum why_class {
	WHY_LOCK,
	WHY_DISK,
	WHY_PAGING,
	WHY_CPU,       /* it could run, and had no CPU */
	WHY_THROTTLED, /* its cgroup had used its quota of CPU time */
	WHY_NETWORK,   /* a peer that is not on this host */
	WHY_PEER,      /* a thread of this host that was asked, or that passes work on */
	WHY_CHILD,
	WHY_SLEEP, /* its own timer, in the middle of work */
	WHY_IDLE,  /* it had nothing to do */
	WHY_UNCLEAR,
	NR_WHY_CLASSES,
	WHY_UNTOLD = NR_WHY_CLASSES, /* of time that the log has nothing of */
};

extern const char *const why_class_names[NR_WHY_CLASSES];

/* What kept a request from the disk, where that is what was waited for. */
enum why_held {
	WHY_NOT_HELD, /* it was the disk itself, or that is not known */
	WHY_HELD_BY_QUEUE,
	WHY_HELD_BY_CGROUP,
	WHY_HELD_BY_WRITES,
	WHY_HELD_BY_MEMORY,
	WHY_HELD_BY_LIMIT,
	NR_WHY_HELD,
};

extern const char *const why_held_words[NR_WHY_HELD];

/* Of a block, without the wait for a CPU. */
enum why_class why_class(const struct why *why, u32 block);
/* Of that wait: WHY_CPU or WHY_THROTTLED. */
static inline enum why_class why_wait_class(const struct block *block)
{
	return block->state & WICK_STATE_THROTTLED ? WHY_THROTTLED : WHY_CPU;
}

/*
 * The blocks whose time a sample of the sched instrument has, refs of p->blocks in the order in
 * which they came, and how many those are.
 */
const u32 *why_sample_blocks(const struct why *why, u32 sample, size_t *nr);
/*
 * What a block stands for, ns: of all time that the samples have of blocks like it, its share. The
 * kernel looks at a block with a probability that is proportional to its length (bpf/sampling.h),
 * so that sums by these are right on average, where sums of lengths lack the shorter ones. 0: it is
 * in the log for the wait that followed.
 */
u64 why_stands_for(const struct why *why, u32 block);
/* The same of that wait. */
static inline u64 why_wait_stands_for(const struct block *block)
{
	return block->counted_wait;
}
/* As why_explain_block(), of what the block stands for: the pieces sum to that. */
void why_explain_all_like(const struct why *why, u32 block, struct why_pieces *pieces);
/*
 * A sample's nanoseconds by class, by what its blocks in the log stand for; where there are none of
 * those, it is of WHY_UNTOLD.
 */
void why_sample_classes(const struct why *why, u32 sample, u64 ns[WHY_UNTOLD + 1]);

/* ---- one moment */

enum why_doing {
	WHY_WAITED,	  /* blocked */
	WHY_WAITED_OFTEN, /* in a series, of whose waits the single times are not kept */
	WHY_HAD_NO_CPU,	  /* woken, or preempted */
	WHY_WAS_BUSY,	  /* it ran, or waited too shortly for the log */
	WHY_WAS_NOT_THERE,
	NR_WHY_DOINGS,
};

/* What a thread was at. */
struct why_moment {
	u64 at;
	u32 leg; /* the thread, as it was called then, or last */
	enum why_doing doing;
	u32 block;	/* the entry that the moment is in; WHY_NO_BLOCK: none */
	u64 begin, end; /* of the wait; of the time between two entries; of the thread's own */
	u64 ran;	/* between two entries: ns of that */
};

/* -ENOENT: the log knows no thread with that id. */
int why_moment(const struct why *why, u32 tid, u64 at, struct why_moment *moment);
/*
 * The steps that led to the piece which a moment is in, the first one first; how many those are,
 * and that piece, or NULL: it is in none.
 */
size_t why_steps_at(const struct why_pieces *pieces, u64 at, u32 steps[WHY_MOST_STEPS],
		    const struct why_piece **last);

/* ---- all of a run */

/* What a thread did, or waited for: words of 32 bits, compared as bytes. */
struct why_label {
	u32 comm;     /* string */
	u32 function; /* where: the innermost one of the program, not of libc; 0: not known */
	u32 kernel;   /* a stack, where there is no user stack; else 0 */
	u32 other;    /* string: who had the CPU; 0: not known */
	u32 what;     /* enum why_what; WHY_NR: it was blocked, and that is explained below it */
	u32 class;    /* enum why_class: of the block, where there is one */
	u32 held;     /* enum why_held: of a disk */
	u32 usual; /* of short waits: where the thread had most of those that were looked at ... */
	u32 usual_class; /* ... and what those were; `usual` 0: not known */
};

/* Of a thread, a leg, in a block: `what` is WHY_NR, or why it goes no further. */
struct why_label why_label_of_block(struct why *why, u32 leg, u32 block, enum why_what what);
/* Of a piece; `waiter`: the leg of the thread that was asked for. */
struct why_label why_label_of_piece(struct why *why, const struct why_pieces *pieces,
				    const struct why_piece *piece, u32 waiter);

/* A thing that threads waited for, and how long. */
struct why_object {
	u32 object; /* of profile.objects */
	enum wick_object kind;
	u32 other;	  /* leg: the thread at its other end; 0: not known */
	u32 holder;	  /* leg: the first thread that was found to have the lock; 0: none was */
	bool has_several; /* holders */
	u64 ns;
};

enum { WHY_MOST_OBJECTS = 16 }; /* of one delay, or node: the first that were met */

typedef VEC(struct why_object) why_objects;

struct why_node {
	struct why_label label;
	u32 parent; /* WHY_NO_STEP: none */
	u64 ns;	    /* of all below it, too */
	why_objects objects;
};

/*
 * Waits of one class, of threads of one name at one place. Sums are of what they stand for, the
 * lengths their own.
 */
struct why_delay {
	struct why_label waiter;
	u64 ns, longest;
	u64 estimated;		    /* of ns: more than the waits' own lengths */
	u32 worst;		    /* the longest block */
	why_objects objects;	    /* the largest first */
	VEC(u64) lengths;	    /* of each, the shortest first */
	VEC(struct why_node) nodes; /* after their parents */
};

/* Where threads of one name are idle. */
struct why_idle {
	struct why_label at;
	u64 ns, nr;
	why_objects objects; /* the largest first */
};

struct why_summary {
	u64 ns;	       /* of all blocks, and of waits for a CPU, what they stand for */
	u64 estimated; /* of that: more than their own lengths */
	u64 class_ns[NR_WHY_CLASSES];
	VEC(struct why_delay) delays; /* the largest first; those of the class child last */
	VEC(struct why_idle) idle_places;
};

void why_summarize(struct why *why, struct why_summary *summary);
void why_summary_release(struct why_summary *summary);

/* The frame of a user stack, from the leaf, at which its thread is said to wait. */
u32 why_spot(const struct why *why, u32 user);

/* A delay that is one block, or the wait for a CPU after it; to be released. */
void why_delay_of_block(struct why *why, u32 block, struct why_delay *delay);
void why_delay_of_cpu_wait(struct why *why, u32 block, struct why_delay *delay);
void why_delay_release(struct why_delay *delay);

/* ---- locks */

enum why_lock_kind {
	WHY_LOCK_FUTEX,	  /* a futex whose word says that it is a lock */
	WHY_LOCK_WORD,	  /* another one, which threads wait for in the middle of work */
	WHY_LOCK_MONITOR, /* of Java */
	/* The kernel's: */
	WHY_LOCK_MUTEX,
	WHY_LOCK_RWSEM, /* of readers and writers */
	WHY_LOCK_SEMAPHORE,
	WHY_LOCK_FILE, /* flock() and its like */
	WHY_NR_LOCK_KINDS,
};

/* Threads of one name that wait for a lock at one place; or what its holders did. */
struct why_lock_part {
	struct why_label label; /* a holder's: `comm` 0: it is not known who had it */
	u64 ns, nr;
};

struct why_lock_parts {
	VEC_FIELDS(struct why_lock_part);
};

/* A lock that threads have waited for. */
struct why_lock {
	enum why_lock_kind kind;
	u32 pid;    /* of a futex: the process in whose memory it is; 0: processes share it */
	u32 object; /* of a futex and of a file lock: the row of profile.objects; 0: not known */
	u32 taker;  /* of the kernel's, and of Java: the function that takes it; 0: not known */
	u32 leg;    /* of one that waited */
	u64 ns, nr, longest;
	u32 worst;   /* the longest wait, a block */
	u32 at_once; /* the most that waited at the same time */
	/* The largest first. */
	struct why_lock_parts waiters, holders; /* ns of each sum to the lock's */
};

struct why_locks {
	VEC(struct why_lock) all;
	VEC(u32) of_block; /* the lock + 1; 0: it waits for none */
	u64 ns, nr;
};

/* The waits of the class lock, by lock; without parts. To be released. */
void why_locks_find(struct why_locks *locks, const struct why *why);
/* The parts; puts the locks with the longest waiting first, and forgets of_block. */
void why_locks_sum(struct why_locks *locks, struct why *why);
void why_locks_release(struct why_locks *locks);

/* The thread that had the lock in a piece of a wait for it. */
struct why_holder {
	u32 step;	    /* that led to it; WHY_NO_STEP: not known */
	u32 block;	    /* in which it was; WHY_NO_BLOCK: in none */
	enum why_what what; /* the piece's; WHY_NR: it was blocked, for something else */
};

/* `block`: the wait, which the pieces explain. Before why_locks_sum(). */
struct why_holder why_lock_holder(const struct why_locks *locks, u32 block,
				  const struct why_pieces *pieces, const struct why_piece *piece);

/* "lock", "mutex" */
const char *why_lock_kind(const struct why_lock *lock);
/*
 * Appends "lock 0x7f3e08 of java-12", "lock 0x40 in shared memory /dev/shm/x", "mutex in
 * pipe_write": any bytes.
 */
void why_lock_name(const struct profile *p, const struct why_lock *lock, struct strbuf *to);

#endif
