/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regs_arm64.h: registers of AArch64, and where a thread's user registers lie while it is in the kernel.
 * The layout is arch/arm64/include/uapi/asm/ptrace.h's (struct user_pt_regs), an interface.
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

/* What the kernel pushes begins with the interface's part and is longer: its size comes from BTF. */
struct pt_regs {
	unsigned long regs[31];
} __attribute__((preserve_access_index));

#define REGS_MODE(r) ((r)->pstate)
/* Only what a walk takes, in the places that wick.h gives them. */
#define REGS_COPY(to, r, read)                                                                     \
	do {                                                                                       \
		for (int reg = 0; reg < WICK_NR_REGS; reg++)                                       \
			(to)[reg] = 0;                                                             \
		(to)[6] = read((r)->regs[29]);                                                     \
		(to)[7] = read((r)->sp);                                                           \
		(to)[15] = read((r)->regs[30]);                                                    \
		(to)[16] = read((r)->pc);                                                          \
	} while (0)

/* PSR_MODE_EL0t: the exception level in pstate's low bits is 0. */
#define MODE_IS_USER(mode) (((mode)&0xf) == 0)

/* arch/arm64/include/asm/memory.h, with pages of 4 KB and without KASAN. */
enum { THREAD_SIZE = 16 << 10 };

#endif
