/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java_rules.h: what java.h knows of a blob becomes a rule of unwind.h for one of its frames. One
 * source for two compilers: BPF and the helper that reads a VM's memory.
 */
#ifndef WICK_JAVA_RULES_H
#define WICK_JAVA_RULES_H

#include "unwind.h"

/* As other code that no file has: by frame pointers, and some looks at the code. */
#define WICK_JAVA_BY_FP 0u
/* Beside a rule: it is a frame of the interpreter, see wick_java_leave_interpreter(). */
#define WICK_JAVA_INTERPRETS (1u << WICK_RULE_BITS)

enum {
	WICK_JAVA_BEFORE = 8, /* bytes of code before the interrupted instruction, of ... */
	WICK_JAVA_CODE = 32,  /* ... so many that are looked at */
	WICK_JAVA_MAX_ARGUMENTS = 8 * 256, /* bytes that are pushed for an interpreted method */
};

/* Of an address in a list of those whose rules are wanted: it was interrupted there. */
#define WICK_JAVA_EXACT (1ull << 62)

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

/* By the frame pointer, and that alone. */
WICK_UNWIND_INLINE __u32 wick_java_chained(void)
{
	return wick_rule(WICK_RULE_FP, WICK_JAVA_FP_SAVED << WICK_RULE_FP_SHIFT | 2);
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
 * A method was interrupted `offset` bytes after its begin; `code` is what lies there, from
 * WICK_JAVA_BEFORE bytes before on. A method begins with
 *
 *	sub sp, sp, #n  stp x29, x30, [sp, #n - 16]
 *
 * and ends with
 *
 *	ldp x29, x30, [sp, #n - 16]  add sp, sp, #n  a poll  ret
 *
 * What is on the stack stays there until the stack pointer has moved.
 */
WICK_UNWIND_INLINE __u32 wick_java_interrupted(const __u8 *code, __u32 words, __s64 offset,
					       __s64 complete)
{
	const __u32 *instructions = (const __u32 *)(code + WICK_JAVA_BEFORE);

	if (!offset || offset < complete)
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
	       (at[0] == 0x0f && (at[1] == 0x87 || at[1] == 0x85) && at[6] == 0xc3) ||
	       (wick_java_is(at, 0x49, 0x81, 0x7f) && at[8] == 0x0f && at[14] == 0xc3) ||
	       (at[0] == 0x85 && at[1] == 0x05 && at[6] == 0xc3) ||
	       (at[0] == 0x41 && at[1] == 0x85 && at[3] == 0xc3) ||
	       (wick_java_is(at, 0x4d, 0x8b, 0x57) && at[4] == 0x41 && at[7] == 0xc3) ||
	       (wick_java_is(at, 0x4d, 0x8b, 0x97) && at[7] == 0x41 && at[10] == 0xc3);
}

/* `cmp $n, n(%r15)`, by which a method begins that waits for the garbage collector. */
WICK_UNWIND_INLINE _Bool wick_java_is_barrier(const __u8 *at)
{
	return wick_java_is(at, 0x41, 0x81, 0x7f);
}

WICK_UNWIND_INLINE __u32 wick_java_begin(const __u8 *at, __u32 words)
{
	if (wick_java_is_barrier(at) || wick_java_is_barrier(at - 8) ||
	    (at[-2] == 0x74 && at[-1] == 0x05 && at[0] == 0xe8))
		return wick_java_frame(words, WICK_JAVA_FP_SAVED);
	if (wick_java_is(at, 0x48, 0x89, 0x6c) || wick_java_is(at, 0x48, 0x89, 0xac) ||
	    wick_java_is(at, 0x48, 0x89, 0x2c))
		return wick_java_frame(words, WICK_JAVA_FP_KEPT);
	if (at[-1] == 0x55 || wick_java_is(at - 3, 0x48, 0x8b, 0xec) ||
	    wick_java_is(at - 3, 0x48, 0x89, 0xe5))
		return wick_java_frame(2, WICK_JAVA_FP_SAVED);
	return wick_java_no_frame();
}

/*
 * A word more is on the stack: between the push and the pop by which a word is moved in memory, or
 * that keep a register while a list of types is searched (`repne scas`).
 */
WICK_UNWIND_INLINE _Bool wick_java_has_pushed(const __u8 *at)
{
	return wick_java_is(at, 0x48, 0x8f, 0x44) || wick_java_is(at, 0x8f, 0x44, 0x24) ||
	       (wick_java_is(at, 0xf2, 0x48, 0xaf) && at[3] == 0x58) ||
	       (at[0] == 0x58 && wick_java_is(at - 3, 0xf2, 0x48, 0xaf));
}

/* Where a stub does not say when its frame is complete, it is one of these bytes. */
enum { WICK_JAVA_STUB_BEGIN = 8 };

/*
 * A method was interrupted `offset` bytes after its begin; `code` is what lies there, from
 * WICK_JAVA_BEFORE bytes before on. A method begins with one of these
 *
 *	[mov %eax, -n(%rsp)]  push %rbp  [mov %rsp, %rbp]  sub $n, %rsp
 *	sub $n, %rsp  mov %rbp, n - 16(%rsp)
 *
 * perhaps a `cmp` and a jump or call that is seldom taken, and ends with
 *
 *	add $n, %rsp  pop %rbp  a poll  ret
 *
 * where the poll is `cmp n(%r15), %rsp; ja`, or before 17 `test %eax, n(%rip)`, or `mov n(%r15),
 * %r10; test %eax, (%r10)`; a native method's wrapper has `cmp $0, n(%r15); jne`.
 */
WICK_UNWIND_INLINE __u32 wick_java_interrupted(const __u8 *code, __u32 words, __s64 offset,
					       __s64 complete)
{
	const __u8 *at = code + WICK_JAVA_BEFORE;

	if (offset < complete || !offset ||
	    (offset < WICK_JAVA_STUB_BEGIN && wick_java_is(at, 0x48, 0x89, 0x2c)))
		return wick_java_begin(at, words);
	if (at[0] == 0x5d)
		return wick_java_frame(2, WICK_JAVA_FP_SAVED);
	if (wick_java_has_pushed(at))
		return wick_java_frame(words + 1, WICK_JAVA_FP_SAVED);
	return wick_java_returns(at) ? wick_java_no_frame()
				     : wick_java_frame(words, WICK_JAVA_FP_SAVED);
}

#endif

/*
 * Of a blob whose frames have no size. Stubs keep to the frame pointer, but when one was
 * interrupted its frame may not be there yet.
 */
WICK_UNWIND_INLINE __u32 wick_java_stub(__u64 name, _Bool exact)
{
	if (name == WICK_JAVA_INTERPRETER)
		return wick_java_chained() | WICK_JAVA_INTERPRETS;
	if (!exact)
		return wick_java_chained();
	return name == WICK_JAVA_ADAPTER || name == WICK_JAVA_VTABLE ? wick_java_no_frame()
								     : WICK_JAVA_BY_FP;
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
