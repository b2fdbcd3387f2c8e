/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test.h: a unit test is a program whose cases are functions.
 *
 *	static void empty_string_has_no_size(void)
 *	{
 *		CHECK_EQ(strlen(""), 0);
 *	}
 *
 *	int main(void)
 *	{
 *		RUN(empty_string_has_no_size);
 *		return test_status();
 *	}
 *
 * Each case prints "ok NAME" or "not ok NAME: where and what"; tests/run counts them.
 */
#ifndef WICK_TEST_H
#define WICK_TEST_H

#include "base/base.h"

static int test_failed, test_failures;
static const char *test_name;

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition))                                                                  \
			test_report("%s:%d: %s", __FILE__, __LINE__, #condition);                  \
	} while (0)

#define CHECK_EQ(a, b)                                                                             \
	do {                                                                                       \
		long long test_a = (long long)(a), test_b = (long long)(b);                        \
		if (test_a != test_b)                                                              \
			test_report("%s:%d: %s is %lld, want %lld", __FILE__, __LINE__, #a,        \
				    test_a, test_b);                                               \
	} while (0)

#define CHECK_STR(a, b)                                                                            \
	do {                                                                                       \
		const char *test_a = (a), *test_b = (b);                                           \
		if (!test_a || strcmp(test_a, test_b))                                             \
			test_report("%s:%d: %s is \"%s\", want \"%s\"", __FILE__, __LINE__, #a,    \
				    test_a ? test_a : "(null)", test_b);                           \
	} while (0)

#define RUN(function)                                                                              \
	do {                                                                                       \
		test_name = #function;                                                             \
		test_failed = 0;                                                                   \
		function();                                                                        \
		if (!test_failed)                                                                  \
			printf("ok %s\n", test_name);                                              \
		fflush(stdout);                                                                    \
	} while (0)

static inline __attribute__((format(printf, 1, 2))) void test_report(const char *fmt, ...)
{
	__builtin_va_list args;

	__builtin_va_start(args, fmt);
	printf("%s %s: ", test_failed ? "#     " : "not ok", test_name);
	vprintf(fmt, args);
	printf("\n");
	__builtin_va_end(args);
	if (!test_failed)
		test_failures++;
	test_failed = 1;
}

static inline int test_status(void)
{
	return test_failures != 0;
}

#endif
