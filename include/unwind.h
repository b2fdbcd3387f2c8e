/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind.h: from one frame of a user stack to its caller's, without frame pointers. One source for
 * two compilers: BPF walks live stacks with it, user space the copied ones.
 *
 * The problem. A compiler may free the frame pointer for other work; where the caller's registers
 * are then stands in .eh_frame, as a program for a small machine (DWARF 5 section 6.4; registers by
 * the psABIs of x86-64 and AArch64; encodings by LSB 5.0 Core section 10.6). src/unwind/ runs these
 * programs once a file and writes down their results as a table of rows:
 *
 *	from this byte of text on, the CFA (the stack pointer before the call) is rsp + 48,
 *	the return address is at CFA - 8, the caller's rbp at CFA - 16, its rbx at CFA - 24
 *
 * rbp because other frames' CFA is counted from it. rbx because _dl_runtime_resolve() counts from
 * it, and is below everything that a first call through the PLT does; it costs 1 % more rows
 * (libLLVM 2 %). Other registers are known in the leaf and in what a signal interrupted, and only
 * there.
 *
 * The table is an array of 32-bit words, in the space of file offsets, so that all processes that
 * map the file share it:
 *
 *	directory   nr_blocks + 1 words: the first row of each block of 1 KB of text
 *	rows        nr_rows words: offset in the block (10 bits), rule (22 bits)
 *	specials    nr_specials times WICK_SPECIAL_WORDS: rules that are rare or large
 *
 * A block begins with a row for its first byte (the rule in force is repeated), so that a lookup
 * needs the words of one block. Before its first row, or without one, the rule is WICK_RULE_NONE.
 * Over 2,200 binaries of Debian, 990 MB of code with unwind entries, a table has 49 bytes for each
 * KB of code.
 *
 * A rule:   kind (3 bits)  rbx (3)  rbp (3)  n (13)         for WICK_RULE_SP and WICK_RULE_FP
 *	     kind (3 bits)  argument (19)		     for the others
 *
 * Half of all rows would be pushes and pops, so a run of them is one row:
 *
 *	WICK_RULE_PUSHES  rbx (3)  rbp (3)  first n - 1 (3)  steps (10)
 *	WICK_RULE_POPS    rbx (3)  rbp (3)                   steps (13)
 *
 * Bit i of the steps: i + 1 bytes after the row, n changes by one. Pushes begin with the first n,
 * and a place holds from the push on that makes it (n > k); pops end with n = 1.
 *
 * A place of rbx or rbp is 0 when the caller's value is still in the register, else k, for the
 * word 8 (k + 1) bytes below the CFA: pushes put the six callee-saved registers into CFA - 16 ...
 * CFA - 56. n is the CFA's offset in words of 8. What does not fit is a special.
 *
 * AArch64 keeps the return address wherever the compiler likes; its rules are specials, which are
 * shared by all rows that need the same one.
 *
 * Nothing here fails in other ways than by an enum wick_end. Plain C types, no library, every loop
 * bounded: the BPF verifier reads it (in a bpf_loop() of 512 frames, registers in a map value and
 * words in an array's: 6,000 instructions on 6.18). `word`, `read` and `is_code` are functions of
 * the includer, inlined into these: the first returns a value, the others 0 for success.
 */
#ifndef WICK_UNWIND_H
#define WICK_UNWIND_H

#include "wick.h"

#define WICK_UNWIND_INLINE static inline __attribute__((always_inline, unused))

enum wick_rule_kind {
	WICK_RULE_NONE,	   /* no rows: a hole between functions, or code without any */
	WICK_RULE_SP,	   /* CFA = stack pointer + 8 * n */
	WICK_RULE_FP,	   /* CFA = frame pointer + 8 * n */
	WICK_RULE_SPECIAL, /* argument: which of the table's specials */
	WICK_RULE_ODD,	   /* argument: enum wick_odd */
	WICK_RULE_BAD,	   /* argument: enum wick_bad */
	WICK_RULE_PUSHES,  /* only in tables: a lookup makes WICK_RULE_SP of these two */
	WICK_RULE_POPS,
};

enum wick_odd {
	WICK_OUTERMOST, /* no caller: _start, the first function of a thread */
	WICK_SIGNAL,	/* the return from a signal handler: registers are in the signal frame */
	WICK_SWITCHED,	/* CFA = frame pointer + 16, which may be on another stack */
	WICK_PLT = 16,	/* + m, m below 16: CFA = rsp + 8, and + 8 more where (ip & 15) >= m */
};

/* Why a rule could not be expressed. */
enum wick_bad {
	WICK_BAD_CFA_EXPRESSION,   /* an expression for the CFA of a form that is not known here */
	WICK_BAD_PLACE_EXPRESSION, /* the same, for a register */
	WICK_BAD_REGISTER,	   /* a CFA or a value in a register beyond the general ones */
	WICK_BAD_OFFSET,	   /* does not fit into a special */
	WICK_BAD_STACK_POINTER,	   /* the caller's stack pointer is not the CFA */
	WICK_BAD_NO_CFA,	   /* the program never said where the CFA is */
	WICK_BAD_OPCODE,	   /* an unknown instruction */
	WICK_BAD_CUT,		   /* the program ends within an instruction */
	WICK_BAD_STATES,	   /* too many remembered states, or none to restore */
	WICK_BAD_TOO_MANY,	   /* more specials than the table's bound */
	WICK_NR_BADS,
};

enum {
	WICK_BLOCK_BITS = 10, /* of text in a block */
	WICK_RULE_BITS = 22,
	WICK_RULE_KIND_SHIFT = 19,
	WICK_RULE_BX_SHIFT = 16,
	WICK_RULE_FP_SHIFT = 13,
	WICK_RULE_N_MAX = (1 << 13) - 1,
	WICK_RULE_PLACE_MAX = 7,
	WICK_PUSHES_SPAN = 10,
	WICK_PUSHES_START_MAX = 8,
	WICK_POPS_SPAN = 13,
	WICK_RULE_ARGUMENT_MAX = (1 << WICK_RULE_KIND_SHIFT) - 1,
};
_Static_assert(WICK_BLOCK_BITS + WICK_RULE_BITS == 32, "a row is a word");

#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)
enum {
	WICK_REG_BX = 19, /* tracked as rbx is; nothing is known to need it */
	WICK_UNWIND_X86 = 0,
	WICK_SIGNAL_REGS = 312, /* rt_sigframe: siginfo 128, then mcontext's registers at 184 */
};
/* Bits of a return address that are pointer authentication's, or a tag's. */
#define WICK_CODE_MASK ((1ull << 48) - 1)
#else
enum {
	WICK_REG_BX = 3,
	WICK_UNWIND_X86 = 1,
	WICK_SIGNAL_REGS = 40, /* rt_sigframe: ucontext's registers, seen from the handler's CFA */
};
#define WICK_CODE_MASK (~0ull)
#endif

/* Where a special has a register of the caller's. */
enum wick_place {
	WICK_PLACE_KEPT,	/* where it was */
	WICK_PLACE_AT_CFA,	/* in memory at CFA + value */
	WICK_PLACE_AT_FP,	/* in memory at this frame's frame pointer + value */
	WICK_PLACE_IN_REGISTER, /* in the register with that number */
};

/* As it lies in the table's words. */
struct wick_unwind_special {
	__u8 base;  /* register: CFA = base + offset ... */
	__u8 deref; /* ... or the word that lies there, + add */
	__s16 add;
	__s32 offset;
	__u8 ra_place, fp_place, bx_place; /* enum wick_place */
	__u8 pad;
	__s32 ra, fp, bx;
};
enum {
	WICK_SPECIAL_WORDS = 6,
};
_Static_assert(sizeof(struct wick_unwind_special) == 4 * WICK_SPECIAL_WORDS, "no padding");

/* What one has to know of a table beside its words. */
struct wick_unwind_shape {
	__u32 first_block; /* file offset >> WICK_BLOCK_BITS */
	__u32 nr_blocks;
	__u32 nr_rows;
	__u32 nr_specials;
};

/*
 * A part of a table that BPF walks with: a table of its own, in a chunk's words. The rows come and
 * go, by a store to `place`; the shape is the same as long as there is a file to find it by. BPF
 * notes when it was there. All of that is one cache line.
 */
struct wick_region {
	__u32 place; /* of the rows, with WICK_ROWS_HERE; 0: not there */
	__u32 used;  /* the clock of unwind_rows.h when they were */
	__u32 met;   /* a file's first region: when the file was looked up */
	__u32 pad;
	struct wick_unwind_shape shape;
};
_Static_assert(sizeof(struct wick_region) == 32, "half a cache line");

/* A frame. Its own registers where it was interrupted, those after the call where it called. */
struct wick_unwind_regs {
	__u64 ip;
	__u64 reg[WICK_UNWIND_REGS];
	__u32 known; /* bit i: reg[i] is this frame's; in the leaf all are */
	__u32 exact; /* ip is the next instruction of an interrupted frame, no return address */
	/*
	 * The frame pointer was read from the frame that the one before pointed at. The walkers
	 * clear it in a file's code: only a runtime's own is known to keep frame pointers.
	 */
	__u32 chained;
};

enum {
	WICK_UNWIND_ON = -1, /* a step's result when it is no enum wick_end: there is a caller */
};

/* Word `at` of a table's words; any value for one beyond the end. */
typedef __u32 (*wick_unwind_word)(const void *words, __u32 at);
/* Reads the 8 bytes at a user address. */
typedef long (*wick_unwind_read)(void *ctx, __u64 address, __u64 *value);
/* Whether an address is in executable memory: 0 when it is. */
typedef long (*wick_unwind_is_code)(void *ctx, __u64 address);

WICK_UNWIND_INLINE __u32 wick_rule(__u32 kind, __u32 argument)
{
	return kind << WICK_RULE_KIND_SHIFT | argument;
}

WICK_UNWIND_INLINE __u32 wick_rule_kind(__u32 rule)
{
	return rule >> WICK_RULE_KIND_SHIFT & 7;
}

WICK_UNWIND_INLINE __u32 wick_rule_argument(__u32 rule)
{
	return rule & WICK_RULE_ARGUMENT_MAX;
}

WICK_UNWIND_INLINE __u32 wick_rule_outermost(void)
{
	return wick_rule(WICK_RULE_ODD, WICK_OUTERMOST);
}

/* The address whose rule and whose function a frame has: a call's last byte, for a caller. */
WICK_UNWIND_INLINE __u64 wick_unwind_address(const struct wick_unwind_regs *regs)
{
	return regs->exact ? regs->ip : regs->ip - 1;
}

/* How many of the low 16 bits are set. */
WICK_UNWIND_INLINE __u32 wick_unwind_bits(__u32 x)
{
	x = x - (x >> 1 & 0x5555);
	x = (x & 0x3333) + (x >> 2 & 0x3333);
	x = (x + (x >> 4)) & 0x0f0f;
	return (x + (x >> 8)) & 0x1f;
}

/*
 * What WICK_RULE_PUSHES and WICK_RULE_POPS are `distance` bytes after their row; other rules as
 * they are.
 */
WICK_UNWIND_INLINE __u32 wick_unwind_ramp(__u32 rule, __u32 distance)
{
	__u32 passed = distance < 16 ? (1u << distance) - 1 : 0xffff;
	__u32 fp = rule >> WICK_RULE_FP_SHIFT & WICK_RULE_PLACE_MAX;
	__u32 bx = rule >> WICK_RULE_BX_SHIFT & WICK_RULE_PLACE_MAX;
	__u32 steps, n;

	if (wick_rule_kind(rule) == WICK_RULE_POPS) {
		steps = rule & ((1u << WICK_POPS_SPAN) - 1);
		n = 1 + wick_unwind_bits(steps & ~passed);
	} else if (wick_rule_kind(rule) == WICK_RULE_PUSHES) {
		steps = rule & ((1u << WICK_PUSHES_SPAN) - 1);
		n = 1 + (rule >> WICK_PUSHES_SPAN & 7) + wick_unwind_bits(steps & passed);
		fp = n > fp ? fp : 0;
		bx = n > bx ? bx : 0;
	} else {
		return rule;
	}
	return wick_rule(WICK_RULE_SP, bx << WICK_RULE_BX_SHIFT | fp << WICK_RULE_FP_SHIFT | n);
}

/* The rule in force at a file offset. */
WICK_UNWIND_INLINE __u32 wick_unwind_lookup(const struct wick_unwind_shape *shape,
					    wick_unwind_word word, const void *words, __u64 offset)
{
	__u64 block = (offset >> WICK_BLOCK_BITS) - shape->first_block;
	__u32 at = offset & ((1u << WICK_BLOCK_BITS) - 1);
	__u32 row, nr, found;

	if (block >= shape->nr_blocks) /* also what lies before the first */
		return wick_rule(WICK_RULE_NONE, 0);
	row = word(words, block);
	nr = word(words, block + 1) - row;
	if (!nr || nr > 1u << WICK_BLOCK_BITS)
		return wick_rule(WICK_RULE_NONE, 0);
	row += shape->nr_blocks + 1;
	for (int i = 0; i < WICK_BLOCK_BITS && nr > 1; i++) {
		__u32 half = nr >> 1;

		if (word(words, row + half) >> WICK_RULE_BITS <= at)
			row += half;
		nr -= half;
	}
	found = word(words, row);
	if (found >> WICK_RULE_BITS > at)
		return wick_rule(WICK_RULE_NONE, 0);
	return wick_unwind_ramp(found & ((1u << WICK_RULE_BITS) - 1),
				at - (found >> WICK_RULE_BITS));
}

/* The special that a rule names; false when the table has no such. */
WICK_UNWIND_INLINE _Bool wick_unwind_special(const struct wick_unwind_shape *shape,
					     wick_unwind_word word, const void *words, __u32 rule,
					     struct wick_unwind_special *special)
{
	union {
		__u32 word[WICK_SPECIAL_WORDS];
		struct wick_unwind_special special;
	} copy;
	__u32 which = wick_rule_argument(rule);
	__u32 at = shape->nr_blocks + 1 + shape->nr_rows + which * WICK_SPECIAL_WORDS;

	if (which >= shape->nr_specials)
		return 0;
	for (int i = 0; i < WICK_SPECIAL_WORDS; i++)
		copy.word[i] = word(words, at + i);
	*special = copy.special;
	return 1;
}

/*
 * Whether a return address of 0 is an end. A thread has return addresses up to a row that says that
 * there is none. Coroutines that are begun by hand (Ruby's fibers, Julia's tasks) have a 0 instead,
 * at the very end of the pages that are their stack, and a frame pointer of 0. Any other 0 is a
 * word that was taken for a return address: LuaJIT's interpreter has a wrong row.
 */
WICK_UNWIND_INLINE _Bool wick_unwind_is_bottom(__u64 cfa, __u64 fp)
{
	enum { PAGE = 4096, BEGUN_WITH = 64 };

	return !fp && (-cfa & (PAGE - 1)) < BEGUN_WITH;
}

/*
 * The caller becomes the frame. A caller's frame lies above, so a walk cannot go in circles; only
 * a leaf may have nothing on the stack: AArch64's, and code that returns by a jump.
 */
WICK_UNWIND_INLINE int wick_unwind_return(struct wick_unwind_regs *regs, __u64 cfa, __u64 ra,
					  __u64 fp, __u64 bx)
{
	_Bool empty = cfa == regs->reg[WICK_REG_SP] && regs->exact;

	if (cfa <= regs->reg[WICK_REG_SP] && !empty)
		return WICK_BAD_FRAME;
	ra &= WICK_CODE_MASK;
	if (!ra)
		return wick_unwind_is_bottom(cfa, fp) ? WICK_COMPLETE : WICK_BAD_FRAME;
	regs->ip = ra;
	regs->reg[WICK_REG_SP] = cfa;
	regs->reg[WICK_REG_FP] = fp;
	regs->reg[WICK_REG_BX] = bx;
	regs->known &= 1u << WICK_REG_SP | 1u << WICK_REG_FP | 1u << WICK_REG_BX;
	regs->exact = 0;
	regs->chained = 0;
	return WICK_UNWIND_ON;
}

/* WICK_RULE_SP and WICK_RULE_FP: the return address is at CFA - 8. */
WICK_UNWIND_INLINE int wick_unwind_step_plain(__u32 rule, struct wick_unwind_regs *regs,
					      wick_unwind_read read, void *ctx)
{
	__u32 kind = wick_rule_kind(rule);
	__u64 fp = regs->reg[WICK_REG_FP], bx = regs->reg[WICK_REG_BX];
	__u64 cfa = kind == WICK_RULE_FP ? fp : regs->reg[WICK_REG_SP];
	__u32 fp_place = rule >> WICK_RULE_FP_SHIFT & WICK_RULE_PLACE_MAX;
	__u32 bx_place = rule >> WICK_RULE_BX_SHIFT & WICK_RULE_PLACE_MAX;
	__u64 ra;

	cfa += 8 * (__u64)(rule & WICK_RULE_N_MAX);
	if (cfa <= regs->reg[WICK_REG_SP])
		return WICK_BAD_FRAME;
	if (read(ctx, cfa - 8, &ra))
		return WICK_UNREADABLE;
	if (fp_place && read(ctx, cfa - 8 * (__u64)(fp_place + 1), &fp))
		return WICK_UNREADABLE;
	if (bx_place && read(ctx, cfa - 8 * (__u64)(bx_place + 1), &bx))
		return WICK_UNREADABLE;
	return wick_unwind_return(regs, cfa, ra, fp, bx);
}

/* A register of the caller's into *value, which holds the frame's own. */
WICK_UNWIND_INLINE int wick_unwind_fetch(const struct wick_unwind_regs *regs, __u64 cfa, __u8 place,
					 __s32 where, wick_unwind_read read, void *ctx,
					 __u64 *value)
{
	__u32 number = where & (WICK_UNWIND_REGS - 1);

	if (place == WICK_PLACE_KEPT)
		return WICK_UNWIND_ON;
	if (place == WICK_PLACE_IN_REGISTER) {
		if (!(regs->known >> number & 1))
			return WICK_NO_UNWIND_INFO;
		*value = regs->reg[number];
		return WICK_UNWIND_ON;
	}
	if (place == WICK_PLACE_AT_FP)
		cfa = regs->reg[WICK_REG_FP];
	return read(ctx, cfa + (__s64)where, value) ? WICK_UNREADABLE : WICK_UNWIND_ON;
}

WICK_UNWIND_INLINE int wick_unwind_step_special(const struct wick_unwind_special *special,
						struct wick_unwind_regs *regs,
						wick_unwind_read read, void *ctx)
{
	__u64 ra = 0, fp = regs->reg[WICK_REG_FP], bx = regs->reg[WICK_REG_BX];
	__u32 base = special->base & (WICK_UNWIND_REGS - 1);
	__u64 cfa = regs->reg[base] + (__s64)special->offset;
	int end;

	if (!(regs->known >> base & 1))
		return WICK_NO_UNWIND_INFO;
	if (special->deref) {
		if (read(ctx, cfa, &cfa))
			return WICK_UNREADABLE;
		cfa += (__s64)special->add;
	}
	end = wick_unwind_fetch(regs, cfa, special->ra_place, special->ra, read, ctx, &ra);
	if (end == WICK_UNWIND_ON)
		end = wick_unwind_fetch(regs, cfa, special->fp_place, special->fp, read, ctx, &fp);
	if (end == WICK_UNWIND_ON)
		end = wick_unwind_fetch(regs, cfa, special->bx_place, special->bx, read, ctx, &bx);
	if (end != WICK_UNWIND_ON)
		return end;
	return wick_unwind_return(regs, cfa, ra, fp, bx);
}

/* Where x86-64's signal frame has register i, in words: r8 ... r15, rdi rsi rbp rbx rdx rax rcx rsp
 * rip. */
WICK_UNWIND_INLINE __u32 wick_unwind_signal_word(__u32 i)
{
	/* rax rdx rcx rbx rsi rdi rbp rsp: 13 12 14 11 9 8 10 15, four bits each */
	return i < 8 ? 0xfa89becdull >> 4 * i & 15 : i - 8;
}

/*
 * A signal's frame: all the registers of what it interrupted, as the kernel saved them
 * (arch/x86/include/asm/sigframe.h, arch/arm64/kernel/signal.c). Its stack may lie anywhere: the
 * handler may have run on one of its own.
 */
WICK_UNWIND_INLINE int wick_unwind_step_signal(struct wick_unwind_regs *regs, wick_unwind_read read,
					       void *ctx)
{
	__u64 at = regs->reg[WICK_REG_SP] + WICK_SIGNAL_REGS;
	__u64 ip;

	if (read(ctx, at + 8 * (WICK_UNWIND_X86 ? 16 : 32), &ip))
		return WICK_UNREADABLE;
	for (__u32 i = 0; i < WICK_UNWIND_REGS; i++) {
		__u32 word = WICK_UNWIND_X86 ? wick_unwind_signal_word(i) : i;

		if (read(ctx, at + 8 * word, &regs->reg[i]))
			return WICK_UNREADABLE;
	}
	regs->ip = ip;
	regs->known = WICK_ALL_REGS;
	regs->exact = 1;
	return WICK_UNWIND_ON;
}

/*
 * One frame up by a rule of the table. WICK_RULE_NONE is WICK_NO_UNWIND_INFO: try
 * wick_unwind_step_fp(). Whether the new ip is code is for the walker to find out: it looks up its
 * mapping anyway.
 */
WICK_UNWIND_INLINE int wick_unwind_step(const struct wick_unwind_shape *shape,
					wick_unwind_word word, const void *words, __u32 rule,
					struct wick_unwind_regs *regs, wick_unwind_read read,
					void *ctx)
{
	struct wick_unwind_special special;
	__u32 kind = wick_rule_kind(rule);

	if (kind == WICK_RULE_ODD) {
		__u32 odd = wick_rule_argument(rule);

		if (odd == WICK_OUTERMOST)
			return WICK_COMPLETE;
		if (odd == WICK_SIGNAL)
			return wick_unwind_step_signal(regs, read, ctx);
		kind = WICK_RULE_SP;
		rule = wick_rule(kind, (regs->ip & 15) >= odd - WICK_PLT ? 2 : 1);
		if (odd == WICK_SWITCHED) {
			kind = WICK_RULE_FP;
			rule = wick_rule(kind, 1u << WICK_RULE_FP_SHIFT | 2);
			regs->reg[WICK_REG_SP] = 0; /* nothing is above or below it */
		}
	}
	if (kind == WICK_RULE_SP || kind == WICK_RULE_FP)
		return wick_unwind_step_plain(rule, regs, read, ctx);
	if (kind != WICK_RULE_SPECIAL || !wick_unwind_special(shape, word, words, rule, &special))
		return WICK_NO_UNWIND_INFO;
	return wick_unwind_step_special(&special, regs, read, ctx);
}

/* Whether the 8 bytes of code before an address end in a call: e8 rel32, or ff /2 with its operand.
 */
WICK_UNWIND_INLINE _Bool wick_unwind_ends_in_call(__u64 code)
{
	return (code >> 24 & 0xff) == 0xe8 || (code >> 48 & 0x38ff) == 0x10ff ||
	       (code >> 40 & 0x38ff) == 0x10ff || (code >> 32 & 0x38ff) == 0x10ff ||
	       (code >> 16 & 0x38ff) == 0x10ff || (code >> 8 & 0x38ff) == 0x10ff;
}

/*
 * A leaf on its way in or out has no frame of its own, or half of one: at `push rbp` and at `ret`
 * the return address is at sp, at `mov rbp, rsp` at sp + 8. How many bytes above sp it is, by the
 * code at the leaf; -1: neither.
 */
WICK_UNWIND_INLINE int wick_unwind_leaf_offset(__u64 ip, wick_unwind_read read, void *ctx)
{
	__u64 code, before;

	if (read(ctx, ip, &code))
		return -1;
	if ((code & 0xffffffff) == 0xfa1e0ff3) /* endbr64 */
		code >>= 32;
	if ((code & 0xff) == 0x55 || (code & 0xff) == 0xc3 || (code & 0xffff) == 0xc3f3)
		return 0;
	if ((code & 0xffffff) != 0xe58948 && (code & 0xffffff) != 0xec8b48)
		return -1;
	return read(ctx, ip - 8, &before) || before >> 56 != 0x55 ? -1 : 8;
}

/* A leaf's return address at sp + offset; for offset 8 the caller's rbp is below it. */
WICK_UNWIND_INLINE int wick_unwind_step_leaf(struct wick_unwind_regs *regs, int offset,
					     wick_unwind_read read, wick_unwind_is_code is_code,
					     void *ctx)
{
	__u64 sp = regs->reg[WICK_REG_SP], fp = regs->reg[WICK_REG_FP], ra;

	if (read(ctx, sp + offset, &ra) || (offset && read(ctx, sp, &fp)))
		return WICK_UNREADABLE;
	if (is_code(ctx, ra))
		return WICK_BAD_FRAME;
	return wick_unwind_return(regs, sp + offset + 8, ra, fp, regs->reg[WICK_REG_BX]);
}

/* A leaf that never had a frame (assembly): at sp is an address just after a call. */
WICK_UNWIND_INLINE int wick_unwind_step_frameless(struct wick_unwind_regs *regs,
						  wick_unwind_read read,
						  wick_unwind_is_code is_code, void *ctx)
{
	__u64 ra, code;

	if (!regs->exact || !WICK_UNWIND_X86 || read(ctx, regs->reg[WICK_REG_SP], &ra) ||
	    is_code(ctx, ra) || read(ctx, ra - 8, &code) || !wick_unwind_ends_in_call(code))
		return WICK_BAD_FRAME;
	return wick_unwind_step_leaf(regs, 0, read, is_code, ctx);
}

/*
 * Whether what lies at a frame pointer can be a frame: a return address, and a frame pointer
 * further up. Or another value, for a caller without frame pointers may use the register as it
 * likes; then the return address must follow a call.
 */
WICK_UNWIND_INLINE _Bool wick_unwind_is_frame(__u64 fp, __u64 next, __u64 ra, wick_unwind_read read,
					      wick_unwind_is_code is_code, void *ctx)
{
	__u64 code;

	if (is_code(ctx, ra))
		return 0;
	if (!next || next > fp)
		return 1;
	return WICK_UNWIND_X86 && !read(ctx, ra - 8, &code) && wick_unwind_ends_in_call(code);
}

/*
 * The return from a signal handler by its code, where it has no unwind entry: musl's on x86-64 (mov
 * $15, %rax; syscall), the vdso's on arm64 (bti c where there is that; mov x8, #139; svc #0), whose
 * entry is left out on purpose (arch/arm64/kernel/vdso/sigreturn.S).
 */
WICK_UNWIND_INLINE _Bool wick_unwind_is_sigreturn(const struct wick_unwind_regs *regs,
						  wick_unwind_read read, void *ctx)
{
	__u64 code;

	if (regs->exact || read(ctx, regs->ip, &code))
		return 0;
	if (WICK_UNWIND_X86)
		return code == 0x0f0000000fc0c748ull;
	if ((__u32)code == 0xd503245fu && read(ctx, regs->ip + 4, &code))
		return 0;
	return code == 0xd4000001d2801168ull;
}

/*
 * A new thread or spawned child, where it returns from clone() or clone3() with 0. It runs on a
 * stack on which nothing lies yet, so what brought the parent here is not its caller; C libraries
 * give this code no unwind entry on purpose. What follows the system call tells it from others that
 * return 0: in glibc `test %rax,%rax; jl`, in musl `test %eax,%eax; jnz; xor %ebp,%ebp`, in Go `cmp
 * $0,%rax; je`.
 */
WICK_UNWIND_INLINE _Bool wick_unwind_is_birth(const struct wick_unwind_regs *regs,
					      wick_unwind_read read, void *ctx)
{
	__u64 code;

	if (!WICK_UNWIND_X86 || !regs->exact || regs->reg[0] || read(ctx, regs->ip - 2, &code))
		return 0;
	return (code & 0xffffffffffffull) == 0x7cc08548050full ||
	       (code & 0xffffffffffffffull) == 0x8c0fc08548050full ||
	       (code & 0xffff00ffffffffffull) == 0xed310075c085050full ||
	       (code & 0xffffffffffffffull) == 0x7400f88348050full;
}

/*
 * One frame up where no row tells how: by frame pointer, [fp] being the caller's and [fp + 8] the
 * return address on x86-64 and AArch64 alike. Code without frame pointers has other things in that
 * register, so it must be aligned and above the stack pointer, and the outermost frame's is 0
 * (psABI).
 */
WICK_UNWIND_INLINE int wick_unwind_step_fp(struct wick_unwind_regs *regs, wick_unwind_read read,
					   wick_unwind_is_code is_code, void *ctx)
{
	__u64 fp = regs->reg[WICK_REG_FP], next, ra;
	int offset = -1, end;

	if (wick_unwind_is_sigreturn(regs, read, ctx))
		return wick_unwind_step_signal(regs, read, ctx);
	if (wick_unwind_is_birth(regs, read, ctx))
		return WICK_COMPLETE;
	if (WICK_UNWIND_X86 && regs->exact)
		offset = wick_unwind_leaf_offset(regs->ip, read, ctx);
	if (offset >= 0 &&
	    wick_unwind_step_leaf(regs, offset, read, is_code, ctx) == WICK_UNWIND_ON)
		return WICK_UNWIND_ON;
	/*
	 * A 0 ends a chain of frame pointers; elsewhere it is just a value, of code that keeps
	 * none.
	 */
	if (!fp && !regs->exact)
		return regs->chained ? WICK_COMPLETE : WICK_NO_UNWIND_INFO;
	if (fp % 8 || fp < regs->reg[WICK_REG_SP])
		return wick_unwind_step_frameless(regs, read, is_code, ctx);
	if (read(ctx, fp, &next) || read(ctx, fp + 8, &ra))
		return regs->exact ? wick_unwind_step_frameless(regs, read, is_code, ctx)
				   : WICK_UNREADABLE;
	if (!(ra & WICK_CODE_MASK) && !regs->exact)
		return regs->chained ? WICK_COMPLETE : WICK_NO_UNWIND_INFO;
	if (!wick_unwind_is_frame(fp, next, ra & WICK_CODE_MASK, read, is_code, ctx))
		return wick_unwind_step_frameless(regs, read, is_code, ctx);
	end = wick_unwind_return(regs, fp + 16, ra, next, regs->reg[WICK_REG_BX]);
	regs->chained = end == WICK_UNWIND_ON;
	return end;
}

#endif
