/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * java_open.c: a process runs a Java VM where it has mapped a file of that name, from its begin on.
 * Anybody can map such a file: what is read then is his own memory, and names only his own code.
 */
#include "java_open.h"

#include "base/strings.h"

#include <fcntl.h>

enum { MAX_LINES = 1 << 17 };

/*
 * "7f0bd9000000-7f0bd9400000 r--p 00000000 fe:00 1234   /usr/lib/jvm/.../libjvm.so", which may have
 * been replaced by a newer one since.
 */
static bool is_begin_of_libjvm(const char *line, u64 *start)
{
	const struct string text = {line, strlen(line)};
	unsigned long long begin, offset;

	if ((!string_ends(text, "/libjvm.so\n") && !string_ends(text, "/libjvm.so (deleted)\n")) ||
	    sscanf(line, "%llx-%*x %*4s %llx", &begin, &offset) != 2 || offset)
		return false;
	*start = begin;
	return true;
}

static bool find_libjvm(int process, u64 *start)
{
	int fd = openat(process, "maps", O_RDONLY | O_CLOEXEC);
	FILE *maps = fd < 0 ? NULL : fdopen(fd, "r");
	_cleanup_free_ char *line = NULL;
	bool found = false;
	size_t room = 0;

	for (int i = 0; maps && i < MAX_LINES && !found && getline(&line, &room, maps) > 0; i++)
		found = is_begin_of_libjvm(line, start);
	if (maps)
		fclose(maps);
	else
		cleanup_close(&fd);
	return found;
}

enum files_state java_find_memory(const struct jit_process *p, u64 *libjvm, int *look)
{
	_cleanup_close_ int process = jit_open_process(p);
	int memory;

	if (process < 0)
		return FILES_GONE;
	if (!find_libjvm(process, libjvm))
		return FILES_NO_MAP;
	memory = openat(process, "mem", O_PATH | O_CLOEXEC);
	if (memory < 0)
		return FILES_GONE;
	*look = memory;
	return FILES_OK;
}
