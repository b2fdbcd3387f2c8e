/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "base/strbuf.h"

static void empty_has_no_memory(void)
{
	_cleanup_strbuf_ struct strbuf b = {};
	_cleanup_free_ char *s = strbuf_detach(&b);

	CHECK_STR(s, "");
	CHECK(!b.s);
}

static void it_grows(void)
{
	_cleanup_strbuf_ struct strbuf b = {};

	for (int i = 0; i < 1000; i++)
		strbuf_addf(&b, "%03d", i);
	CHECK_EQ(b.size, 3000);
	CHECK_EQ(strlen(b.s), 3000);
	CHECK_STR(b.s + 2997, "999");
	strbuf_clear(&b);
	strbuf_addc(&b, 'x');
	strbuf_add(&b, "\0y", 2);
	CHECK_EQ(b.size, 3);
	CHECK(!memcmp(b.s, "x\0y", 4));
}

static void lists_end_in_a_word(void)
{
	static const char *const words[] = {"a", "b", "c"};
	static const char *const want[] = {"a", "a or b", "a, b or c"};

	for (size_t nr = 1; nr <= ARRAY_SIZE(words); nr++) {
		_cleanup_strbuf_ struct strbuf b = {};

		for (size_t i = 0; i < nr; i++)
			strbuf_add_listed(&b, words[i], i, nr, "or");
		CHECK_STR(b.s, want[nr - 1]);
	}
}

/* Unicode 15, table 3-7: the first and last of every row, and what lies beside them. */
static void utf8_lengths(void)
{
	static const struct {
		const char *s;
		size_t length;
	} cases[] = {
		{"", 0},
		{"a", 1},
		{"\x7f", 1},
		{"\x80", 0},
		{"\xbf", 0},
		{"\xc0\x80", 0},
		{"\xc1\xbf", 0},
		{"\xc2\x80", 2},
		{"\xdf\xbf", 2},
		{"\xc2", 0},
		{"\xc2\x41", 0},
		{"\xc2\xc0", 0},
		{"\xe0\x9f\xbf", 0},
		{"\xe0\xa0\x80", 3},
		{"\xe1\x80\x80", 3},
		{"\xed\x9f\xbf", 3},
		{"\xed\xa0\x80", 0},
		{"\xee\x80\x80", 3},
		{"\xef\xbf\xbf", 3},
		{"\xe1\x80", 0},
		{"\xe1\x80\x41", 0},
		{"\xf0\x8f\xbf\xbf", 0},
		{"\xf0\x90\x80\x80", 4},
		{"\xf4\x8f\xbf\xbf", 4},
		{"\xf4\x90\x80\x80", 0},
		{"\xf5\x80\x80\x80", 0},
		{"\xf1\x80\x80", 0},
		{"\xf1\x80\x80\x41", 0},
		{"\xff", 0},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		CHECK_EQ(utf8_length(cases[i].s, strlen(cases[i].s)), cases[i].length);
	CHECK_EQ(utf8_length("\xc2\x80", 1), 0);
}

static void safe_utf8(void)
{
	static const struct {
		const char *s;
		size_t size;
		const char *want;
	} cases[] = {
		{"plain;<&> text", 14, "plain;<&> text"},
		{"a\0b", 3, "a\\x00b"},
		{"\t\n\x1b[31m\x7f", 8, "\\x09\\x0a\\x1b[31m\\x7f"},
		{"caf\xc3\xa9", 5, "caf\xc3\xa9"},
		{"caf\xc3", 4, "caf\\xc3"},
		{"\xff\xc3\xa9\xfe", 4, "\\xff\xc3\xa9\\xfe"},
		{"\xc2\x9b", 2, "\\xc2\\x9b"}, /* C1: CSI */
		{"\xc2\xa0", 2, "\xc2\xa0"},
		{"\xef\xbf\xbe", 3, "\\xef\\xbf\\xbe"}, /* U+FFFE is not XML */
		{"\xef\xbf\xbd", 3, "\xef\xbf\xbd"},
		{"a\xe2\x80\xae"
		 "b",
		 5,
		 "a\\xe2\\x80\\xae"
		 "b"}, /* U+202E turns what follows round */
		{"\xe2\x80\x8f\xe2\x81\xa6\xd8\x9c", 8, "\\xe2\\x80\\x8f\\xe2\\x81\\xa6\\xd8\\x9c"},
		{"\xe2\x80\xa6\xe2\x81\xaa\xd8\x9d", 8, "\xe2\x80\xa6\xe2\x81\xaa\xd8\x9d"},
		{"\xed\xa0\x80", 3, "\\xed\\xa0\\x80"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_strbuf_ struct strbuf b = {};

		strbuf_add_safe_utf8(&b, cases[i].s, cases[i].size);
		CHECK_STR(b.s, cases[i].want);
	}
}

static void digits(void)
{
	static const struct {
		u64 value;
		const char *want;
	} cases[] = {{0, "0"}, {9, "9"}, {10, "10"}, {UINT64_MAX, "18446744073709551615"}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		_cleanup_strbuf_ struct strbuf b = {};

		strbuf_add_digits(&b, cases[i].value);
		CHECK_STR(b.s, cases[i].want);
	}
}

int main(void)
{
	RUN(empty_has_no_memory);
	RUN(it_grows);
	RUN(lists_end_in_a_word);
	RUN(utf8_lengths);
	RUN(safe_utf8);
	RUN(digits);
	return test_status();
}
