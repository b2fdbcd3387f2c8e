/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "procmaps.h"

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
	if (!space || strnlen(space, 5) < 5 || space[3] != 'x')
		return false;
	if (sscanf(line, "%llx-%llx %*4s %llx %x:%x %llu %n", &start, &end, &file_offset, &m->major,
		   &m->minor, &inode, &path) != 6)
		return false;
	unescape(line + path);
	m->start = start;
	m->end = end;
	m->inode = inode;
	m->path = line + path;
	m->shared = space[4] == 's';
	*offset = file_offset;
	return true;
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
