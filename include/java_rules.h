/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java_rules.h: what java.h knows of a blob becomes a rule of unwind.h for one of its frames. One
 * source for two compilers: BPF and the helper that reads a VM's memory.
 */
#ifndef WICK_JAVA_RULES_H
#define WICK_JAVA_RULES_H

#include "unwind.h"

/* By the frame pointer, as other code that no file has. */
#define WICK_JAVA_BY_FP 0u

enum {
	WICK_JAVA_BEFORE = 4, /* bytes of code before the interrupted instruction, of ... */
	WICK_JAVA_CODE = 28,  /* ... so many that are looked at */
	WICK_JAVA_MAX_ARGUMENTS = 8 * 256, /* bytes that are pushed for an interpreted method */
};

/* Names of blobs, their first 8 bytes. */
#define WICK_JAVA_INTERPRETER 0x6572707265746e49ull /* "Interpre" */
#define WICK_JAVA_ADAPTER     0x204332432f433249ull /* "I2C/C2I " */
#define WICK_JAVA_VTABLE      0x6320656c62617476ull /* "vtable c" */

/* The frame pointer is in the register still, or at CFA - 16. */
enum { WICK_JAVA_FP_KEPT = 0, WICK_JAVA_FP_SAVED = 1 };

/* Of `words` words. */
WICK_UNWIND_INLINE __u32 wick_java_frame(__u32 words, __u32 fp_place)
{
	return wick_rule(WICK_RULE_SP, fp_place << WICK_RULE_FP_SHIFT | words);
}

/*
 * No frame: what the call has left is all there is. On AArch64 that is the link register, which
 * wick_java_link() unwinds by.
 */
WICK_UNWIND_INLINE __u32 wick_java_no_frame(void)
{
	return WICK_UNWIND_X86 ? wick_java_frame(1, WICK_JAVA_FP_KEPT)
			       : wick_rule(WICK_RULE_SPECIAL, 0);
}

WICK_UNWIND_INLINE struct wick_unwind_special wick_java_link(void)
{
	return (struct wick_unwind_special){
		.base = WICK_REG_SP,
		.ra_place = WICK_PLACE_IN_REGISTER,
		.ra = 30,
	};
}

#if defined(__aarch64__) || defined(__TARGET_ARCH_arm64)

enum {
	WICK_ARM64_RET = 0xd65f03c0,
	WICK_ARM64_ADD_SP = 0x910003ff, /* add sp, sp, #n */
	WICK_ARM64_ADD_SP_BITS = 0xff8003ff,
	WICK_JAVA_POLL = 5, /* instructions, `ret` included, that follow the frame's end */
};

/*
 * An instruction of a method was interrupted, before which and after which `code` is. A method
 * begins with `sub sp, sp, #n; stp x29, x30, [sp, #n - 16]`, and ends with `ldp x29, x30, [sp, #n -
 * 16]; add sp, sp, #n`, a poll, and `ret`. What is on the stack stays there until the stack pointer
 * has moved.
 */
WICK_UNWIND_INLINE __u32 wick_java_interrupted(const __u8 *code, __u32 words, _Bool is_begin)
{
	const __u32 *instructions = (const __u32 *)(code + WICK_JAVA_BEFORE);

	if (is_begin)
		return wick_java_no_frame();
	for (__u32 i = 0; i < WICK_JAVA_POLL; i++) {
		if ((instructions[i] & WICK_ARM64_ADD_SP_BITS) == (__u32)WICK_ARM64_ADD_SP)
			break;
		if (instructions[i] == (__u32)WICK_ARM64_RET)
			return wick_java_no_frame();
	}
	return wick_java_frame(words, WICK_JAVA_FP_SAVED);
}

#else

WICK_UNWIND_INLINE _Bool wick_java_is(const __u8 *code, __u32 a, __u32 b, __u32 c)
{
	return code[0] == a && code[1] == b && code[2] == c;
}

/* A method's frame is gone: at `ret`, or in the poll before it. */
WICK_UNWIND_INLINE _Bool wick_java_returns(const __u8 *at)
{
	return at[0] == 0xc3 || wick_java_is(at, 0x49, 0x3b, 0x67) ||
	       wick_java_is(at, 0x49, 0x3b, 0xa7) ||
	       (at[0] == 0x0f && at[1] == 0x87 && at[6] == 0xc3) ||
	       (at[0] == 0x85 && at[1] == 0x05 && at[6] == 0xc3) ||
	       (at[0] == 0x41 && at[1] == 0x85 && at[3] == 0xc3) ||
	       (wick_java_is(at, 0x4d, 0x8b, 0x57) && at[4] == 0x41 && at[7] == 0xc3) ||
	       (wick_java_is(at, 0x4d, 0x8b, 0x97) && at[7] == 0x41 && at[10] == 0xc3);
}

/*
 * An instruction of a method was interrupted, before which and after which `code` is. A method
 * begins with one of these
 *
 *	[mov %eax, -n(%rsp)]  push %rbp  [mov %rsp, %rbp]  sub $n, %rsp
 *	sub $n, %rsp  mov %rbp, n - 16(%rsp)
 *
 * and ends with
 *
 *	add $n, %rsp  pop %rbp  a poll  ret
 *
 * where the poll is `cmp n(%r15), %rsp; ja`, or before 17 `test %eax, n(%rip)`, or `mov n(%r15),
 * %r10; test %eax, (%r10)`.
 */
WICK_UNWIND_INLINE __u32 wick_java_interrupted(const __u8 *code, __u32 words, _Bool is_begin)
{
	const __u8 *at = code + WICK_JAVA_BEFORE;

	if (is_begin) {
		if (wick_java_is(at, 0x48, 0x89, 0x6c) || wick_java_is(at, 0x48, 0x89, 0xac))
			return wick_java_frame(words, WICK_JAVA_FP_KEPT);
		if (at[-1] == 0x55 || wick_java_is(at - 3, 0x48, 0x8b, 0xec) ||
		    wick_java_is(at - 3, 0x48, 0x89, 0xe5))
			return wick_java_frame(2, WICK_JAVA_FP_SAVED);
		return wick_java_no_frame();
	}
	if (at[0] == 0x5d)
		return wick_java_frame(2, WICK_JAVA_FP_SAVED);
	return wick_java_returns(at) ? wick_java_no_frame()
				     : wick_java_frame(words, WICK_JAVA_FP_SAVED);
}

#endif

/*
 * Of a blob whose frames have no size. WICK_RULE_FP is the interpreter's: see
 * wick_java_leave_interpreter().
 */
WICK_UNWIND_INLINE __u32 wick_java_stub(__u64 name, _Bool exact)
{
	if (name == WICK_JAVA_INTERPRETER)
		return wick_rule(WICK_RULE_FP, WICK_JAVA_FP_SAVED << WICK_RULE_FP_SHIFT | 2);
	if (exact && (name == WICK_JAVA_ADAPTER || name == WICK_JAVA_VTABLE))
		return wick_java_no_frame();
	return WICK_JAVA_BY_FP;
}

/*
 * What is above an interpreted method, after the step: its caller may be compiled, and had its
 * stack pointer, `sender_sp`, above the arguments that were pushed for it.
 */
WICK_UNWIND_INLINE void wick_java_leave_interpreter(struct wick_unwind_regs *regs, __u64 sender_sp)
{
	if (sender_sp - regs->reg[WICK_REG_SP] <= WICK_JAVA_MAX_ARGUMENTS && !(sender_sp & 7))
		regs->reg[WICK_REG_SP] = sender_sp;
}

/* The word that a frame of the interpreter has in a stack; `method`: what it runs, or 0. */
WICK_UNWIND_INLINE __u64 wick_java_word(__u64 address, __u64 method)
{
	return method && method < WICK_FRAME_METHOD ? method | WICK_FRAME_METHOD : address;
}

#endif
