/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of a terminal's width. */
#include "report/fit.h"

#include "test.h"

static void check_advice(u32 width, const char *text, const char *expected, u32 nr)
{
	_cleanup_(fitted_release) struct fitted lines = {.width = width};
	_cleanup_strbuf_ struct strbuf line = {};

	strbuf_adds(&line, text);
	fitted_add_advice(&lines, &line, 6);
	CHECK_STR(lines.text.s, expected);
	CHECK_EQ(lines.nr, nr);
	CHECK_EQ(line.size, 0);
}

static void advice_goes_on_in_one_more_line(void)
{
	check_advice(20, "names one two three", "names one two three\n", 1);
	check_advice(19, "names one two three", "names one two three\n", 1);
	check_advice(18, "names one two three", "names one two\n      three\n", 2);
	/* One more, not two. */
	check_advice(14, "names one two three four five", "names one two\n      three...\n", 2);
}

static void a_word_that_is_too_long_is_cut(void)
{
	check_advice(12, "names abcdefghijkl", "names abc...\n", 1);
	check_advice(12, "names one abcdefghijkl", "names one\n      abc...\n", 2);
	/* Wide letters are not cut in half. */
	check_advice(10, "names \xe4\xb8\xad\xe4\xb8\xad\xe4\xb8\xad", "names ...\n", 1);
}

int main(void)
{
	RUN(advice_goes_on_in_one_more_line);
	RUN(a_word_that_is_too_long_is_cut);
	return test_status();
}
