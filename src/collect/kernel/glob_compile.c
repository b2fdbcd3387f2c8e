/* SPDX-License-Identifier: GPL-2.0-or-later */
/* glob_compile.c: compiles shell patterns; include/wick_glob.h has the idea and runs them. */
#include "wick_glob.h"

static void accept_byte(struct wick_glob *glob, unsigned int token, unsigned char byte)
{
	glob->accept[byte] |= 1ull << token;
}

static void accept_any(struct wick_glob *glob, unsigned int token)
{
	for (unsigned int byte = 1; byte < 256; byte++)
		accept_byte(glob, token, (unsigned char)byte);
}

/* The set that begins after `[`; returns what follows its `]`, or NULL when there is none. */
static const char *accept_set(struct wick_glob *glob, unsigned int token, const char *s)
{
	bool not = *s == '!' || *s == '^', in[256] = {};

	if (not )
		s++;
	for (const char *first = s; *s != ']' || s == first; s++) {
		unsigned char low = (unsigned char)*s, high = low;

		if (!low)
			return NULL;
		if (s[1] == '-' && s[2] && s[2] != ']') {
			high = (unsigned char)s[2];
			s += 2;
		}
		for (unsigned int byte = low; byte <= high; byte++)
			in[byte] = true;
	}
	for (unsigned int byte = 1; byte < 256; byte++)
		if (in[byte] != not )
			accept_byte(glob, token, (unsigned char)byte);
	return s + 1;
}

/* One token; returns what follows it, or NULL for a set without an end. */
static const char *compile_token(struct wick_glob *glob, unsigned int token, const char *s)
{
	switch (*s) {
	case '*':
		while (*s == '*')
			s++;
		glob->stars |= 1ull << token;
		accept_any(glob, token);
		return s;
	case '?':
		accept_any(glob, token);
		return s + 1;
	case '[':
		return accept_set(glob, token, s + 1);
	case '\\':
		if (s[1])
			s++;
		break;
	}
	accept_byte(glob, token, (unsigned char)*s);
	return s + 1;
}

int wick_glob_compile(struct wick_glob *glob, const char *pattern, struct error *error)
{
	struct wick_glob g = {};
	unsigned int token = 0;

	for (const char *s = pattern; *s; token++) {
		if (token == WICK_GLOB_MAX)
			return fail(error, -EINVAL,
				    "pattern too long: '%s' (a thread's name has at "
				    "most 15 bytes)",
				    pattern);
		s = compile_token(&g, token, s);
		if (!s)
			return fail(error, -EINVAL, "bad pattern '%s': a [ is not closed", pattern);
	}
	g.end = 1ull << token;
	*glob = g;
	return 0;
}
