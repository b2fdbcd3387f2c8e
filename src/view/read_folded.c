/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * read_folded.c: folded text becomes a call tree.
 *
 *	java;start_thread;func_a;[unknown];do_syscall_64_[k] 12
 *	^         ^                ^             ^           ^
 *	group   frames, root     a note    kernel, by its    value: after the last space,
 *	frame      first                      suffix         so that a frame may have spaces
 *
 * The text may come from anywhere. A line that cannot be read is an error with its number, never
 * skipped: a picture of half the lines looks like a picture of all of them. That is why a last
 * line without an end is one, too: `main;foo 1` may have been `main;foo 1024`.
 */
#include "tree.h"

enum { FIRST_ROOM = 1 << 16 };

struct lines {
	FILE *in;
	char *buffer; /* [start, end) is read and not yet given out */
	size_t start, end, room;
	u64 number; /* of the line that was given out last */
};

struct line {
	const char *s;
	size_t size;
};

struct reader {
	struct call_tree *tree;
	struct strings *names;
	const char *file_name;
	bool first_is_group;
	u64 line; /* its number */
	VEC(struct tree_frame) stack;
	struct error *error;
};

static void lines_release(struct lines *lines)
{
	free(lines->buffer);
}

/* Appends more input. False: there is none, or the line is too long. */
static bool lines_fill(struct lines *lines)
{
	size_t nr;

	memmove(lines->buffer, lines->buffer + lines->start, lines->end - lines->start);
	lines->end -= lines->start;
	lines->start = 0;
	if (lines->end > FOLDED_MAX_LINE)
		return false;
	if (lines->room - lines->end < FIRST_ROOM) {
		lines->room = lines->room * 2 + FIRST_ROOM;
		lines->buffer = xrealloc(lines->buffer, lines->room, 1);
	}
	nr = fread(lines->buffer + lines->end, 1, lines->room - lines->end, lines->in);
	lines->end += nr;
	return nr > 0;
}

/* The next ended line, without its end. False: what is left over is no such line. */
static bool lines_next(struct lines *lines, struct line *line)
{
	size_t searched = 0;
	char *end;

	for (;;) {
		char *from = lines->buffer + lines->start;
		size_t size = lines->end - lines->start;

		end = size > searched ? memchr(from + searched, '\n', size - searched) : NULL;
		if (end)
			break;
		searched = size;
		if (!lines_fill(lines))
			return false;
	}
	*line = (struct line){.s = lines->buffer + lines->start};
	line->size = (size_t)(end - line->s);
	lines->start += line->size + 1;
	lines->number++;
	if (line->size && line->s[line->size - 1] == '\r')
		line->size--;
	return true;
}

#define bad_line(r, fmt, ...)                                                                      \
	fail((r)->error, -EINVAL, "%s:%llu: " fmt, (r)->file_name, (unsigned long long)(r)->line,  \
	     ##__VA_ARGS__)

static int long_line(const struct reader *r)
{
	return bad_line(r, "the line is longer than %d MiB; this is not folded text",
			FOLDED_MAX_LINE >> 20);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* 1.5, 2., .5 */
static bool is_fraction(const char *s, size_t size)
{
	size_t digits = 0, dots = 0;

	for (size_t i = 0; i < size; i++) {
		digits += is_digit(s[i]);
		dots += s[i] == '.';
	}
	return digits && dots == 1 && digits + dots == size;
}

static int parse_count(const struct reader *r, const char *s, size_t size, u64 *count)
{
	u64 value = 0, sum;

	for (size_t i = 0; i < size; i++) {
		if (!is_digit(s[i]) && is_fraction(s, size))
			return bad_line(r,
					"the count is a fraction, and only whole numbers add up "
					"exactly: scale the counts, to microseconds for example");
		if (!is_digit(s[i]))
			return bad_line(
				r,
				"no count behind the last space; a line is 'frame;frame;frame 123'");
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, (u64)(s[i] - '0'), &value))
			return bad_line(r, "the count is 2^64 or more");
	}
	if (__builtin_add_overflow(r->tree->sum, value, &sum))
		return bad_line(r, "the sum of the counts is 2^64 or more");
	*count = value;
	return 0;
}

/* The kind that a suffix tells, which is cut off; `kind` where there is none. */
static enum frame_kind take_suffix(const char *s, size_t *size, enum frame_kind kind)
{
	for (size_t i = 0; i < NR_FRAME_KINDS; i++) {
		size_t length = strlen(frame_suffixes[i]);

		if (!length || *size <= length ||
		    memcmp(s + *size - length, frame_suffixes[i], length))
			continue;
		*size -= length;
		return (enum frame_kind)i;
	}
	return kind;
}

static bool is_note(const char *s, size_t size)
{
	if (size >= 2 && s[0] == '[' && s[size - 1] == ']')
		return true;
	return (size == 1 || size == 2) && !memcmp(s, "--", size);
}

static struct tree_frame parse_frame(const struct reader *r, const char *s, size_t size)
{
	struct tree_frame frame = {.kind = FRAME_USER};

	if (is_note(s, size))
		frame.kind = FRAME_NOTE;
	else if (r->first_is_group && !r->stack.nr)
		frame.kind = FRAME_GROUP;
	frame.kind = take_suffix(s, &size, frame.kind);
	frame.name = strings_add(r->names, s, size);
	return frame;
}

static int parse_stack(struct reader *r, const char *s, size_t size)
{
	const char *end = s + size;

	r->stack.nr = 0;
	while (size) {
		const char *next = memchr(s, ';', (size_t)(end - s));
		struct tree_frame frame = parse_frame(r, s, (size_t)((next ? next : end) - s));

		if (r->stack.nr == FOLDED_MAX_FRAMES)
			return bad_line(r, "the stack has more than %d frames", FOLDED_MAX_FRAMES);
		*vec_add(&r->stack) = frame;
		if (!next)
			break;
		s = next + 1;
	}
	return 0;
}

static int read_line(struct reader *r, const struct line *line)
{
	const char *space = memrchr(line->s, ' ', line->size);
	u64 count = 0;
	int err;

	if (line->size > FOLDED_MAX_LINE)
		return long_line(r);
	if (!space || space == line->s + line->size - 1)
		return bad_line(r, "no count; a line is 'frame;frame;frame 123'");
	err = parse_count(r, space + 1, (size_t)(line->s + line->size - space - 1), &count);
	if (err)
		return err;
	err = parse_stack(r, line->s, (size_t)(space - line->s));
	if (err)
		return err;
	call_tree_add(r->tree, r->stack.at, r->stack.nr, count);
	return 0;
}

/* Why there is no further line. */
static int check_end(struct reader *r, const struct lines *lines, u64 nr_stacks)
{
	r->line = lines->number + 1;
	if (ferror(lines->in))
		return fail(r->error, errno ? -errno : -EIO, "cannot read %s: %s", r->file_name,
			    strerror(errno ? errno : EIO));
	if (lines->end - lines->start > FOLDED_MAX_LINE)
		return long_line(r);
	if (lines->end > lines->start)
		return bad_line(r, "the last line has no end: the file was cut in the middle");
	if (!nr_stacks)
		return fail(r->error, -EINVAL, "%s: no stacks: the file is empty", r->file_name);
	return 0;
}

static int read_all(struct reader *r, struct lines *lines)
{
	struct line line;
	u64 nr_stacks = 0;
	int err;

	errno = 0;
	while (lines_next(lines, &line)) {
		r->line = lines->number;
		if (!line.size)
			continue;
		err = read_line(r, &line);
		if (err)
			return err;
		nr_stacks++;
	}
	return check_end(r, lines, nr_stacks);
}

int call_tree_read_folded(struct call_tree *tree, struct strings *names, FILE *in,
			  const char *file_name, bool first_is_group, struct error *error)
{
	_cleanup_(lines_release) struct lines lines = {
		.in = in,
		.buffer = xcalloc(1, FIRST_ROOM),
		.room = FIRST_ROOM,
	};
	struct reader r = {
		.tree = tree,
		.names = names,
		.file_name = file_name,
		.first_is_group = first_is_group,
		.error = error,
	};
	int err = read_all(&r, &lines);

	vec_release(&r.stack);
	return err;
}
