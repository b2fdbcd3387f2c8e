/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "wick_glob.h"

#include <fnmatch.h>

#include "test.h"

static unsigned int below(unsigned int n)
{
	return (unsigned int)random() % n;
}

static int matches(const char *pattern, const char *name)
{
	char comm[WICK_COMM_SIZE] = {};
	struct wick_glob glob;
	struct error error;

	if (wick_glob_compile(&glob, pattern, &error))
		return -1;
	memcpy(comm, name, strnlen(name, sizeof(comm) - 1));
	return wick_glob_match(&glob, comm);
}

static void patterns_and_names(void)
{
	static const struct {
		const char *pattern, *name;
		int match;
	} cases[] = {
		{"", "", 1},
		{"", "a", 0},
		{"*", "", 1},
		{"*", "anything", 1},
		{"?", "", 0},
		{"java", "java", 1},
		{"java", "java2", 0},
		{"java", "jav", 0},
		{"kworker/*:?", "kworker/0:1", 1},
		{"kworker/*:?", "kworker/0:10", 0},
		{"*a*b*c*", "xxaxxbxxcxx", 1},
		{"*a*b*c*", "xxaxxcxxbxx", 0},
		{"*aab", "aaaaaaaaaaaaaab", 1},
		{"[a-c]x", "bx", 1},
		{"[!a-c]x", "bx", 0},
		{"[^a-c]x", "dx", 1},
		{"[]]", "]", 1},
		{"[!]]", "a", 1},
		{"[a-]", "-", 1},
		{"\\*", "*", 1},
		{"\\*", "a", 0},
		{"a b;c", "a b;c", 1},
		{"*\xff", "x\xff", 1},
		{"???????????????", "123456789012345", 1},
		{"????????????????", "123456789012345", 0},
		{"[a", "a", -1},
		{"[", "[", -1},
		{"[]", "]", -1},
		{"[!", "!", -1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (matches(cases[i].pattern, cases[i].name) != cases[i].match)
			test_report("'%s' on '%s' gives %d, want %d", cases[i].pattern,
				    cases[i].name, matches(cases[i].pattern, cases[i].name),
				    cases[i].match);
}

static char letter(void)
{
	return "aabbc-!^]*?[ \xe4"[below(14)];
}

/* A set that has an end; without backslashes, which fnmatch() takes for escapes in it. */
static char *put_set(char *to)
{
	unsigned int nr = 1 + below(3);

	*to++ = '[';
	if (!below(4))
		*to++ = below(2) ? '!' : '^';
	if (!below(6))
		*to++ = ']';
	while (nr--) {
		*to++ = "abc-\xe4"[below(5)];
		if (!below(3)) {
			*to++ = '-';
			*to++ = "abc\xe4"[below(4)];
		}
	}
	*to++ = ']';
	return to;
}

static void random_pattern(char *to)
{
	for (unsigned int nr = below(7); nr; nr--) {
		switch (below(6)) {
		case 0:
			*to++ = '*';
			break;
		case 1:
			*to++ = '?';
			break;
		case 2:
			to = put_set(to);
			break;
		case 3:
			*to++ = '\\';
			*to++ = letter();
			break;
		default:
			*to++ = "abc "[below(4)];
		}
	}
	*to = '\0';
}

static void random_name(char *to)
{
	for (unsigned int nr = below(WICK_COMM_SIZE); nr; nr--)
		*to++ = letter();
	*to = '\0';
}

/* A pattern that says what the name is, with parts made vague: so that half of them match. */
static void pattern_of(char *to, const char *name)
{
	for (; *name; name++) {
		if (!below(4)) {
			*to++ = '?';
		} else if (!below(4)) {
			*to++ = '*';
			name += below((unsigned int)strlen(name));
		} else {
			*to++ = '\\';
			*to++ = *name;
		}
	}
	*to = '\0';
}

static void agrees_with_fnmatch(void)
{
	unsigned int nr_matches = 0;

	srandom(20);
	for (int i = 0; i < 300000; i++) {
		char pattern[128], name[WICK_COMM_SIZE];
		int want, got;

		random_name(name);
		if (i % 2)
			random_pattern(pattern);
		else
			pattern_of(pattern, name);
		want = !fnmatch(pattern, name, 0);
		got = matches(pattern, name);
		nr_matches += (unsigned int)want;
		if (got != want)
			test_report("'%s' on '%s' gives %d, fnmatch() %d", pattern, name, got,
				    want);
	}
	CHECK(nr_matches > 50000);
}

static void long_patterns_are_refused(void)
{
	char pattern[WICK_GLOB_MAX + 2];

	memset(pattern, 'a', sizeof(pattern));
	pattern[WICK_GLOB_MAX] = '\0';
	CHECK_EQ(matches(pattern, "a"), 0);
	pattern[WICK_GLOB_MAX] = 'a';
	pattern[WICK_GLOB_MAX + 1] = '\0';
	CHECK_EQ(matches(pattern, "a"), -1);
	memset(pattern, '*', sizeof(pattern) - 1);
	CHECK_EQ(matches(pattern, "a"), 1);
}

int main(void)
{
	RUN(patterns_and_names);
	RUN(agrees_with_fnmatch);
	RUN(long_patterns_are_refused);
	return test_status();
}
