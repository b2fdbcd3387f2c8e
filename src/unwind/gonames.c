/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gonames.h"

#include <sys/stat.h>

#include "golines.h"
#include "gotable.h"

struct go_names {
	struct elf_eh elf;
	struct go go;
	struct go_trees trees;
	bool knows_trees; /* they were looked for */
};

struct go_names *go_names_open(int fd)
{
	struct go_names *names = xcalloc(1, sizeof(*names));
	struct elf_bytes bytes = {.fd = fd};
	struct stat st;

	if (!fstat(fd, &st)) {
		bytes.size = (u64)st.st_size;
		if (!elf_eh_init_go(&names->elf, &bytes) && go_begin(&names->go, &names->elf))
			return names;
	}
	go_names_free(names);
	return NULL;
}

void go_names_free(struct go_names *names)
{
	if (!names)
		return;
	go_release(&names->go);
	elf_eh_release(&names->elf);
	free(names);
}

u32 go_names_count(const struct go_names *names)
{
	return names->go.nr;
}

/* The last function that begins at or below a place in the text; false: it lies outside of all. */
static bool find(const struct go *go, u64 within, u32 *function)
{
	u32 low = 0, high = go->nr;

	if (within < go_entry(go, 0) || within >= go_entry(go, go->nr))
		return false;
	while (high - low > 1) {
		u32 middle = low + (high - low) / 2;

		if (go_entry(go, middle) <= within)
			low = middle;
		else
			high = middle;
	}
	*function = low;
	return go_entry(go, low) <= within;
}

/* The function at a file offset, and how far behind its start. */
static bool find_at(const struct go_names *names, u64 offset, u32 *function, u64 *within)
{
	u64 address;

	if (!elf_eh_address(&names->elf, offset, &address) ||
	    !find(&names->go, address - names->go.text, function))
		return false;
	*within = address - names->go.text - go_entry(&names->go, *function);
	return *within <= offset;
}

bool go_names_find(const struct go_names *names, u64 offset, u64 *start, const char **name,
		   size_t *size)
{
	u64 within;
	u32 function;

	if (!find_at(names, offset, &function, &within))
		return false;
	*name = go_name(&names->go, function, size);
	*start = offset - within;
	return *name && *size;
}

size_t go_names_lines(struct go_names *names, u64 offset, struct go_line *lines, size_t max)
{
	u64 within;
	u32 function;

	if (!names->knows_trees)
		go_trees_find(&names->trees, &names->go);
	names->knows_trees = true;
	return find_at(names, offset, &function, &within)
		       ? go_lines_at(&names->go, &names->trees, function, within, lines, max)
		       : 0;
}
