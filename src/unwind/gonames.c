/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gonames.h"

#include <sys/stat.h>

#include "gotable.h"

struct go_names {
	struct elf_eh elf;
	struct go go;
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

bool go_names_find(const struct go_names *names, u64 offset, u64 *start, const char **name,
		   size_t *size)
{
	const struct go *go = &names->go;
	u64 address, within;
	u32 function;

	if (!elf_eh_address(&names->elf, offset, &address))
		return false;
	within = address - go->text;
	if (!find(go, within, &function) || within - go_entry(go, function) > offset)
		return false;
	*name = go_name(go, function, size);
	*start = offset - (within - go_entry(go, function));
	return *name && *size;
}
