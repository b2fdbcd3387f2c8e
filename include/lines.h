/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.h: lines of source at addresses of a file, and which functions the compiler has inlined
 * there: what files_ask_lines() is answered.
 *
 *	spans   one for each address   which lines are its own, the innermost function's first
 *	lines   function, path, line
 *	names   bytes of functions and paths, each once
 *
 * An address of sum(), inlined into average(), inlined into main():
 *
 *	sum      sum.h:7     inlined
 *	average  mean.c:12   inlined
 *	main     mean.c:40
 *
 * It is what a parser wrote (files.h), checked once, and read where it lies. Names are bytes as
 * they stood in the file, not demangled.
 */
#ifndef WICK_LINES_H
#define WICK_LINES_H

#include "files.h"

enum {
	LINES_MAX_DEPTH = 64, /* lines of an address */
	LINES_MAX_NAME = 8192,
};

struct files_line {
	u32 function; /* a name; 0: not known */
	u32 path;     /* the same, of the source file */
	u32 line;     /* 0: not known */
	u32 inlined;  /* 1: its caller is the next line of the span; 0: it is the last one */
};

struct files_line_span {
	u32 first, nr; /* in `lines` */
};

struct files_line_name {
	u64 at; /* in `text` */
	u32 size;
	u32 pad;
};

struct files_lines {
	enum files_state state; /* FILES_NO_SYMBOLS: the file has no lines, nor has a debug file */
	bool cut;		/* not all addresses were looked for: that took too long */
	size_t nr;		/* spans, in the order that was asked */
	const struct files_line_span *spans;
	size_t nr_lines;
	const struct files_line *lines;
	size_t nr_names; /* name 0 is empty */
	const struct files_line_name *names;
	const char *text;
	const void *bytes; /* all of it, mapped; NULL: nothing is known of any address */
	size_t size;
};

/*
 * Asks for the lines of `nr` offsets in a file, sorted ascending, by its DWARF, that of its debug
 * file, or Go's own tables; of addresses in the code of a Java VM, by what that knows: functions
 * only. As files_ask(), and side by side with it.
 */
struct files_request *files_ask_lines(struct files *files, file_ref file, const u64 *addresses,
				      size_t nr, unsigned int timeout_ms);
/* Waits, frees the request. Never NULL; to be freed with files_lines_free(). */
struct files_lines *files_answer_lines(struct files *files, struct files_request *request);
void files_lines_free(struct files_lines *lines);

#endif
