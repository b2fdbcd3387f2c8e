/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regs_x86.h: registers of x86-64, and where a thread's user registers lie while it is in the
 * kernel. The layout is arch/x86/include/uapi/asm/ptrace.h's, which is an interface and never
 * changes.
 */
#ifndef REGS_X86_H
#define REGS_X86_H

struct pt_regs {
	unsigned long r15, r14, r13, r12;
	unsigned long bp, bx;
	unsigned long r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di;
	unsigned long orig_ax;
	unsigned long ip;
	unsigned long cs;
	unsigned long flags;
	unsigned long sp;
	unsigned long ss;
};
typedef struct pt_regs bpf_user_pt_regs_t;

#define REGS_MODE(r) ((r)->cs)
/* DWARF's numbers (psABI, figure 3.36) -> where they lie. */
#define REGS_COPY(to, r, read)                                                                     \
	do {                                                                                       \
		(to)[0] = read((r)->ax);                                                           \
		(to)[1] = read((r)->dx);                                                           \
		(to)[2] = read((r)->cx);                                                           \
		(to)[3] = read((r)->bx);                                                           \
		(to)[4] = read((r)->si);                                                           \
		(to)[5] = read((r)->di);                                                           \
		(to)[6] = read((r)->bp);                                                           \
		(to)[7] = read((r)->sp);                                                           \
		(to)[8] = read((r)->r8);                                                           \
		(to)[9] = read((r)->r9);                                                           \
		(to)[10] = read((r)->r10);                                                         \
		(to)[11] = read((r)->r11);                                                         \
		(to)[12] = read((r)->r12);                                                         \
		(to)[13] = read((r)->r13);                                                         \
		(to)[14] = read((r)->r14);                                                         \
		(to)[15] = read((r)->r15);                                                         \
		(to)[16] = read((r)->ip);                                                          \
	} while (0)

#define REGS_IP(r) ((r)->ip)
#define REGS_SP(r) ((r)->sp)
#define USER_IP	   ip
#define USER_SP	   sp
/* Where a function that has no frame yet returns to. */
#define USER_CALLER(r)                                                                             \
	({                                                                                         \
		u64 caller = 0;                                                                    \
		bpf_probe_read_user(&caller, sizeof(caller), (void *)(r)->sp);                     \
		caller;                                                                            \
	})

/*
 * System calls: arch/x86/entry/syscalls/syscall_64.tbl. The registers keep what they had when the
 * call was entered.
 */
enum { CALL_MMAP = 9, CALL_MUNMAP = 11, CALL_BRK = 12, CALL_MREMAP = 25 };
enum { CALL_EXECVE = 59, CALL_EXECVEAT = 322 };
enum { CALL_FUTEX = 202, CALL_POLL = 7, CALL_PPOLL = 271, CALL_WAIT4 = 61, CALL_WAITID = 247 };
enum { CALL_EPOLL_WAIT = 232, CALL_EPOLL_PWAIT = 281, CALL_EPOLL_PWAIT2 = 441 };
enum { CALL_NANOSLEEP = 35, CALL_CLOCK_NANOSLEEP = 230 };
/* Of a file, which is the first argument, and whose readiness or content they can wait for. */
#define CALLS_OF_A_FILE(X)                                                                         \
	X(0, read)                                                                                 \
	X(1, write)                                                                                \
	X(16, ioctl)                                                                               \
	X(17, pread64)                                                                             \
	X(18, pwrite64)                                                                            \
	X(19, readv)                                                                               \
	X(20, writev)                                                                              \
	X(40, sendfile)                                                                            \
	X(42, connect)                                                                             \
	X(43, accept)                                                                              \
	X(44, sendto)                                                                              \
	X(45, recvfrom)                                                                            \
	X(46, sendmsg)                                                                             \
	X(47, recvmsg)                                                                             \
	X(72, fcntl)                                                                               \
	X(73, flock)                                                                               \
	X(74, fsync)                                                                               \
	X(75, fdatasync)                                                                           \
	X(77, ftruncate)                                                                           \
	X(217, getdents64)                                                                         \
	X(275, splice)                                                                             \
	X(277, sync_file_range)                                                                    \
	X(285, fallocate)                                                                          \
	X(288, accept4)                                                                            \
	X(295, preadv)                                                                             \
	X(296, pwritev)                                                                            \
	X(299, recvmmsg)                                                                           \
	X(306, syncfs)                                                                             \
	X(307, sendmmsg)                                                                           \
	X(326, copy_file_range)                                                                    \
	X(327, preadv2)                                                                            \
	X(328, pwritev2)                                                                           \
	X(426, io_uring_enter)
enum { FIRST_CALL = CALL_MMAP };
#define CALL_NUMBER(r) ((r)->orig_ax)
#define CALL_FIRST(r)  ((r)->di)
#define CALL_SECOND(r) ((r)->si)
#define CALL_THIRD(r)  ((r)->dx)
#define CALL_FOURTH(r) ((r)->r10)
#define CALL_FIFTH(r)  ((r)->r8)

/*
 * TS_COMPAT: a 32-bit call is under way (arch/x86/include/asm/thread_info.h); i386's mmap() and
 * mmap2().
 */
#define IS_32_BIT_CALL(task)   ((task)->thread_info.status & 2)
#define IS_32_BIT_MMAP(number) ((number) == 90 || (number) == 192)

/* The current privilege level, in the code segment's low bits: 3 is user mode. */
#define MODE_IS_USER(mode) (((mode)&3) == 3)

/* arch/x86/include/asm/page_64_types.h, without KASAN. */
enum { THREAD_SIZE = 16 << 10 };

#endif
