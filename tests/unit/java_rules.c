/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A method is interrupted: its frame by the code around, x86-64's as OpenJDK 11 to 25 make it. */
#include "java_rules.h"

#include "test.h"

#if defined(__x86_64__)

enum { WORDS = 6, COMPLETE = 16 };

/* What lies before the instruction and from it on. */
static u32 rule_at(s64 offset, const char *before, const char *after)
{
	u8 code[WICK_JAVA_CODE] = {};
	size_t nr_before = strlen(before), nr_after = strlen(after);

	memcpy(code + WICK_JAVA_BEFORE - nr_before, before, nr_before);
	memcpy(code + WICK_JAVA_BEFORE, after, nr_after);
	return wick_java_interrupted(code, WORDS, offset, COMPLETE);
}

static const u32 whole =
	WICK_RULE_SP << WICK_RULE_KIND_SHIFT | WICK_JAVA_FP_SAVED << WICK_RULE_FP_SHIFT | WORDS;

static void frames_that_begin(void)
{
	/* mov %eax, -n(%rsp); push %rbp; sub $n, %rsp */
	CHECK_EQ(rule_at(0, "", "\x89\x84\x24"), wick_java_frame(1, WICK_JAVA_FP_KEPT));
	CHECK_EQ(rule_at(7, "\xfe\xff", "\x55"), wick_java_frame(1, WICK_JAVA_FP_KEPT));
	CHECK_EQ(rule_at(8, "\x55", "\x48\x83\xec\x20"), wick_java_frame(2, WICK_JAVA_FP_SAVED));
	/* push %rbp; mov %rsp, %rbp; sub $n, %rsp */
	CHECK_EQ(rule_at(1, "\x55", "\x48\x8b\xec"), wick_java_frame(2, WICK_JAVA_FP_SAVED));
	CHECK_EQ(rule_at(4, "\x55\x48\x8b\xec", "\x48\x83\xec\x20"),
		 wick_java_frame(2, WICK_JAVA_FP_SAVED));
	/* sub $n, %rsp; mov %rbp, n - 16(%rsp) */
	CHECK_EQ(rule_at(0, "", "\x48\x81\xec"), wick_java_frame(1, WICK_JAVA_FP_KEPT));
	CHECK_EQ(rule_at(7, "", "\x48\x89\x6c\x24\x10"), wick_java_frame(WORDS, WICK_JAVA_FP_KEPT));
	/* cmpl $1, n(%r15); jne, or je; call */
	CHECK_EQ(rule_at(12, "\x24\x10", "\x41\x81\x7f\x20\x01"), whole);
	CHECK_EQ(rule_at(15, "\x41\x81\x7f\x20\x01\x02\x03\x04", "\x0f\x85"), whole);
	CHECK_EQ(rule_at(15, "\x74\x05", "\xe8"), whole);
}

static void frames_in_the_middle(void)
{
	CHECK_EQ(rule_at(COMPLETE, "\x20", "\x90"), whole);
	CHECK_EQ(rule_at(100, "\x55", "\x48\x83\xec"), whole);
	/* push n(%rsp); pop n(%rsp); push %rax ... repne scas; pop %rax */
	CHECK_EQ(rule_at(100, "\x24\x30", "\x48\x8f\x44\x24\x38"), whole + 1);
	CHECK_EQ(rule_at(100, "", "\xf2\x48\xaf\x58"), whole + 1);
	CHECK_EQ(rule_at(100, "\xf2\x48\xaf", "\x58"), whole + 1);
	CHECK_EQ(rule_at(100, "", "\xf2\x48\xaf\x0f"), whole);
}

static void frames_that_end(void)
{
	static const u32 left = WICK_RULE_SP << WICK_RULE_KIND_SHIFT | 1;

	/* add $n, %rsp; pop %rbp; cmp n(%r15), %rsp; ja; ret */
	CHECK_EQ(rule_at(90, "", "\x48\x83\xc4\x20"), whole);
	CHECK_EQ(rule_at(94, "", "\x5d"), wick_java_frame(2, WICK_JAVA_FP_SAVED));
	CHECK_EQ(rule_at(95, "\x5d", "\x49\x3b\xa7\x48\x04"), left);
	CHECK_EQ(rule_at(99, "", "\x0f\x87\x01\x02\x03\x04\xc3"), left);
	CHECK_EQ(rule_at(99, "", "\x0f\x87\x01\x02\x03\x04\x90"), whole);
	CHECK_EQ(rule_at(99, "", "\xc3"), left);
	/* test %eax, n(%rip); ret, and mov n(%r15), %r10; test %eax, (%r10); ret */
	CHECK_EQ(rule_at(95, "\x5d", "\x85\x05\x01\x02\x03\x04\xc3"), left);
	CHECK_EQ(rule_at(95, "\x5d", "\x4d\x8b\x57\x20\x41\x85\x02\xc3"), left);
	CHECK_EQ(rule_at(99, "", "\x41\x85\x02\xc3"), left);
	/* A native method's: leave; cmpq $0, n(%r15); jne; ret */
	CHECK_EQ(rule_at(90, "", "\xc9"), whole);
	CHECK_EQ(
		rule_at(91, "\xc9", "\x49\x81\x7f\x08\x01\x01\x01\x01\x0f\x85\x01\x02\x03\x04\xc3"),
		left);
}

static void stubs_have_rules(void)
{
	CHECK_EQ(wick_java_stub(WICK_JAVA_INTERPRETER, true),
		 wick_java_chained() | WICK_JAVA_INTERPRETS);
	CHECK_EQ(wick_java_stub(WICK_JAVA_ADAPTER, true), wick_java_frame(1, WICK_JAVA_FP_KEPT));
	CHECK_EQ(wick_java_stub(WICK_JAVA_VTABLE, false), wick_java_chained());
	CHECK_EQ(wick_java_stub(0x6275745320, true), WICK_JAVA_BY_FP);
}

int main(void)
{
	RUN(frames_that_begin);
	RUN(frames_in_the_middle);
	RUN(frames_that_end);
	RUN(stubs_have_rules);
	return test_status();
}

#else

int main(void)
{
	return test_status();
}

#endif
