/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines_answer.h: lines of source on their way from a parser, as answer.h has it of names:
 *
 *	struct lines_head, struct files_line_span for each address, struct files_line ...,
 *	struct files_line_name ..., the names' bytes
 */
#ifndef FILES_LINES_ANSWER_H
#define FILES_LINES_ANSWER_H

#include "answer.h"
#include "base/strings.h"
#include "lines.h"

struct lines_head {
	u32 nr, nr_lines, nr_names;
	u32 cut;
	u64 text_size;
};

/* ---- in a parser */

/* What was found so far. */
struct found_lines {
	size_t nr;
	struct files_line_span *spans;
	VEC(struct files_line) lines;
	struct strings names;
	u64 text_size;
	bool cut;
};

void found_lines_init(struct found_lines *found, size_t nr);
void found_lines_release(struct found_lines *found);
/* The number of a name, or of the empty one where it is too long, or there are too many. */
u32 found_lines_name(struct found_lines *found, const char *name, size_t size);
/*
 * The lines of address i, the innermost first; of none that has some already, or when there are too
 * many.
 */
void found_lines_add(struct found_lines *found, size_t i, const struct files_line *lines,
		     size_t nr);
/* Writes all, and seals. A negative errno. */
int found_lines_write(const struct found_lines *found, int fd);

/* ---- in wick */

/* Takes the answer over; -EPROTO, and it stays the caller's: not all is as it has to be. */
int lines_adopt(struct answer *answer, size_t nr, struct files_lines *lines);

#endif
