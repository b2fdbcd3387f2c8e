/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_calls.c: the program that the kernel runs at each system call of a parser
 * (Documentation/userspace-api/seccomp_filter.rst):
 *
 *	another architecture		kill
 *	one of `plain`			allow
 *	mmap, mprotect			allow unless it asks for PROT_EXEC
 *	fcntl				allow to add seals
 *	open, readlink and their like	an error: libdw looks for more files by itself
 *	else				kill
 *
 * The list is what parsing takes: reading what is open, writing answers, memory. Linked
 * dynamically or not, with glibc 2.31 to 2.41: `newfstatat` is how some of these do fstat(), and
 * sysinfo() is how qsort() asks how much memory there is.
 */
#include "filter_calls.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "base/base.h"

#if defined(__aarch64__)
#define OWN_ARCH AUDIT_ARCH_AARCH64
#else
#define OWN_ARCH AUDIT_ARCH_X86_64
#endif

static const u32 plain[] = {
	/* what is open */
	SYS_read,
	SYS_pread64,
	SYS_fstat,
	SYS_newfstatat,
	SYS_close,
	/* answers */
	SYS_recvmsg,
	SYS_sendmsg,
	SYS_write,
	SYS_pwrite64,
	SYS_ftruncate,
	/* memory */
	SYS_munmap,
	SYS_mremap,
	SYS_brk,
	SYS_madvise,
	/* what the C library does by itself */
	SYS_futex,
	SYS_clock_gettime,
	SYS_sched_yield,
	SYS_sysinfo,
	SYS_getrandom,
	SYS_rt_sigreturn,
	SYS_restart_syscall,
	SYS_exit,
	SYS_exit_group,
};

/* There is nothing to be found. */
static const u32 refused[] = {
	SYS_openat, SYS_readlinkat, SYS_faccessat,
#ifdef SYS_open
	SYS_open,   SYS_readlink,   SYS_access,	   SYS_stat,
#endif
};

/* Calls of which one argument's low word decides. */
static const struct guarded {
	u32 call, argument;
	u32 forbidden; /* bits; 0: it has to be `wanted` */
	u32 wanted;
} guarded[] = {
	{SYS_mmap, 2, PROT_EXEC, 0},
	{SYS_mprotect, 2, PROT_EXEC, 0},
	{SYS_fcntl, 1, 0, F_ADD_SEALS},
};

enum { MAX_STEPS = 8 + 2 * (ARRAY_SIZE(plain) + ARRAY_SIZE(refused)) + 6 * ARRAY_SIZE(guarded) };

struct program {
	struct sock_filter steps[MAX_STEPS];
	unsigned short nr;
};

static void add(struct program *p, struct sock_filter step)
{
	assert(p->nr < MAX_STEPS);
	p->steps[p->nr++] = step;
}

static void load(struct program *p, size_t offset)
{
	add(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (u32)offset));
}

static void result(struct program *p, u32 action)
{
	add(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, action));
}

/* Unless the loaded word is `value`, `skipped` steps are. */
static void unless(struct program *p, u32 value, u8 skipped)
{
	add(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped));
}

static void add_guarded(struct program *p, const struct guarded *g)
{
	unless(p, g->call, 4);
	load(p, offsetof(struct seccomp_data, args) + g->argument * sizeof(u64));
	if (g->forbidden)
		add(p,
		    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, g->forbidden, 1, 0));
	else
		unless(p, g->wanted, 1);
	result(p, SECCOMP_RET_ALLOW);
	result(p, SECCOMP_RET_KILL_PROCESS);
}

int filter_calls(void)
{
	struct program p = {};
	struct sock_fprog filter = {.filter = p.steps};

	load(&p, offsetof(struct seccomp_data, arch));
	add(&p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0));
	result(&p, SECCOMP_RET_KILL_PROCESS);
	load(&p, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < ARRAY_SIZE(plain); i++) {
		unless(&p, plain[i], 1);
		result(&p, SECCOMP_RET_ALLOW);
	}
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++) {
		unless(&p, refused[i], 1);
		result(&p, SECCOMP_RET_ERRNO | ENOENT);
	}
	for (size_t i = 0; i < ARRAY_SIZE(guarded); i++)
		add_guarded(&p, &guarded[i]);
	result(&p, SECCOMP_RET_KILL_PROCESS);
	filter.len = p.nr;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) ? -errno : 0;
}
