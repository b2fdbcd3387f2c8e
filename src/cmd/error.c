/* SPDX-License-Identifier: GPL-2.0-or-later */
/* error.c: errors as people read them. */
#include "base/strbuf.h"
#include "cmd.h"

void print_note(const char *text)
{
	_cleanup_strbuf_ struct strbuf line = {};
	const char *rest = text;

	/* Paths and names in it are other people's bytes; its own line breaks stay. */
	while (*rest) {
		size_t size = strcspn(rest, "\n");

		strbuf_adds(&line, line.size ? "\n      " : "wick: ");
		strbuf_add_safe_utf8(&line, rest, size);
		rest += size + (rest[size] == '\n');
	}
	fprintf(stderr, "%s\n", line.s ? line.s : "wick: failed");
}

void print_error(const struct error *error)
{
	print_note(error->text);
}

int finish_standard_output(const char *command)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	fprintf(stderr, "%s: cannot write to standard output: %s\n", command, strerror(errno));
	return 1;
}
