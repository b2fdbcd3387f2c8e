/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kinds.h: what samples are made of: kinds, states, causes and ends, as BPF programs count them, as
 * a profile has them and as a recording keeps them. A number never changes its meaning; new ones
 * are appended.
 *
 * Read by clang for BPF and by the host's compiler.
 */
#ifndef WICK_KINDS_H
#define WICK_KINDS_H

/*
 * The kinds of samples, WICK_CPU and so on: each has a row in src/profile/instruments.c, a bit in
 * enum needs (include/instrument.h), NEED_CPU, and one view or more.
 */
#define WICK_KINDS(X)                                                                              \
	X(CPU)                                                                                     \
	X(SCHED)                                                                                   \
	X(FAULT)                                                                                   \
	X(BRK)                                                                                     \
	X(MMAP)

#define NUMBER_OF_KIND(name) WICK_##name,
enum wick_kind { WICK_KINDS(NUMBER_OF_KIND) WICK_NR_KINDS };
#undef NUMBER_OF_KIND

/*
 * What a thread was doing while it was off-CPU: a sched sample's state. A letter, as --state has
 * it, and flags. S asleep, D asleep and deaf to signals, I a kernel thread's idling, T stopped; R
 * preempted; Q woken, and waiting for a CPU.
 */
enum wick_state {
	WICK_STATE_LETTER = 0xff,
	WICK_STATE_IO = 1 << 8,		/* the kernel accounts the sleep as I/O (in_iowait) */
	WICK_STATE_STILL = 1 << 9,	/* it had not ended when the window did */
	WICK_STATE_NEVER_RAN = 1 << 10, /* the thread did not run in the window at all */
	WICK_STATE_SHORT = 1 << 11, /* left in the account of short ones at the end: no stacks */
	WICK_STATE_NOT_WALKED = 1 << 12, /* no stacks: there was no time to take them */
	WICK_STATE_ON_CPU = 1 << 13,	 /* it runs: only where threads are looked at as they are */
	WICK_STATE_THROTTLED = 1 << 14,	 /* R: its cgroup had used its quota of CPU time */
	WICK_STATE_IO_LIMIT = 1 << 15,	 /* its cgroup's requests were held back by a limit */
};

/* What became of memory, or came of a call: the state of a sample of fault, brk and mmap. Flags. */
enum wick_memory_state {
	WICK_MEMORY_MAJOR = 1 << 0,	/* fault: what it needed had to be read from somewhere */
	WICK_MEMORY_IN_KERNEL = 1 << 1, /* fault: taken in the kernel, on a user address */
	WICK_MEMORY_BY_CALL = 1 << 2,	/* fault: none; a system call made the memory resident */
	WICK_MEMORY_FILE = 1 << 3,	/* mmap: of a file */
	WICK_MEMORY_RESERVED = 1 << 4,	/* mmap: without access (PROT_NONE) */
};

enum wick_thread_kind {
	WICK_USER_THREAD,
	WICK_KERNEL_THREAD,
	WICK_IO_WORKER, /* io_uring's: a thread of a user process that never leaves the kernel */
	WICK_IDLE,	/* the idle task of a CPU; pid 0 */
	WICK_NR_THREAD_KINDS,
};

/* How the walk of a stack ended. */
enum wick_end {
	WICK_COMPLETE,	     /* reached the outermost frame */
	WICK_TRUNCATED,	     /* at the depth limit */
	WICK_NO_UNWIND_INFO, /* nothing tells how to go on */
	WICK_BAD_FRAME,	     /* what was found cannot be a frame */
	WICK_UNREADABLE,     /* the stack's memory could not be read */
	WICK_LOST,	     /* the body never arrived */
	WICK_NO_STACK,	     /* not broken: kernel thread, exec under way, memory already gone */
	WICK_NR_ENDS,
};

/* What made a sleeper runnable. */
enum wick_cause {
	WICK_BY_TASK,
	WICK_BY_INTERRUPT, /* its kernel stack says which; the task was a bystander */
	WICK_BY_SOFTIRQ,   /* the task's doing, if its kernel stack has no interrupt's entry */
	WICK_BY_FORK,	   /* the parent, of a thread that begins */
	WICK_NR_CAUSES,
};

/*
 * What a block waited for, as far as the system call tells. A futex and a socket are things, as the
 * others are; the three that follow them say how one is used.
 */
enum wick_object {
	WICK_OBJECT_UNKNOWN,
	WICK_OBJECT_FUTEX, /* a lock, a condition, a queue */
	WICK_OBJECT_LOCK,  /* a futex whose word says that it is one */
	WICK_OBJECT_SOCKET,
	WICK_OBJECT_ACCEPTED,  /* a socket whose other side has connected ... */
	WICK_OBJECT_CONNECTED, /* ... or whose own */
	WICK_OBJECT_FILE,      /* or a directory, or a device */
	WICK_OBJECT_PIPE,
	WICK_OBJECT_TERMINAL,
	WICK_OBJECT_EVENT, /* what has only the kernel's name: eventfd, timerfd, inotify ... */
	WICK_OBJECT_CHILD,
	WICK_OBJECT_TIMER, /* nanosleep() */
	WICK_NR_OBJECTS,
};

/* A holder that the futex's word does not name, but what lies where glibc's mutexes have theirs. */
#define WICK_HOLDER_BESIDE 0x80000000u

/* Why a chain's last hop is the last. */
enum wick_chain_end {
	WICK_CHAIN_RUNNING,   /* the waker had been running since before the sleep that it ended */
	WICK_CHAIN_INTERRUPT, /* the last hop is one */
	WICK_CHAIN_FORK,      /* the last hop is one */
	WICK_CHAIN_BEFORE,    /* the waker's own wakeup lies before the window */
	WICK_CHAIN_DEPTH,     /* there are more hops than are kept */
	WICK_CHAIN_CYCLE,     /* the next hop is in the chain already */
	WICK_CHAIN_STRANGER,  /* the waker is left out by the filters, and was not followed yet */
	WICK_NR_CHAIN_ENDS,
};

#endif
