/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "manual.h"

const struct manual manuals[] = {
	{
		.view = "cpu",
		.reading =
			"Width is CPU time: samples, so many a second on each CPU. Look for wide boxes at the "
			"top, which nothing stands on: there the CPU is. A wide box further down is what "
			"called all of it. Grey is code without a name; the summary says what to install for "
			"it.",
		.example =
			"nginx;_start;main;ngx_process_cycle;ngx_http_gzip;deflate_fast 700\n"
			"nginx;_start;main;ngx_process_cycle;ngx_http_log;do_syscall_64;vfs_write 100",
		.meaning =
			"Of 800 samples, 700 were in deflate_fast, so compression takes 7/8 of this "
			"server's CPU time; at 99 Hz, 800 samples are 8 s on one CPU. The log's writes "
			"take the rest, in the kernel.",
	},
	{
		.view = "offcpu",
		.reading =
			"Width is time in which a thread was not on a CPU, at the place where it left it. Idle "
			"threads are drawn as well, as wide as the run was long: ignore towers that wait for "
			"work. What counts is a wait inside of work: a lock, a disk, a page.\n\n"
			"A box [runqueue] on top is time after the wakeup: ready, but no CPU was free. "
			"[preempted]: it would have gone on, and another thread got the CPU. [still blocked]: "
			"it had not ended when the run did.",
		.example =
			"db;main;commit;fsync;do_syscall_64;ext4_sync_file;io_schedule 9000000\n"
			"db;main;commit;fsync;do_syscall_64;ext4_sync_file;io_schedule;[runqueue] 500000\n"
			"db;main;serve;epoll_wait;do_syscall_64;do_epoll_wait 20000000",
		.meaning =
			"In a run of 30 s, this thread waited for 9 s until the disk had its data, and "
			"then 0.5 s more for a CPU. The 20 s in epoll_wait are idle time.",
	},
	{
		.view = "wakeup",
		.reading =
			"Width is how long others had slept when the stack below woke them; the box on "
			"top is whom. A wide tower is a place in the code on which many wait, or one for "
			"long. What an interrupt ended is below its name, as in [timer: hrtimer_wakeup].",
		.example = "db-2;main;commit;unlock_row;futex;do_futex;futex_wake;db-1 4000000",
		.meaning =
			"db-1 had slept for 4 s in all when db-2 woke it, each time from unlock_row in "
			"commit.",
	},
	{
		.view = "offwake",
		.reading =
			"offcpu and wakeup in one. From the bottom, in blue, where a thread waited; a box "
			"--; above it the stack of who ended the wait, upside down, its name on top. "
			"The two stacks meet where one woke the other.",
		.example =
			"db-1;main;lock_row;futex_wait;--;futex_wake;unlock_row;commit;main;db-2 4000000",
		.meaning =
			"db-1 waited for 4 s for a row; it was always db-2, at the end of a commit, that "
			"let it go.",
	},
	{
		.view = "chain",
		.reading =
			"As offwake, and above it who had woken the waker, and so on, as long as that "
			"explains the wait: a wakeup is a cause only if it happened while the sleeper "
			"slept. Read to the top: that is what everybody below has waited for. The last "
			"box says why there is no more: an interrupt, [was running], [fork], [depth].",
		.example =
			"db-1;main;lock_row;futex_wait;--;futex_wake;unlock_row;commit;main;db-2;--;"
			"io_complete;[softirq: blk_done_softirq] 3700000",
		.meaning =
			"Of the 4 s that db-1 waited for db-2, db-2 itself waited for the disk in 3.7 s: "
			"the lock is held across a write.",
	},
	{
		.view = "wall",
		.reading =
			"Width is all of the threads' time. [on-CPU] is the time that the scheduler measured, "
			"shared by the samples of it; [off-CPU] is as in offcpu. So running and waiting "
			"can be compared.",
		.example = "db;[off-CPU];main;commit;fsync 9000000\n"
			   "db;[on-CPU];main;commit;checksum 1000000",
		.meaning =
			"A commit takes ten times as long to wait as to compute: a faster CPU would not "
			"help.",
	},
	{
		.view = "faults",
		.reading =
			"Width is page faults; with --metric bytes, memory that became resident in them; with "
			"--metric us, the time that they took. record draws all three. Memory costs when it is "
			"touched, not when it is asked for: this graph, in bytes, is where resident memory "
			"comes from. Frames of the kernel on top: the fault was taken in a system call, or "
			"the call made the memory resident itself. [major fault]: it had to wait for a disk.",
		.example = "load;main;read_table;parse;memset 20000\n"
			   "load;main;map_index;lookup;[major fault] 300",
		.meaning =
			"20,000 pages of 4 KiB, 80 MiB, became resident as parse cleared its memory. 300 "
			"pages of the index had to be read from the disk, one by one.",
	},
	{
		.view = "brk",
		.reading =
			"Width is bytes by which the heap's end has moved, as brk() returned it. malloc grows the "
			"heap for small blocks and maps large ones: see mmap. With --outstanding, width is what "
			"of it is still there at the end of the run.",
		.example = "app;main;read_config;strdup;malloc;sysmalloc;__sbrk;brk 135168",
		.meaning =
			"The heap grew by 132 KiB, its usual step, when read_config copied a string: who asks "
			"last is not who has taken most. Many such stacks are a fair sample.",
	},
	{
		.view = "mmap",
		.reading =
			"Width is bytes that were mapped, with what mremap() has added. [file-backed]: of a file; "
			"else of nothing but memory. With --outstanding it is what was mapped in the run and "
			"not given back until its end: where a leak grows. Mappings without access "
			"(PROT_NONE) are addresses, not memory, and drawn with --reserved only.",
		.example = "app;main;serve;new_session;malloc;sysmalloc_mmap;mmap 52428800",
		.meaning =
			"With --outstanding: sessions have taken 50 MiB in this run that are still mapped.",
	},
};

const size_t nr_manuals = ARRAY_SIZE(manuals);
