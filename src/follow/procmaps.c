/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "procmaps.h"

#include <fcntl.h>

#include "base/strbuf.h"

/* seq_path() writes newlines as \012; in place. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (!strncmp(s, "\\012", 4)) {
			*to++ = '\n';
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/* `start-end perms offset major:minor inode   path`; false for what is not executable. */
static bool parse_line(char *line, struct files_mapping *m, u64 *offset)
{
	unsigned long long start, end, file_offset, inode;
	const char *space = strchr(line, ' ');
	int path;

	/* Most lines are not executable, and are not worth a sscanf(). */
	if (!space || strnlen(space, 4) < 4 || space[3] != 'x')
		return false;
	if (sscanf(line, "%llx-%llx %*4s %llx %x:%x %llu %n", &start, &end, &file_offset, &m->major,
		   &m->minor, &inode, &path) != 6)
		return false;
	unescape(line + path);
	m->start = start;
	m->end = end;
	m->inode = inode;
	m->path = line + path;
	*offset = file_offset;
	return true;
}

static int read_whole(const char *path, struct strbuf *text)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	enum { MAX = 64 << 20 };
	char chunk[16384];
	ssize_t size;

	if (fd < 0)
		return -errno;
	while ((size = read(fd, chunk, sizeof(chunk))) > 0 && text->size < MAX)
		strbuf_add(text, chunk, (size_t)size);
	return size < 0 ? -errno : 0;
}

void procmaps_parse(u32 pid, char *text,
		    void (*mapping)(void *ctx, const struct files_mapping *m, u64 offset),
		    void *ctx)
{
	for (char *line = text, *next; line && *line; line = next) {
		struct files_mapping m = {.pid = pid};
		u64 offset;

		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (parse_line(line, &m, &offset))
			mapping(ctx, &m, offset);
	}
}

int procmaps_read(u32 pid, void (*mapping)(void *ctx, const struct files_mapping *m, u64 offset),
		  void *ctx)
{
	_cleanup_free_ char *path = format("/proc/%u/maps", pid);
	_cleanup_strbuf_ struct strbuf text = {};
	int err = read_whole(path, &text);

	if (err)
		return err;
	/* Kernel threads have an empty file. */
	if (!text.size)
		return -ENOENT;
	procmaps_parse(pid, text.s, mapping, ctx);
	return 0;
}
