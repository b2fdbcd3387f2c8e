/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regs_arm64.h: registers of AArch64, and where a thread's user registers lie while it is in the
 * kernel. The layout is arch/arm64/include/uapi/asm/ptrace.h's (struct user_pt_regs), an interface.
 */
#ifndef REGS_ARM64_H
#define REGS_ARM64_H

struct user_pt_regs {
	unsigned long regs[31];
	unsigned long sp;
	unsigned long pc;
	unsigned long pstate;
};
typedef struct user_pt_regs bpf_user_pt_regs_t;

/*
 * What the kernel pushes begins with the interface's part and is longer: its size comes from BTF.
 */
struct pt_regs {
	unsigned long regs[31];
	u64 sp;
	u64 pc;
	u64 orig_x0;
	s32 syscallno;
} __attribute__((preserve_access_index));

#define REGS_MODE(r) ((r)->pstate)
/*
 * DWARF's numbers are the machine's own. One by one: the verifier takes no offset into a context
 * that has been computed.
 */
#define REGS_COPY(to, r, read)                                                                     \
	do {                                                                                       \
		_Pragma("unroll") for (int reg = 0; reg < 31; reg++)                               \
		{                                                                                  \
			(to)[reg] = read((r)->regs[reg]);                                          \
		}                                                                                  \
		(to)[31] = read((r)->sp);                                                          \
		(to)[32] = read((r)->pc);                                                          \
	} while (0)

#define REGS_IP(r) ((r)->pc)
#define REGS_SP(r) ((r)->sp)
#define USER_IP	   pc
#define USER_SP	   sp
/* Where a function that has no frame yet returns to. */
#define USER_CALLER(r) ((u64)(r)->regs[30])

/*
 * System calls: include/uapi/asm-generic/unistd.h. The first argument's register has the result in
 * the end.
 */
enum { CALL_BRK = 214, CALL_MUNMAP = 215, CALL_MREMAP = 216, CALL_MMAP = 222 };
enum { CALL_EXECVE = 221, CALL_EXECVEAT = 281 };
enum { CALL_FUTEX = 98, CALL_PPOLL = 73, CALL_WAIT4 = 260, CALL_WAITID = 95 };
enum { CALL_EPOLL_PWAIT = 22, CALL_EPOLL_PWAIT2 = 441 };
enum { CALL_NANOSLEEP = 101, CALL_CLOCK_NANOSLEEP = 115 };
/* There are no older ones of these. */
enum { CALL_POLL = CALL_PPOLL, CALL_EPOLL_WAIT = CALL_EPOLL_PWAIT };
/* Of a file, which is the first argument, and whose readiness or content they can wait for. */
#define CALLS_OF_A_FILE(X)                                                                         \
	X(25, fcntl)                                                                               \
	X(29, ioctl)                                                                               \
	X(32, flock)                                                                               \
	X(46, ftruncate)                                                                           \
	X(47, fallocate)                                                                           \
	X(61, getdents64)                                                                          \
	X(63, read)                                                                                \
	X(64, write)                                                                               \
	X(65, readv)                                                                               \
	X(66, writev)                                                                              \
	X(67, pread64)                                                                             \
	X(68, pwrite64)                                                                            \
	X(69, preadv)                                                                              \
	X(70, pwritev)                                                                             \
	X(71, sendfile)                                                                            \
	X(76, splice)                                                                              \
	X(82, fsync)                                                                               \
	X(83, fdatasync)                                                                           \
	X(84, sync_file_range)                                                                     \
	X(202, accept)                                                                             \
	X(203, connect)                                                                            \
	X(206, sendto)                                                                             \
	X(207, recvfrom)                                                                           \
	X(211, sendmsg)                                                                            \
	X(212, recvmsg)                                                                            \
	X(242, accept4)                                                                            \
	X(243, recvmmsg)                                                                           \
	X(267, syncfs)                                                                             \
	X(269, sendmmsg)                                                                           \
	X(285, copy_file_range)                                                                    \
	X(286, preadv2)                                                                            \
	X(287, pwritev2)                                                                           \
	X(426, io_uring_enter)
enum { FIRST_CALL = CALL_BRK };
#define CALL_NUMBER(r) ((r)->syscallno)
#define CALL_FIRST(r)  ((r)->orig_x0)
#define CALL_SECOND(r) ((r)->regs[1])
#define CALL_THIRD(r)  ((r)->regs[2])
#define CALL_FOURTH(r) ((r)->regs[3])
#define CALL_FIFTH(r)  ((r)->regs[4])

/* TIF_32BIT (arch/arm64/include/asm/thread_info.h); 32-bit Arm's mmap2(). */
#define IS_32_BIT_CALL(task)   ((task)->thread_info.flags & 1 << 22)
#define IS_32_BIT_MMAP(number) ((number) == 192)

/* PSR_MODE_EL0t: the exception level in pstate's low bits is 0. */
#define MODE_IS_USER(mode) (((mode)&0xf) == 0)

/* arch/arm64/include/asm/memory.h, with pages of 4 KB and without KASAN. */
enum { THREAD_SIZE = 16 << 10 };

#endif
