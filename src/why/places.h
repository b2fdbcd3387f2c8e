/* SPDX-License-Identifier: GPL-2.0-or-later */
/* places.h: what the stacks of a block say: the kind of the wait, and the program's own place. */
#ifndef WHY_PLACES_H
#define WHY_PLACES_H

#include "profile.h"
#include "runtimes.h"
#include "why.h"

/* How a thread waits, by the kernel's functions. */
enum wait_kind {
	KIND_UNKNOWN,
	KIND_THROTTLED,
	KIND_PAGING,
	KIND_DISK,
	KIND_LOCK, /* the kernel's own */
	KIND_CHILD,
	KIND_FUTEX,
	KIND_SOCKET,
	KIND_POLL, /* for one of many files */
	KIND_FILE, /* a pipe, a terminal, an eventfd: what another thread writes */
	KIND_SIGNAL,
	KIND_SLEEP,
	KIND_KERNEL_IDLE, /* a kernel thread in its own loop */
	NR_KINDS,
};

/* Of a user stack. */
struct place {
	u32 function; /* the innermost one of the program that has a name (plumbing.h); 0: none */
	u32 frame;    /* of the stack: that one's, from the leaf */
	u32 depth;    /* frames from the root to it, or, where the stack is not whole, to its end */
	bool is_whole;
	bool in_runtime; /* all of it is that of a language's runtime: the program has no part ... */
	bool in_scheduler; /* ... and the runtime has the thread do any of its work: Go's */
	bool in_goroutine; /* the program's place is in work that Go's runtime has given the thread */
	bool in_condition; /* glibc's ... */
	bool in_mutex;	   /* ... and its locks */
	enum library_lock lock;
};

struct places {
	VEC(u8) kinds; /* by stack: enum wait_kind of a kernel stack, + 1; 0: not known yet */
	VEC(u8) held;  /* the same: enum why_held, + 1 */
	VEC(struct place) places; /* by stack; depth UINT32_MAX: not known yet */
};

void places_release(struct places *places);
enum why_held places_held(struct places *places, const struct profile *p, u32 kernel);
enum wait_kind places_kind(struct places *places, const struct profile *p, u32 kernel);
struct place places_place(struct places *places, const struct profile *p, u32 user);

#endif
