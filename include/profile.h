/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * profile.h: one run in memory: tables of samples, legs, stacks, frames, functions, files, images
 * and names. The collector fills it, the symbolizer names its frames, views read it.
 *
 * Everything is interned: a row is written once and named by its index (`ref`). Nothing here knows
 * how it was collected or how it will be drawn, and nothing is kept per event, so that memory
 * follows the number of distinct (leg, stack) pairs.
 */
#ifndef WICK_PROFILE_H
#define WICK_PROFILE_H

#include "base/strings.h"
#include "base/vec.h"
#include "file_state.h"
#include "instrument.h"
#include "run.h"
#include "tree.h"

/* A function that frames resolve to; what a box shows. Function 0 is `[unknown]`. */
struct function {
	struct tree_frame shown; /* references into profile.names */
	bool named;		 /* false for [unknown], [libfoo.so.1], [libfoo.so.1+0x5f3a20] */
};

/* Where a frame's address counts from. */
enum frame_space {
	SPACE_FILE,   /* `origin` is a file, `address` an offset in it */
	SPACE_IMAGE,  /* `origin` is an image, `address` a virtual address: no file backs it */
	SPACE_KERNEL, /* `origin` is a host, `address` an address of its kernel */
	SPACE_VDSO,   /* `origin` is a host, `address` an offset in its kernel's vdso */
	SPACE_NOTE, /* `address` is a function's ref: a note, or Python's, named when it was met */
};

/*
 * A line of source that an address belongs to. Where the compiler has copied functions into their
 * callers, an address has several, from the innermost function's to that of the function whose code
 * it is:
 *
 *	frame --> sum(), sum.h:7 --> average(), mean.c:12 --> main(), mean.c:40
 *	          inlined            inlined                  the frame's own function
 *
 * Frames share what they have in common. Row 0 is "not known".
 */
struct source_line {
	u32 function; /* whose line it is; of the outermost one, the frame's own */
	u32 path;     /* of the file, as the compiler was told; "": not known */
	u32 line;     /* 0: not known */
	u32 outer;    /* the line that called it, a smaller row; 0: it is no inlined function's */
};

/* So many functions at most are inlined into each other at one address. */
enum { MAX_INLINED = 64 };

/*
 * A distinct address. For callers it is the return address - 1, so that it lies in the call: a call
 * can be the last instruction of its function.
 */
struct frame {
	enum frame_space space;
	u32 origin;
	u64 address;
	u32 function; /* the symbolizer's answer; 0 before */
	u32 source;   /* the same: the innermost line */
};

/* When an address of the kernel was first in a stack: code may go, and other code come there. */
struct kernel_sight {
	u64 address, time;
};

/* A run of frames, leaf first, and how its walk ended. Stack 0 is empty. */
struct stack {
	u32 first; /* in profile.stack_frames */
	u32 nr;
	enum wick_end end;
};

/* A mapped file. Row 0 is "no file". */
struct profile_file {
	u32 path;		/* as the process saw it; " (deleted)" is cut off */
	u32 name;		/* its base name: what [name] notes and modules show */
	u32 build_id;		/* in hexadecimal, as the file says; "": none, or not read */
	enum files_state state; /* the symbolizer's: why frames in it have no names */
};

/* One exec of one process. Row 0 is "unknown". */
struct image {
	u32 pid;       /* in wick's pid namespace */
	u32 inner_pid; /* in the process's own, innermost one */
	u64 start_ns;  /* the process's start time, CLOCK_BOOTTIME */
	u32 exec_id;   /* the kernel's count of its execs */
	u32 comm;      /* the process's: its leader's */
	u32 host;
	bool has_code;		/* frames in memory without a file, which a perf map would name */
	enum files_state state; /* the symbolizer's: what became of its perf map */
};

/* One thread's part in a sample. Row 0 is "unknown". */
struct leg {
	u32 pid, tid;
	u64 start_ns; /* the thread's start time, CLOCK_BOOTTIME */
	u32 image;
	u32 comm;	 /* at the event */
	u64 cgroup;	 /* id in the cgroup v2 hierarchy */
	u32 cgroup_path; /* "/system.slice/nginx.service"; "" where it is not known */
	u32 host;
	enum wick_thread_kind kind;
	bool left_out; /* by the filters of the run, which has its blocks: they may be causes */
};

/* One wakeup: its cause, the waker's leg and place. Row 0 is "unknown". */
struct hop {
	enum wick_cause cause;
	u32 leg; /* 0 for interrupts */
	u32 user, kernel;
};

/* Why a sleep ended, the sleeper's own waker first. Row 0 is "unknown": no hops. */
struct chain {
	u32 first; /* in profile.chain_hops */
	u32 nr;
	enum wick_chain_end end;
};

/*
 * A run that was merged with others (merge.h): its host, and its window on the profile's clock.
 * Row 0 is the host of a profile that is of one run.
 */
struct profile_host {
	u32 name, kernel_release;
	u64 begin, end;
	u32 first_cpu, nr_cpus; /* its rows of profile.cpus */
};

/*
 * What threads have waited for. Row 0 is "not known". The two ends of a connection are two objects:
 * `there` of each is `here` of the other one; 0: it is none, or its other end is not known.
 */
struct object {
	enum wick_object kind; /* a thing, not how it is used: FUTEX, not LOCK */
	u32 name;	       /* string, without the word for its kind: "/var/lib/x", "0x7ff0" */
	u32 device;	       /* string: the disk that it is on, "vda1"; "": none, or not known */
	u32 peer_pid;	       /* of a Unix socket, the process that connected or listens; 0 */
	u64 id;		       /* its address, inode or number: as in struct wick_object_key */
	u64 of;		       /* which of those with the same id: a process, a device */
	u64 here, there;
};

/*
 * What was counted for one key, which is all that stands before `end_of_key`: words of 32 bits,
 * without padding, hashed and compared as bytes. Which columns there are is the kind's.
 */
struct sample {
	enum wick_kind kind;
	u32 state; /* sched: enum wick_state; fault, mmap: enum wick_memory_state */
	u32 leg;
	u32 user, kernel; /* stacks */
	u32 chain;	  /* sched, where a sleep has ended; else 0 */
	u32 end_of_key[0];
	/*
	 * cpu: samples. sched: count, ns, longest ns. fault: faults, bytes that became resident,
	 * ns. brk, mmap: calls, bytes, bytes that are still held at the end.
	 */
	u64 column[MAX_COLUMNS];
};

enum { HELD_COLUMN = 2 };

/*
 * A stretch off-CPU whose stacks were walked: an entry of the log of blocks. It is in the samples
 * too. Times are CLOCK_MONOTONIC, begin <= woken <= end. What was too short to be walked has no
 * entry, nor has what the log's bounds left out, which is counted.
 *
 *	begin .. woken	it was blocked; no time at all where it was preempted, or could run
 *	woken .. end	it waited for a CPU
 *
 * What had not ended when the window did has WICK_STATE_STILL, and the window's end for what had
 * not come yet.
 *
 * A series (series.c) is several stretches that are alike, one and `more`. It has their sums, as if
 * they were one stretch at its end. It begins `between` before that; of the time between them the
 * thread ran for `ran_between`, which is in `ran`, too.
 */
struct block {
	u32 leg, user, kernel;
	u32 chain; /* its first hop ended the block, or is the fork; 0: not seen, or not walked */
	u32 state; /* enum wick_state, of `begin`: Q: runnable, and off its CPU for no reason known */
	u64 begin, woken, end;
	u64 ran; /* ns that the thread had run in the window before */
	/*
	 * ns that the samples have of the block, with its state and chain, and of the wait, with
	 * the state R or Q. Where that is not the stretch's own length, it stands for shorter ones
	 * too.
	 */
	u64 counted_block, counted_wait;
	u32 before; /* leg of the thread that had its CPU until `end`; 0: none, or not known */
	u32 object; /* what it waited for */
	enum wick_object object_kind; /* of that, or how it is used; also where `object` is 0 */
	u32 holder; /* tid, in its own namespace: what the word of a lock says; 0: nothing */
	u32 more;
	u64 between, ran_between;
};

enum {
	MOST_BLOCKS = 1 << 20, /* in the log: 109 MB */
	NR_LONGEST = 20,
};

/* A thread's time in the window, nanoseconds. What it was called last is its leg. */
struct thread_time {
	u32 leg;
	u64 begin, end; /* CLOCK_MONOTONIC: the window's, or the thread's own */
	/* unaccounted: what nothing tells of, since a switch was not seen, or clocks disagree. */
	u64 running, queued, preempted, blocked, unaccounted;
	u64 ran; /* running, as the scheduler's own clock has it */
};

/* A CPU's time in the window, nanoseconds. */
struct cpu_time {
	u64 running; /* the sum of its threads' */
	u64 idle;
};

/* By so much two clocks may differ over a time, before one of them is wrong: 1 %, or 2 ms. */
static inline u64 clock_tolerance(u64 ns)
{
	return max(ns / 100, 2 * NSEC_PER_MSEC);
}

/*
 * What brk and mmap have made in the window, bytes: mapped = unmapped + gone + held, but for what
 * could not be followed. Mappings without access (PROT_NONE) are only addresses: they have an
 * account of their own.
 */
enum memory_accounts { MEMORY_BRK, MEMORY_MMAP, MEMORY_RESERVED, NR_MEMORY_ACCOUNTS };

struct memory_account {
	u64 mapped;
	u64 unmapped;	/* by a call */
	u64 gone;	/* by an exit or exec */
	u64 held;	/* at the end */
	u64 given_back; /* brk: by which it was made smaller, also what it was before the window */
};

/*
 * A loss: its cause, as it is printed, and how much: where it has a note, in the unit of a column
 * of its kind's samples; else how often. Its frame has no leg.
 */
struct loss {
	const char *cause; /* a constant */
	const char *note;  /* the frame that draws it, "[lost keys]"; NULL: printed only */
	enum wick_kind kind;
	u32 column;
	u64 value;
};

/* What a slice added to a sample; of a column whose merge is MERGE_MAX, its own largest. */
struct slice_sample {
	u32 sample;
	u64 column[MAX_COLUMNS];
};

/*
 * What has come since profile_next_slice(), for those who write it down: kept only where `wanted`
 * is set, before anything is counted.
 */
struct profile_slice {
	bool wanted;
	VEC(struct slice_sample) samples;
	struct table place;	  /* of a sample in `samples` */
	VEC(u32) filled;	  /* stacks that had been reserved, also twice */
	VEC(struct block) blocks; /* all, also those that the log has no room for */
};

/* What becomes a part of the log when the slice ends. */
struct profile_waits {
	VEC(struct block) blocks;
	VEC(bool) wakers; /* by leg: it has woken a thread */
	size_t nr_hops;	  /* whose legs are in `wakers` */
};

struct profile {
	struct strings names;

	VEC(struct function) functions;
	VEC(struct source_line) sources;
	VEC(struct frame) frames;
	VEC(struct kernel_sight) kernel_sights; /* each address once; of this run, not recorded */
	VEC(u32) stack_frames;
	VEC(struct stack) stacks;
	VEC(struct profile_file) files;
	VEC(struct image) images;
	VEC(struct profile_host) hosts;
	VEC(struct leg) legs;
	VEC(struct hop) hops;
	VEC(struct object) objects;
	VEC(u32) chain_hops;
	VEC(struct chain) chains;
	VEC(struct sample) samples;
	/*
	 * The log, as far as there is room in memory: the longest. In the order in which they came;
	 * those of threads that were left out are the last.
	 */
	VEC(struct block) blocks;
	size_t nr_other_blocks; /* how many of them those are: they only explain others' waits */
	VEC(struct thread_time) threads;
	VEC(struct thread_time) other_threads; /* those that were left out */
	VEC(struct cpu_time) cpus;	       /* by number */
	VEC(struct loss) losses;
	struct memory_account memory[NR_MEMORY_ACCOUNTS];
	struct profile_slice slice;
	struct profile_waits waits;

	struct table function_table, source_table, frame_table, stack_table, image_table, leg_table,
		sample_table, object_table, hop_table, chain_table;

	/* The run. Strings are references. */
	u32 host, kernel_release;
	u32 boot_id;	   /* of the host's kernel, as text: its addresses are of this boot */
	u64 wall_start_ns; /* CLOCK_REALTIME at the window's begin */
	u64 begin, end;	   /* the window, CLOCK_MONOTONIC */
	u64 counted_until; /* while it is open: the samples have all that was counted before */
	u32 needs;	   /* enum needs: what is observed */
	u32 depth;	   /* wakers of wakers in a chain, at most; 0: not known */
	u32 frequency;	   /* Hz of the CPU samples */
	u32 event;	   /* "cpu-clock" */
	u32 filters;	   /* the options that chose, as the user typed them; "" for all */
	u32 nr_cpus;
	u64 expected; /* CPU samples that should have been seen, by the filters' losses and all */
	u64 failed_faults;  /* begun, and not done: a bad address, a signal */
	size_t most_blocks; /* in `blocks`: MOST_BLOCKS, or what there is memory for */
	u64 shortest_block; /* ns; shorter ones were dropped from `blocks`, for want of room ... */
	u64 dropped_blocks; /* ... and so many; at a run's end, those that its recording has */
	u64 processes_32_bit; /* whose system calls brk and mmap do not see */
	bool unfollowed; /* the host allows no perf events: mappings of new processes are not known */
	bool by_faults;	 /* what became resident is not known: each fault counts as a page */
	bool huge_pages; /* transparent huge pages are set to always: many pages a fault */
	struct run_cost cost;
	struct naming_result naming; /* the symbolizer's */
};

/* How many blocks, the first ones, are of threads that were not left out. */
static inline size_t profile_nr_chosen(const struct profile *p)
{
	return p->blocks.nr - p->nr_other_blocks;
}

void profile_init(struct profile *p);
void profile_release(struct profile *p);

u32 profile_function(struct profile *p, const char *name, size_t size, const char *module,
		     enum frame_kind kind, bool named);
/* The function of a note such as "[truncated]". */
u32 profile_note(struct profile *p, const char *text);
/* The row of a line, added if it is not there. */
u32 profile_source(struct profile *p, const struct source_line *source);
/* Forgets all lines, and with them which functions are inlined where. */
void profile_drop_sources(struct profile *p);
u32 profile_frame(struct profile *p, enum frame_space space, u32 origin, u64 address);
u32 profile_stack(struct profile *p, const u32 *frames, size_t nr, enum wick_end end);
/*
 * A row for a stack that is known later: lost until then. What is filled in may equal another
 * row's; views merge by frame. Stacks of more than 2^32 frames in all stay lost.
 */
u32 profile_reserve_stack(struct profile *p);
void profile_fill_stack(struct profile *p, u32 stack, const u32 *frames, size_t nr,
			enum wick_end end);
/* A new row; the follower keeps files apart. */
u32 profile_file(struct profile *p, const char *path);
u32 profile_image(struct profile *p, const struct image *image);
u32 profile_leg(struct profile *p, const struct leg *leg);
u32 profile_hop(struct profile *p, const struct hop *hop);
u32 profile_object(struct profile *p, const struct object *object);
u32 profile_chain(struct profile *p, const u32 *hops, size_t nr, enum wick_chain_end end);
/* The sample with this key: its row, whose columns may be 0. */
u32 profile_sample(struct profile *p, const struct sample *sample);
/* False: there is none. Rows that were added by other means are found once they are indexed. */
bool profile_find_sample(const struct profile *p, const struct sample *sample, u32 *row);
void profile_index_sample(struct profile *p, u32 row);
/* Sorts the samples when nothing is counted any more: which row becomes the first, and so on. */
void profile_order_samples(struct profile *p, const u32 *rows);
/* Adds columns of a kind to their sums. */
void merge_columns(enum wick_kind kind, u64 sums[MAX_COLUMNS], const u64 columns[MAX_COLUMNS]);
/* Forgets what the last slice has brought. */
void profile_next_slice(struct profile *p);
enum memory_accounts memory_account_of(const struct sample *sample);
/*
 * Adds the columns to the sample with this key; the longest is the longer one. As everywhere here,
 * a sum that would pass UINT64_MAX stays there.
 */
void profile_count(struct profile *p, const struct sample *sample);
/*
 * A column's sum over the samples of a kind whose state has these flags, of those in `of`; with
 * what was lost, where it is drawn and no flags are asked for.
 */
u64 profile_sum(const struct profile *p, enum wick_kind kind, u32 column, u32 of, u32 flags);
/*
 * How many of the run's sums have reached UINT64_MAX, and would be larger: columns of samples, of
 * all samples of a kind, and the memory accounts.
 */
u64 profile_nr_largest(const struct profile *p);
/*
 * Adds a thread. Running time that the scheduler's clock does not have becomes unaccounted, where
 * that is more than the clocks' tolerance.
 */
void profile_thread(struct profile *p, const struct thread_time *thread);
/* The row of a CPU, made if need be. */
struct cpu_time *profile_cpu(struct profile *p, u32 cpu);
/* Is it of several hosts? Runs of one host are of one. */
bool profile_has_hosts(const struct profile *p);
/* The name of a leg's host. */
struct string profile_host_name(const struct profile *p, u32 leg);
/* The window in which a row of profile.cpus was counted, and the CPU's number on its host. */
u64 profile_cpu_window(const struct profile *p, u32 row, u32 *cpu);
/* All threads' times; begin is 0, and end how long they existed. */
struct thread_time profile_threads_time(const struct profile *p);
/* To what the log rounds times of waits below a second (series.c). */
enum { BLOCK_TIME_UNIT_NS = 1024 };
/*
 * Adds to the log of blocks. When that is full, the shorter half of it is dropped from memory, and
 * counted; the slice has it all the same.
 */
void profile_block(struct profile *p, const struct block *block);
/* The same when the slice ends: its times are rounded, and it may become a part of a series. */
void profile_wait(struct profile *p, const struct block *block);
void profile_end_slice(struct profile *p);
/* Blocks shorter than this, ns, are of no use any more. A recording has use for all. */
u64 profile_log_above(const struct profile *p);
/* The recording has ended, and the run goes on. */
void profile_end_recording(struct profile *p);
/*
 * Sets the blocks and times of threads that were left out apart from those of the others: they may
 * be why those waited. Left out are those that `keeps` returns false for, by leg, and that were
 * before, or by the run itself. NULL: none but these.
 */
void profile_set_apart(struct profile *p,
		       bool (*keeps)(const void *ctx, const struct profile *p, u32 leg),
		       const void *ctx);
/*
 * The longest blocks of threads that ran, the longest first, and how many those are. Not of kernel
 * threads that have nothing to do.
 */
size_t profile_longest(const struct profile *p, const struct block *longest[NR_LONGEST]);
/* How long a thread was blocked, without the wait for a CPU. */
static inline u64 block_ns(const struct block *block)
{
	return block->woken - block->begin;
}
static inline u64 block_nr(const struct block *block)
{
	return (u64)block->more + 1;
}
/* When the first one of a series began. */
static inline u64 block_first(const struct block *block)
{
	return block->begin - block->between;
}
/* Adds to the loss of that cause. */
void profile_loss(struct profile *p, const char *cause, const char *note, enum wick_kind kind,
		  u32 column, u64 value);

#endif
