/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wick.h: what BPF programs and user space agree on: the layout of every map and record.
 *
 * The data path. A program captures a leg (which thread) and stacks (where), hashes each to 64
 * bits with a seed of the run, and sends the body through the ring buffer the first time. After
 * that it only counts:
 *
 *	counts: struct wick_key {leg id, stack ids, kind, state} -> struct wick_columns
 *
 * User space makes programs count in another, empty map, waits until none uses the old one (struct
 * wick_slots), takes the bodies out of the ring, then reads the counts: so a count's bodies have
 * been sent before it is read. A body that could not be sent is sent the next time its id comes up.
 *
 * Times are CLOCK_MONOTONIC nanoseconds unless a name says otherwise. Pids are those of wick's own
 * pid namespace, 0 where a thread has none in it. Plain C types only: this header is read by clang
 * for BPF, after vmlinux.h, and by the host's compiler. Names begin with wick_, since a plain
 * `struct key` collides with the kernel's.
 */
#ifndef WICK_H
#define WICK_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#include "java.h"
#include "kinds.h"
#include "python.h"

enum {
	WICK_COMM_SIZE = 16,
	WICK_KERNEL_FRAMES = 127, /* kernel.perf_event_max_stack by default */
	WICK_USER_FRAMES = 512,
	WICK_SCRATCH_LEVELS = 4, /* task, softirq, hardirq, NMI */
	WICK_SEEN_SLOTS = 1 << 18,
	WICK_MEMOS = 1 << 12, /* walks that are remembered */
	WICK_NAMES = 256,     /* kernel addresses that are named in one go */
	WICK_NAME_SIZE = 192, /* KSYM_NAME_LEN is 512 since 6.1, for Rust; what is longer is cut */
	WICK_GLOB_MAX = 63,   /* tokens in a pattern: a bit each, and one for the end */
};

/* One thread's part in a sample. Hashed as bytes: no padding. */
struct wick_leg {
	__u32 tgid, tid;
	__u64 start_ns;		/* of the thread, CLOCK_BOOTTIME */
	__u64 process_start_ns; /* of its group leader */
	__u64 cgroup;		/* id in the cgroup v2 hierarchy */
	__u32 exec_id;		/* execs since the first process: inherited by fork, +1 by exec */
	__u32 inner_tgid;	/* tgid in the process's own pid namespace */
	__u32 kind;		/* enum wick_thread_kind */
	__u32 left_out;		/* by the filters: here only as a cause of others' waits */
	char comm[WICK_COMM_SIZE];
};
_Static_assert(sizeof(struct wick_leg) == 64,
	       "struct wick_leg is hashed as 8 words, without padding");

enum wick_body_type {
	WICK_BODY_LEG = 1,
	WICK_BODY_KERNEL_STACK,
	WICK_BODY_USER_STACK,
	WICK_BODY_STACK_COPY,
	WICK_BODY_HOP,
	WICK_BODY_CHAIN,
	WICK_BODY_BLOCK,
	WICK_BODY_THREAD,
	WICK_BODY_MAPPING,
	WICK_BODY_PYTHON_CODE,
	WICK_BODY_OBJECT,
};

/* What every record in the ring buffer begins with. */
struct wick_body {
	__u32 type; /* enum wick_body_type */
	__u32 nr;   /* frames of a stack */
	__u64 id;
	__u64 time;
};

struct wick_leg_body {
	struct wick_body body;
	struct wick_leg leg;
};

/*
 * A stack: frames leaf first. Kernel frames are addresses as they lie on the stack. A user frame
 * is {file, offset} where a file is mapped, so that all processes that run the same code share
 * their stacks; else a virtual address of the image that `leg` belongs to. Of a caller, it is the
 * last byte of the call; with WICK_FRAME_METHOD, it is of what the interpreter runs, not of code.
 *
 * The last `python` words that follow are pairs, struct wick_python_frame, which belong in the
 * place of the frames that have WICK_FRAME_EVALUATOR.
 */
struct wick_stack_body {
	struct wick_body body; /* nr: words that follow, 8 bytes each */
	__u64 leg; /* whose; 0 where nothing depends on it: kernel, or all frames in files */
	__u32 tgid;
	__u32 end; /* enum wick_end */
	__u32 python;
	__u32 python_cut; /* there were more Python frames */
};

/* A code object of a Python program: a function, in include/python.h's terms. */
struct wick_code_body {
	struct wick_body body; /* nr: bytes of the line table that follow */
	__u32 version;	       /* as in struct wick_python */
	__u32 first_line;      /* 0: the line table is not here */
	struct wick_python_text name, file;
};

enum {
	WICK_FRAME_FILE_SHIFT = 40,
	WICK_MAX_FILES = 1 << 22,
};
#define WICK_FRAME_IN_FILE   (1ull << 63)
#define WICK_FRAME_EVALUATOR (1ull << 62) /* Python's: python.h. Of frames in files */
#define WICK_FRAME_METHOD    (1ull << 61) /* the rest is a Java VM's Method, which is interpreted */
#define WICK_FRAME_OFFSET    ((1ull << WICK_FRAME_FILE_SHIFT) - 1)

/* A file, as the kernel knows it. All zeros stand for the vdso. */
struct wick_file_key {
	__u64 inode;
	__u32 dev;
	__u32 generation;
	__u64 size;
	__u64 mtime_sec;
	__u64 mtime_nsec;
};

enum wick_file_kind {
	WICK_FILE_MAPPED,
	WICK_FILE_VDSO,
	WICK_FILE_CODE, /* shared memory under a file's name: memfd, System V; its frames are addresses */
};

/*
 * What user space has told of a file: the number that frames have, and where its unwind rows are:
 * a region for each segment of WICK_SEGMENT_BITS of the file, from the first that has rows on. A
 * file without rows has a region too: it is noted there that the file was met.
 */
struct wick_file {
	__u32 kind; /* enum wick_file_kind */
	__u32 file;
	__u32 first_segment, nr_segments;
	__u32 first_region;
	__u32 python; /* 1 + its place in the map `pythons`; 0: it is no interpreter */
};

enum {
	WICK_KNOWN_FILES = 4096,
	WICK_SEGMENT_BITS = 22,
	WICK_REGIONS = 8192,
	WICK_CHUNKS = 1024,
	WICK_CHUNK_BITS = 18,
	WICK_CHUNK_WORDS = 1 << WICK_CHUNK_BITS, /* 1 MB: what rows are given room in */
};

/* Where a region's rows are: which chunk, and in the lower WICK_CHUNK_BITS the first word. */
#define WICK_ROWS_HERE 0x80000000u
_Static_assert(WICK_CHUNKS <= 1 << (31 - WICK_CHUNK_BITS), "a place has 31 bits");

enum {
	WICK_COPY_PAGE = 4096,
	WICK_COPY_PAGES = 16, /* of a stack: from the one that its pointer is in */
};

/* A thread's user registers, numbered as in DWARF, and after them the instruction pointer. */
#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
enum {
	WICK_UNWIND_REGS = 32, /* x0 ... x30, sp */
	WICK_REG_SP = 31,
	WICK_REG_FP = 29,
};
#else
enum {
	WICK_UNWIND_REGS = 16, /* rax rdx rcx rbx rsi rdi rbp rsp r8 ... r15 */
	WICK_REG_SP = 7,
	WICK_REG_FP = 6,
};
#endif
enum {
	WICK_REG_IP = WICK_UNWIND_REGS,
	WICK_NR_REGS,
};
/* All of a frame's registers are its own. */
#define WICK_ALL_REGS ((__u32)((1ull << WICK_UNWIND_REGS) - 1))

/*
 * A user stack that is walked in user space, because the walk came to code whose file user space
 * has not told of: registers and stack, as they were. Its id is one of a kind.
 */
struct wick_copy_body {
	struct wick_body body; /* nr: bytes of stack that follow */
	__u64 leg;
	__u32 tgid;
	__u32 in_exec; /* mappings may be the new program's, registers still the old one's */
	__u64 base;    /* address of the first byte of stack */
	__u64 regs[WICK_NR_REGS];
	__u64 holes;	  /* bit i: page i could not be read */
	__u64 stopped_at; /* the address in a file that is unknown or has no rows; 0: none */
	__u64 stopped_in; /* the region that has no rows; WICK_REGIONS: the file is not known ... */
	struct wick_file_key file; /* ... and this one */
	/* What Python would know a blocked thread by; 0: it was not blocked. */
	__u64 python; /* body.nr bytes of stack follow */
};

/* The id of each stack that was not sent for being above its process's share; no body has it. */
enum { WICK_LOST_STACK = 1 };

/* One wakeup. Its id is the hash of what it says: the same waker at the same place is one hop. */
struct wick_hop_body {
	struct wick_body body;
	__u64 leg;	    /* of the waker; 0 for hard interrupts */
	__u64 user, kernel; /* its stacks; 0: not walked */
	__u32 cause;	    /* enum wick_cause */
	__u32 pad;
};

/* Why a sleep ended: its waker, the waker of that, and so on. */
struct wick_chain_body {
	struct wick_body body; /* nr: hops */
	__u32 end;	       /* enum wick_chain_end */
	__u32 pad;
	/* body.nr ids of hops follow, the sleeper's own waker first */
};

/* sched: what is known of the wakeup that ended a block. Whole words of 64 bits. */
struct wick_wakeup {
	__u64 chain; /* id of a chain of hops; 0: none */
};

/* What a count is about. Hashed and compared as bytes: no padding. */
struct wick_key {
	__u64 leg;
	__u64 user, kernel;	   /* stack ids; 0: none */
	struct wick_wakeup wakeup; /* all 0: none */
	__u32 kind;
	__u32 state;
};
_Static_assert(sizeof(struct wick_key) == 4 * sizeof(__u64) + sizeof(struct wick_wakeup),
	       "struct wick_key has no padding");

/*
 * What a block waited for. Hashed and compared as bytes: a step of the hash, without padding. Of
 * what has no use for a member, it is 0.
 */
struct wick_object_key {
	__u32 kind;   /* enum wick_object: a thing, not how it is used */
	__u16 family; /* of a socket: as in socket(2) ... */
	__u16 protocol;
	/*
	 * futex	address; where memory is shared, offset in its file
	 * socket, pipe, file, terminal	inode
	 * other files	address of the kernel's struct file
	 * child	the pid that was asked for
	 */
	__u64 id;
	/*
	 * futex	start time of the process; where memory is shared, inode
	 * Unix socket	inode of the other end; 0: not accepted yet, or none
	 */
	__u64 of;
	__u64 local[2], remote[2]; /* internet addresses, in the network's order; of IPv4 4 bytes */
	__u16 local_port, remote_port;
	__u32 device; /* of the inode, as the kernel has it; of a private futex, the process */
};
_Static_assert(sizeof(struct wick_object_key) == 8 * sizeof(__u64), "a step of the hash");

/* How the way from a file's name to the root ended. */
enum wick_path_end {
	WICK_PATH_CUT, /* too deep, or no room */
	WICK_PATH_ROOT,
	WICK_PATH_PSEUDO, /* it has a name, and is in no directory */
};

enum {
	WICK_OBJECT_NAME = 64,	 /* the most of one name, with its end */
	WICK_OBJECT_NAMES = 256, /* of all of them, and one more */
};

/*
 * An object, with its names: of a file those of its path, its own first, each with a 0 at its end;
 * of a Unix socket its address, or its peer's, as in sockaddr_un. They are read when it is first
 * met.
 */
struct wick_object_body {
	struct wick_body body; /* nr: bytes of names */
	struct wick_object_key key;
	__u32 path_end; /* enum wick_path_end */
	__u32 disk;	/* number of the block device that the file is on; 0: none */
	__u32 peer_pid; /* of a Unix socket, in wick's namespace; 0: not known */
	__u32 is_peers; /* the name of a Unix socket is that of its peer */
	char names[WICK_OBJECT_NAMES + WICK_OBJECT_NAME]; /* body.nr bytes are sent */
};

/*
 * A stretch off-CPU that was looked at, beside its counts: an entry of the log of blocks (struct
 * block in profile.h). body.time is its end, when the thread was back on a CPU. The key's kind is
 * of no use here; its wakeup is what ended the block, where that was seen and worth a walk.
 */
struct wick_block_body {
	struct wick_body body;
	struct wick_key key;
	__u64 begin, woken;
	__u64 ran;			   /* the thread in the window, until the stretch: ns */
	__u64 counted_block, counted_wait; /* what the counts have of it: ns */
	__u64 object;			   /* id of what it waited for; 0: not known */
	__u32 object_kind;		   /* enum wick_object */
	__u32 holder; /* of a futex: the thread that its word names, in its own namespace; 0: none */
	__u64 before; /* the leg of the thread that left its CPU to it; 0: none, or not known */
};

/* A thread's time in the window, until its end or the window's. */
struct wick_thread_body {
	struct wick_body body;
	__u64 leg;
	__u64 begin, end; /* the thread's, or the window's */
	/* Nanoseconds: their sum is end - begin. unaccounted: after a switch that was not seen. */
	__u64 running, queued, preempted, blocked, unaccounted;
	__u64 ran;	/* running, as the scheduler's own clocks have it */
	__u64 last_ran; /* the part of running that had not ended when the window did ... */
	__u32 last_cpu; /* ... and where; of one that waits for a CPU, where it is queued */
	/*
	 * A stretch off-CPU that had not ended: the last entry of the thread's in the log, as in
	 * struct wick_block_body.
	 */
	__u32 still; /* its state; 0: there was none */
	__u64 still_ns;
	__u64 user, kernel; /* stack ids; 0: none */
	__u64 object;
	__u32 object_kind;
	__u32 holder;
};

/*
 * A change of a process's memory, sent each time, so that user space can tell what is still held
 * at the end: see src/follow/holdings.h. body.time is when the call returned.
 *
 *	[from, +from_size)	is given back; its first `moved` bytes live on, from `to` on
 *	[to, +to_size)		is there now; all after the first `moved` bytes is new
 */
struct wick_mapping_body {
	struct wick_body body;
	__u64 mm;	 /* whose: the address of its mm_struct, good until that is gone */
	__u64 since;	 /* when the call was entered */
	__u64 leg, user; /* whose doing */
	__u64 from, from_size;
	__u64 to, to_size;
	__u64 moved;
	__u32 kind;   /* WICK_BRK, WICK_MMAP */
	__u32 state;  /* enum wick_memory_state, of what is new */
	__u32 gone;   /* all of the mm is, by an exit or an exec */
	__u32 wanted; /* by the filters, the thread is */
};

/*
 * cpu: {samples}. sched: {count, nanoseconds, longest nanoseconds}; the last one is no sum. fault:
 * {faults, bytes that became resident, nanoseconds in the fault}. brk, mmap: {calls, bytes}.
 */
struct wick_columns {
	__u64 column[3];
};

/* A sum that has come to this is larger. */
#define WICK_LARGEST_SUM (~0ull)

/*
 * What became of the runs of a program. src/report/ has the words for them.
 */
enum wick_counter {
	WICK_RAN,     /* the program was entered */
	WICK_OUTSIDE, /* before the window or after it */
	WICK_IDLE_LEFT_OUT,
	WICK_SELF_LEFT_OUT, /* wick itself */
	WICK_FILTERED,	    /* by the user's filters */
	WICK_KEPT,	    /* counted, in the counts or in an overflow cell */
	WICK_LOST_KEY,	    /* the counts were full: the value is in the overflow cell */
	WICK_LOST_SCRATCH,  /* nested deeper than WICK_SCRATCH_LEVELS: not counted */
	WICK_LOST_BODY,	    /* the ring was full: will be sent the next time, which is no loss */
	WICK_LOST_SHARE,    /* a new stack, name or chain above its process's share: bpf/share.h */
	WICK_LOST_ACCOUNT,  /* the ring was full when a thread ended: its account was lost */
	WICK_LOST_BLOCK,  /* counted, and not in the log of blocks: no room, or too short for it */
	WICK_LOST_COPY,	  /* a stack that was not copied: over the limit, or no room in the ring */
	WICK_LOST_THREAD, /* no memory for a thread's state: a switch or wakeup was not followed */
	WICK_LOST_MEMBER, /* a child of the program found no place in the map of members */
	WICK_LOST_CHANGE, /* a struct wick_mapping_body that the ring refused, or of unknown place */
	WICK_LOST_RESIDENT, /* a change of the resident set of unknown size: taken for a page */
	WICK_NO_END,	    /* fault: begun, and not completed: a bad address, a signal */
	WICK_NO_BEGIN,	    /* fault: one whose begin was not seen, so it has no time */
	WICK_REMEMBERED_USER,
	WICK_REMEMBERED_KERNEL, /* stacks that were not walked */
	WICK_MISREMEMBERED,	/* with check_memos: those that a walk has found to be others */
	WICK_32_BIT,		/* processes that make 32-bit system calls, which are not read */
	WICK_HIDDEN_SWITCH, /* no program ran at a switch: what it stamps was found in other ways */
	WICK_NO_PYTHON,	    /* stacks with Python's evaluator, whose frames were not found */
	WICK_NR_COUNTERS,
};

/* One a CPU and kind. */
struct wick_counters {
	__u64 at[WICK_NR_COUNTERS];
	__u64 idle_ran;		      /* of WICK_RAN, while the idle task was current */
	struct wick_columns overflow; /* values whose key found no place */
};

/*
 * How much that is new may be sent: bpf/share.h. Written by user space while programs run. Sizes
 * in bytes, rates in bytes a 2^20 ns; a size of 0 is no limit.
 */
struct wick_limits {
	__u64 process_size, process_rate;
	__u64 user_size, user_rate;
	__u64 change_size, change_rate; /* of struct wick_mapping_body, of a process */
	__u32 level; /* walks and copies are to take 1 / 2^level of what they may */
	__u32 pad;
};

/*
 * What programs of one CPU are at work, each with a slot of its own: so user space knows, without
 * asking the kernel, when those have ended that can use what it has put away: the map of the last
 * generation, and unwind rows that programs find no more. User space maps them; see bpf/slots.h.
 */
struct wick_slots {
	__u32 used[WICK_SCRATCH_LEVELS];     /* enum wick_slot_use */
	__u32 pad[16 - WICK_SCRATCH_LEVELS]; /* no two CPUs write to one cache line */
};

enum wick_slot_use {
	WICK_SLOT_FREE,
	WICK_SLOT_TAKEN, /* its program has not looked yet which generation it is */
	WICK_SLOT_USED,	 /* + 0 or 1: the generation that its program found */
};

/* Written by user space while programs run. Events in [begin, end) count. */
struct wick_window {
	__u64 begin, end;
	__u64 epoch; /* of the seen ids; a new one makes every body be sent again */
};

/* A compiled glob: see include/wick_glob.h. */
struct wick_glob {
	__u64 accept[256]; /* bit i: token i takes this byte */
	__u64 stars;	   /* bit i: token i is a star */
	__u64 end;	   /* the bit that says "matched" */
};

/* What to keep. Zero keeps everything. */
struct wick_filter {
	__u32 self_tgid;	      /* left out; 0: no process is */
	__u32 forker_tgid;	      /* with it, and so are the processes that this one made */
	__u32 by_pid;		      /* only tgids in the map `pids` */
	__u32 by_tid;		      /* only tids in the map `tids` */
	__u32 family_of;	      /* only what this tgid forked, and they forked; 0: all */
	__u32 by_comm;		      /* only comms that match `glob` */
	__u32 by_process;	      /* only threads whose leader's comm matches `process_glob` */
	__u32 by_cgroup;	      /* only cgroups at or below `cgroup` */
	__u32 user_only, kernel_only; /* kinds of threads */
	__u32 idle;		      /* keep the idle task */
	__u32 walk_fp;		      /* walk user stacks by frame pointers only */
	__u32 copies;		      /* of stacks, at most, a second and CPU */
	__u32 shared_memory_dev;      /* the kernel's own tmpfs, where memfds are; 0: not known */
	__u32 no_user_stack, no_kernel_stack; /* frames to leave out; samples stay */
	__u32 cgroup_level;
	__u32 by_cpu;	 /* only on CPUs in the map `cpus`; cpu samples have no events elsewhere */
	__u32 page_bits; /* of the kernel's pages: 12, on arm64 also 14 or 16 */
	__u32 no_exchange; /* no atomic operation returns a value: arm64 before 5.18 */
	__u32 check_memos; /* walk also what is remembered, and compare */
	__u32 no_python;   /* Python's own frames are not looked for */
	__u32 causes;	   /* sched: what is left out is logged all the same, and not counted */
	__u64 cgroup;
	__u64 pid_namespace; /* inode of wick's own */
};

enum {
	WICK_MAX_DEPTH = 32,
	WICK_LEVELS = 20, /* of the threshold: walk_above times 1, 2, 4 ... */
};

/* Programs whose runs are timed: X(name of its row, its own). */
#define WICK_METERED(X)                                                                            \
	X(CPU, wick_cpu)                                                                           \
	X(SWITCH, wick_switch)                                                                     \
	X(SWITCHED, wick_switched)                                                                 \
	X(WAKING, wick_waking)                                                                     \
	X(WAKEUP_NEW, wick_wakeup_new)                                                             \
	X(FAULT_BEGINS, wick_fault_begins)                                                         \
	X(FAULT_ENDS, wick_fault_ends)                                                             \
	X(RESIDENT, wick_resident)                                                                 \
	X(CALL_BEGINS, wick_call_begins)                                                           \
	X(CALL_ENDS, wick_call_ends)                                                               \
	X(LOCK_TAKEN, wick_lock_taken)                                                             \
	X(ROOM_FOUND, wick_room_found)                                                             \
	X(LOCK_RELEASED, wick_lock_released)

#define WICK_METER_OF(row, program) WICK_METER_##row,
enum wick_meter_row { WICK_METERED(WICK_METER_OF) WICK_NR_METERS };
#undef WICK_METER_OF

/* What a program costs: see bpf/meter.h. One a CPU and program. */
struct wick_meter {
	__u64 runs;		    /* that did not walk */
	__u64 timed_runs, timed_ns; /* of those */
	__u64 walks, walk_ns;	    /* the other runs, all timed */
	__u64 untimed;		    /* runs until the next one that is timed */
};

enum { WICK_PERIOD_NS = 10 * 1000 * 1000 }; /* in which a budget is kept */

/* What an instrument spends of the budget on a CPU: see bpf/budget.h. */
struct wick_spending {
	__u32 level;	    /* how rarely it walks: it doubles with each */
	__u32 raised;	    /* by so many levels, in this period */
	__u64 period;	    /* its begin */
	__u64 walk_ns;	    /* in it, of runs that walk */
	__u64 plain_ns;	    /* of the others */
	__u64 mean_walk_ns; /* of a period, over the last ones, at the level that rules now */
	__u64 left;	    /* for walks in a period */
	__u64 saved;	    /* of what was left in those before */
	__u64 raise_at;	    /* the walk_ns that raises the level before the period is over */
};

/* ns, 137 s: blocks of that length are walked whatever the threshold; a thread's draw has room. */
#define WICK_MOST_WALK_ABOVE (1ull << 37)

/* How the sched instrument works. */
struct wick_sched_settings {
	__u64 walk_above;	    /* ns: blocks are walked from here on; 0: all of them */
	__u64 min_block, max_block; /* ns; 0: no bound */
	__u32 depth;		    /* hops of a chain; 0: wakers are not followed */
	__u32 walk_before;	    /* at the switch-out, for want of a hook at its end */
	__u32 standing;		    /* no window: threads are looked at as they are */
	__u32 no_prev_state;	    /* sched_switch does not say the state: before 5.18 */
	/* From a CPU's run queue to its count of preemption, interrupts: bytes; 0: not known. */
	__s64 preempt_count_at;
	__u32 no_preempt_count; /* not known, and nowhere else either */
	__u32 interrupt_bits;	/* of that count: interrupts and NMIs */
	__u32 drop_switches;	/* every so many is not looked at, to test the account; 0: none */
	__u32 filtered;		/* the filters leave threads out */
	__u64 tick_ns;		/* of a jiffy; 0: not known */
};

/* How the memory instruments work. */
struct wick_memory_settings {
	__u32 huge_page_bits; /* of MAP_HUGETLB, where the call does not say */
	__u32 by_rss;	 /* the kernel says what became resident; without it each fault is a page */
	__u32 brk, mmap; /* the instruments that run */
	__u32 no_exit_mmap; /* the kernel has no such tracepoint: before 6.1 */
	__u32 by_lock;	    /* calls are seen by the lock that they take: bpf/locked_calls.bpf.c */
};

/* What the sched programs know of their CPU. */
struct wick_sched_cpu {
	__u64 last_switch;	      /* that was seen in the window; 0: none */
	__u64 ran, idle;	      /* ns, of its threads and of its idle task, up to there */
	__u64 clock_behind;	      /* what the scheduler's clock was behind ours there: ns */
	__u64 left_by;		      /* the leg of the thread that the switch was from; 0: none */
	__u32 current;		      /* tid of the thread that the switch was to */
	__u32 dropped;		      /* switches since the last one that was not looked at */
	__u32 current_has_no_account; /* ... and will have none: wick itself */
	__u32 for_bystander; /* the program at hand runs for threads of no interest: strangers.h */
	__u64 rq;	     /* the address of its run queue; 0: not known yet */
	__u32 to_walk;	/* tid of the thread that is switched to and is to be walked; 0: none */
	__u32 new_legs; /* in the budget's period, of wakers that are not walked */
	struct wick_spending spending;	/* blocks are walked from walk_above << its level on */
	__u64 interrupt_hop, hop_epoch; /* an interrupt as a waker that is not walked: waker.h */
	__u64 blocks, walked_blocks;	/* in the window, of threads that the filters want */
	__u64 ruled[WICK_LEVELS];	/* ns that each level has ruled */
};

/* Written by user space while the sched programs run. */
struct wick_sched_control {
	__u64 log_above;  /* ns: from here on, a stretch that was looked at goes into the log */
	__u32 pass;	  /* which of two passes is the one that counts */
	__u32 read;	  /* the number of its read, from 2 on */
	__u32 unread;	  /* one that did not return: what it brings does not arrive; 0: none */
	__u32 retry;	  /* a pass visits a thread again where the ring was full */
	__u64 walk_until; /* CLOCK_MONOTONIC: the final pass walks no thread after it */
	/*
	 * Written by the programs: from the scheduler's clock to CLOCK_MONOTONIC; 0: not known.
	 * (The CPUs' clocks are alike to some microseconds.)
	 */
	__u64 clock_offset;
};

/* Kernel addresses and what the kernel calls them: "name" or "name [module]". */
struct wick_names {
	__u32 nr;
	__u32 pad;
	__u64 address[WICK_NAMES];
	char text[WICK_NAMES][WICK_NAME_SIZE];
};

#endif
