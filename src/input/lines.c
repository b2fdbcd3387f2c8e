/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lines.h"

#include <sys/stat.h>
#include <zlib.h>

enum { ROOM = 1 << 18, LEAST = 1 << 16 };

int lines_open(struct lines *lines, int fd, const char *name, size_t longest, struct error *error)
{
	int copy = dup(fd);
	gzFile in = copy < 0 ? NULL : gzdopen(copy, "r");
	struct stat st;

	if (!in) {
		int code = errno ? -errno : -ENOMEM;

		if (copy >= 0)
			close(copy);
		return fail(error, code, "cannot read %s: %s", name, strerror(-code));
	}
	*lines = (struct lines){.in = in,
				.name = name,
				.room = ROOM,
				.longest = longest,
				.buffer = xcalloc(1, ROOM)};
	if (!fstat(copy, &st) && S_ISREG(st.st_mode))
		lines->size = (size_t)st.st_size;
	return 0;
}

size_t lines_size(const struct lines *lines)
{
	return gzdirect(lines->in) ? lines->size : 0;
}

void lines_release(struct lines *lines)
{
	if (lines->in)
		gzclose(lines->in);
	free(lines->buffer);
	*lines = (struct lines){};
}

void lines_forget(struct lines *lines)
{
	lines->forgets = true;
}

void lines_rewind(struct lines *lines)
{
	if (bug(lines->forgets))
		return;
	lines->start = 0;
	lines->number = 0;
}

/* Appends more input. False: there is none, or the line is too long. */
static bool fill(struct lines *lines)
{
	int nr;

	if (lines->forgets && lines->start) {
		memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
		lines->end -= lines->start;
		lines->start = 0;
	}
	if (lines->end - lines->start > lines->longest)
		return false;
	if (lines->room - lines->end < LEAST) {
		lines->room += lines->room / 2;
		lines->buffer = xrealloc(lines->buffer, lines->room, 1);
	}
	errno = 0;
	nr = gzread(lines->in, lines->buffer + lines->end,
		    (unsigned int)min(lines->room - lines->end, (size_t)1 << 30));
	if (nr < 0 && !lines->error)
		lines->error = errno ? errno : EIO;
	lines->end += nr > 0 ? (size_t)nr : 0;
	return nr > 0;
}

struct string lines_peek(struct lines *lines, size_t size)
{
	while (lines->end < size && fill(lines))
		;
	return (struct string){.s = lines->buffer, .size = lines->end};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

bool lines_next(struct lines *lines, struct string *line)
{
	size_t searched = 0, size;
	const char *from, *newline;

	do {
		from = lines->buffer + lines->start;
		size = lines->end - lines->start;
		newline = size > searched ? memchr(from + searched, '\n', size - searched) : NULL;
		searched = size;
	} while (!newline && fill(lines));
	from = lines->buffer + lines->start;
	if (newline)
		size = (size_t)(newline - from);
	/* The last line need not have an end. */
	if ((!newline && !size) || size > lines->longest)
		return false;
	lines->start += size + !!newline;
	lines->number++;
	while (size && is_blank(from[size - 1]))
		size--;
	*line = (struct string){.s = from, .size = size};
	return true;
}

/* A gzip file that was cut reads like one that has ended, but for this. */
static const char *problem_of(const struct lines *lines)
{
	int code = 0;
	const char *text = gzerror(lines->in, &code);

	if (code == Z_ERRNO)
		return strerror(lines->error);
	if (code == Z_BUF_ERROR)
		return "the compressed file was cut in the middle";
	return code == Z_OK || code == Z_STREAM_END ? NULL : text;
}

int lines_end(const struct lines *lines, struct error *error)
{
	const char *problem = problem_of(lines);

	if (problem)
		return fail(error, lines->error ? -lines->error : -EIO, "cannot read %s: %s",
			    lines->name, problem);
	if (lines->end - lines->start > lines->longest)
		return fail(
			error, -EINVAL,
			"%s:%llu: the line is longer than %zu MiB; this is no text that wick reads",
			lines->name, (unsigned long long)lines->number + 1, lines->longest >> 20);
	return 0;
}

int lines_all(struct lines *lines, size_t most, struct string *bytes, struct error *error)
{
	const char *problem;

	lines->longest = most;
	while (fill(lines))
		;
	problem = problem_of(lines);
	if (problem)
		return fail(error, lines->error ? -lines->error : -EIO, "cannot read %s: %s",
			    lines->name, problem);
	if (lines->end > most)
		return fail(error, -EFBIG, "%s: what is in it is more than %zu MiB", lines->name,
			    most >> 20);
	*bytes = (struct string){.s = lines->buffer, .size = lines->end};
	return 0;
}
