/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "manual.h"

const struct manual manuals[] = {
	{
		.view = "cpu",
		.reading =
			"Width is CPU time: samples, taken so many times a second on each CPU. "
			"Look for wide boxes with nothing on top: that code itself uses the CPU. A "
			"wide box lower down called what uses it. Grey is code without a name; the "
			"summary says what to install for it.",
		.example =
			"nginx;_start;main;ngx_process_cycle;ngx_http_gzip;deflate_fast 700\n"
			"nginx;_start;main;ngx_process_cycle;ngx_http_log;do_syscall_64;vfs_write 100",
		.meaning =
			"Of 800 samples, 700 were in deflate_fast, so compression takes 7/8 of "
			"this server's CPU time; at 99 Hz, 800 samples are 8 s on one CPU. Writing "
			"the log, in the kernel, takes the rest.",
	},
	{
		.view = "offcpu",
		.reading =
			"Width is the time that threads were off-CPU, at the place where they left "
			"it. Idle threads are drawn too, as wide as the run was long: ignore "
			"towers that wait for work. Look for waits in the middle of work: a lock, "
			"a disk, a page.\n\n"
			"A box [runqueue] on top: the thread had been woken and waited for a free "
			"CPU. [preempted]: the thread wanted to go on, but another one got the "
			"CPU. [still blocked]: the wait had not ended when the run did.",
		.example =
			"db;main;commit;fsync;do_syscall_64;ext4_sync_file;io_schedule 9000000\n"
			"db;main;commit;fsync;do_syscall_64;ext4_sync_file;io_schedule;[runqueue] 500000\n"
			"db;main;serve;epoll_wait;do_syscall_64;do_epoll_wait 20000000",
		.meaning =
			"In a run of 30 s, this thread waited for the disk for 9 s, and then for "
			"0.5 s more for a CPU. The 20 s in epoll_wait are idle time.",
	},
	{
		.view = "wakeup",
		.reading =
			"Width is how long threads had slept when the stack below woke them; the "
			"box on top is the thread that was woken. A wide tower is a place in the "
			"code that many threads wait for, or one thread for long. If an interrupt "
			"ended the wait, the tower stands on its name, as in [timer: "
			"hrtimer_wakeup].",
		.example = "db-2;main;commit;unlock_row;futex;do_futex;futex_wake;db-1 4000000",
		.meaning = "db-1 had slept for 4 s in all when db-2 woke it, each time from "
			   "unlock_row in commit.",
	},
	{
		.view = "offwake",
		.reading =
			"offcpu and wakeup in one. From the bottom, in blue, comes the stack of "
			"the thread that waited; then a box --; above it the waker's stack, upside "
			"down, with the waker's name on top. The two stacks meet where one thread "
			"woke the other.",
		.example =
			"db-1;main;lock_row;futex_wait;--;futex_wake;unlock_row;commit;main;db-2 4000000",
		.meaning =
			"db-1 waited for a row for 4 s; each time, db-2 ended the wait, at the end "
			"of a commit.",
	},
	{
		.view = "chain",
		.reading =
			"As offwake; above the waker is the thread or interrupt that had last "
			"woken the waker, and so on. A wakeup is part of a chain only if it "
			"happened while the sleeper slept. The last box says why the chain ends "
			"there: an interrupt, [was running], [fork], [depth].\n\n"
			"The whole sleep is charged to the chain of wakeups that ended it. So the "
			"graph does not say how long each link took: see how the waker spent its "
			"time, in offcpu or wall, before you blame the last link.",
		.example =
			"db-1;main;lock_row;futex_wait;--;futex_wake;unlock_row;commit;main;db-2;--;"
			"io_complete;[softirq: blk_done_softirq] 3700000",
		.meaning =
			"In 3.7 of the 4 s, db-2 ended the wait after the disk had woken db-2: the "
			"lock is held across a write. db-2's own stacks in offcpu tell how much of "
			"that time it waited for the disk.",
	},
	{
		.view = "wall",
		.reading =
			"Width is all of the threads' time, so that running and waiting can be "
			"compared. [on-CPU] is the time that the scheduler measured, shared among "
			"the thread's samples; [off-CPU] is the same as in offcpu.",
		.example = "db;[off-CPU];main;commit;fsync 9000000\n"
			   "db;[on-CPU];main;commit;checksum 1000000",
		.meaning = "Nine tenths of this thread's time is waiting in fsync, one tenth "
			   "computing the checksum: a faster CPU would not help.",
	},
	{
		.view = "faults",
		.reading =
			"Width is page faults; with --metric bytes, the memory that became "
			"resident in them; with --metric us, the time that they took. record draws "
			"all three. A page costs memory when a program touches it, not when the "
			"program asks for it: in bytes, this graph shows where resident memory "
			"comes from. Kernel frames on top: the fault was taken in a system call, "
			"or the call made the memory resident itself. [major fault]: the fault had "
			"to wait for a disk.",
		.example = "load;main;read_table;parse;memset 20000\n"
			   "load;main;map_index;lookup;[major fault] 300",
		.meaning =
			"20,000 pages of 4 KiB, 80 MiB, became resident when parse cleared its "
			"memory. 300 pages of the index had to be read from the disk, one by one.",
	},
	{
		.view = "brk",
		.reading =
			"Width is the number of bytes by which the end of the heap moved, as brk() "
			"returned it. malloc grows the heap for small blocks and maps large ones: "
			"see mmap. With --outstanding, width is the part that is still there at "
			"the end of the run.",
		.example = "app;main;read_config;strdup;malloc;sysmalloc;__sbrk;brk 135168",
		.meaning =
			"The heap grew by 132 KiB, its usual step, when read_config copied a "
			"string. The caller that makes the heap grow need not be the one that took "
			"most of it, but many such stacks are a fair sample.",
	},
	{
		.view = "mmap",
		.reading =
			"Width is the number of bytes that mmap() mapped and mremap() added. "
			"[file-backed]: a mapping of a file; without it, of anonymous memory. With "
			"--outstanding, width is the memory that was mapped in the run and not "
			"given back before its end: where a leak grows. Mappings without access "
			"(PROT_NONE) are addresses, not memory; only --reserved draws them.",
		.example = "app;main;serve;new_session;malloc;sysmalloc_mmap;mmap 52428800",
		.meaning = "With --outstanding: sessions took 50 MiB in this run that are still "
			   "mapped.",
	},
};

const size_t nr_manuals = ARRAY_SIZE(manuals);
