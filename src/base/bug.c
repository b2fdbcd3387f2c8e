/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bug.h"

#include <unistd.h>

static uint64_t nr_found;

static char *add(char *to, const char *end, const char *text)
{
	while (*text && to < end)
		*to++ = *text++;
	return to;
}

static void say(const char *file, int line, const char *condition)
{
	char text[512], digits[12] = {}, *to = text, *digit = digits + sizeof(digits) - 1;
	const char *end = text + sizeof(text);
	ssize_t written;

	do
		*--digit = (char)('0' + line % 10);
	while (line /= 10);
	to = add(to, end, "wick: a bug in wick: ");
	to = add(to, end, file);
	to = add(to, end, ":");
	to = add(to, end, digit);
	to = add(to, end, ": ");
	to = add(to, end, condition);
	to = add(to, end, "; it goes on without that. Please report this line\n");
	written = write(STDERR_FILENO, text, (size_t)(to - text));
	(void)written;
}

bool bug_found(bool *is_said, const char *file, int line, const char *condition)
{
	__atomic_fetch_add(&nr_found, 1, __ATOMIC_RELAXED);
	if (!__atomic_exchange_n(is_said, true, __ATOMIC_RELAXED))
		say(file, line, condition);
	return true;
}

uint64_t bugs_found(void)
{
	return __atomic_load_n(&nr_found, __ATOMIC_RELAXED);
}
