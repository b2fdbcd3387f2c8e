/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lines_answer.h"

#include <sys/mman.h>

#include "base/checked.h"
#include "base/strbuf.h"

enum { MAX_TEXT = 64 << 20, MAX_LINES = 4 << 20 };

/* ---- in a parser */

void found_lines_init(struct found_lines *found, size_t nr)
{
	*found = (struct found_lines){.nr = nr, .spans = xcalloc(nr, sizeof(*found->spans))};
	strings_init(&found->names);
}

void found_lines_release(struct found_lines *found)
{
	free(found->spans);
	vec_release(&found->lines);
	strings_release(&found->names);
}

u32 found_lines_name(struct found_lines *found, const char *name, size_t size)
{
	size_t nr = found->names.nr;
	u32 ref;

	if (size > LINES_MAX_NAME || found->text_size + size > MAX_TEXT)
		return 0;
	ref = strings_add(&found->names, name, size);
	if (found->names.nr > nr)
		found->text_size += size;
	return ref;
}

void found_lines_add(struct found_lines *found, size_t i, const struct files_line *lines, size_t nr)
{
	struct files_line_span *span = &found->spans[i];

	if (span->nr || !nr || nr > LINES_MAX_DEPTH || nr > MAX_LINES - found->lines.nr)
		return;
	*span = (struct files_line_span){.first = (u32)found->lines.nr, .nr = (u32)nr};
	for (size_t k = 0; k < nr; k++) {
		struct files_line *line = vec_add(&found->lines);

		*line = lines[k];
		line->inlined = k + 1 < nr;
	}
}

int found_lines_write(const struct found_lines *found, int fd)
{
	_cleanup_strbuf_ struct strbuf b = {};
	const struct lines_head head = {
		.nr = (u32)found->nr,
		.nr_lines = (u32)found->lines.nr,
		.nr_names = (u32)found->names.nr,
		.cut = found->cut,
		.text_size = found->text_size,
	};
	u64 at = 0;
	int err;

	strbuf_add(&b, (const char *)&head, sizeof(head));
	strbuf_add(&b, (const char *)found->spans, found->nr * sizeof(*found->spans));
	strbuf_add(&b, (const char *)found->lines.at, found->lines.nr * sizeof(*found->lines.at));
	vec_for_each (&found->names, name) {
		const struct files_line_name row = {.at = at, .size = (u32)name->size};

		strbuf_add(&b, (const char *)&row, sizeof(row));
		at += name->size;
	}
	vec_for_each (&found->names, name)
		strbuf_add(&b, name->s, name->size);
	err = write_whole(fd, b.s, b.size);
	return err ? err : answer_seal(fd);
}

/* ---- in wick */

static bool is_span(const struct files_lines *l, const struct files_line_span *span)
{
	return span->nr <= LINES_MAX_DEPTH && lies_within(span->first, span->nr, l->nr_lines);
}

static bool is_line(const struct files_lines *l, const struct files_line *line)
{
	return line->function < l->nr_names && line->path < l->nr_names && line->inlined <= 1;
}

static bool is_name(const struct files_lines *l, const struct files_line_name *name, u64 text_size)
{
	return name->size <= LINES_MAX_NAME && lies_within(name->at, name->size, text_size) &&
	       !memchr(l->text + name->at, '\0', name->size);
}

/* Where the parts are; false: the sizes are not those of this answer. */
static bool lay_out(const struct answer *answer, size_t nr, struct files_lines *l)
{
	const struct lines_head *head = answer->bytes;
	u64 size = sizeof(*head);

	if (answer->size < sizeof(*head) || head->nr != nr || head->cut > 1 || !head->nr_names)
		return false;
	*l = (struct files_lines){
		.nr = nr, .nr_lines = head->nr_lines, .nr_names = head->nr_names, .cut = head->cut};
	size += nr * sizeof(*l->spans) + (u64)head->nr_lines * sizeof(*l->lines) +
		(u64)head->nr_names * sizeof(*l->names);
	if (size > answer->size || head->text_size != answer->size - size)
		return false;
	l->spans = (const void *)(head + 1);
	l->lines = (const void *)(l->spans + nr);
	l->names = (const void *)(l->lines + head->nr_lines);
	l->text = (const char *)(l->names + head->nr_names);
	l->bytes = answer->bytes;
	l->size = answer->size;
	return true;
}

int lines_adopt(struct answer *answer, size_t nr, struct files_lines *lines)
{
	const struct lines_head *head = answer->bytes;
	struct files_lines l;

	if (!lay_out(answer, nr, &l) || l.names[0].size)
		return -EPROTO;
	for (size_t i = 0; i < nr; i++)
		if (!is_span(&l, &l.spans[i]))
			return -EPROTO;
	for (size_t i = 0; i < l.nr_lines; i++)
		if (!is_line(&l, &l.lines[i]))
			return -EPROTO;
	for (size_t i = 0; i < l.nr_names; i++)
		if (!is_name(&l, &l.names[i], head->text_size))
			return -EPROTO;
	l.state = lines->state;
	*lines = l;
	*answer = (struct answer){};
	return 0;
}

void files_lines_free(struct files_lines *lines)
{
	if (lines && lines->bytes)
		munmap((void *)lines->bytes, lines->size);
	free(lines);
}
