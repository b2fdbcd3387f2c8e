/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lines.h: a file, line by line, or as a whole. Files that gzip made are read as what was in them.
 *
 *	_cleanup_(lines_release) struct lines lines = {};
 *
 *	err = lines_open(&lines, fd, "x.folded", 1 << 20, &error);
 *	while (!err && lines_next(&lines, &line))
 *		...
 *	err = err ? err : lines_end(&lines, &error);
 */
#ifndef INPUT_LINES_H
#define INPUT_LINES_H

#include "base/strings.h"

struct lines {
	void *in;	  /* zlib's */
	size_t size;	  /* of a regular file; 0: not known */
	const char *name; /* of the file, for messages; not owned */
	char *buffer;	  /* [start, end) is read and not yet given out */
	size_t start, end, room;
	size_t longest; /* bytes of a line */
	int error;	/* errno of the read that failed */
	bool forgets;	/* lines that were given out */
	u64 number;	/* of the line that was given out last */
};

/* `fd` stays the caller's. No line may have more than `longest` bytes. */
int lines_open(struct lines *lines, int fd, const char *name, size_t longest, struct error *error);
/* Bytes of a regular file that is not compressed; 0: not known. */
size_t lines_size(const struct lines *lines);
void lines_release(struct lines *lines);
/* How the file begins, of about that many bytes or all; good until the next call. */
struct string lines_peek(struct lines *lines, size_t size);
/*
 * All bytes of the file, whatever they are, instead of lines; they live as long as `lines`. -EFBIG
 * where there are more than `most`.
 */
int lines_all(struct lines *lines, size_t most, struct string *bytes, struct error *error);
/*
 * The next line, without the blanks, CR and LF at its end; good until the next call. False: there
 * is none, and lines_end() says why.
 */
bool lines_next(struct lines *lines, struct string *line);
/* Begins again with the first line; not after lines_forget(), which frees memory of lines. */
void lines_rewind(struct lines *lines);
void lines_forget(struct lines *lines);
/* Is that all? -EINVAL for a line that is too long, else the errno of what could not be read. */
int lines_end(const struct lines *lines, struct error *error);

#endif
