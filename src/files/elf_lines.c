/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf_lines.h"

#include "dwarf_lines.h"
#include "gonames.h"

/* Size 0: it is not there. */
static struct bytes meant(const struct debug_link *link, const struct debug_files *files)
{
	const struct bytes *found = debug_file_meant(link, files);

	return found ? *found : (struct bytes){.fd = -1};
}

/* The file that has the DWARF; size 0: none. */
static struct bytes file_with_dwarf(const struct elf *elf, const struct debug_files *debug,
				    struct debug_link *link)
{
	struct bytes found = {.fd = -1};

	if (dwarf_is_in(elf))
		return elf->bytes;
	if (debug_link_read(elf, link))
		found = meant(link, debug);
	if (found.size)
		*link = (struct debug_link){};
	return found;
}

/* What it shares with others. */
static struct bytes shared_of(struct bytes file, const struct debug_files *debug,
			      struct debug_link *link)
{
	_cleanup_(elf_release) struct elf elf = {};
	struct bytes found = {.fd = -1};

	if (elf_init(&elf, file) || !shared_link_read(&elf, link)) {
		*link = (struct debug_link){};
		return found;
	}
	found = meant(link, debug);
	if (found.size)
		*link = (struct debug_link){};
	return found;
}

/* By Go's own tables; true: the file has them. */
static bool find_go_lines(struct bytes bytes, const u64 *offsets, struct found_lines *found)
{
	struct go_names *names = bytes.memory ? NULL : go_names_open(bytes.fd);
	struct go_line go[LINES_MAX_DEPTH];
	struct files_line lines[LINES_MAX_DEPTH];

	for (size_t i = 0; names && i < found->nr; i++) {
		size_t nr = go_names_lines(names, offsets[i], go, LINES_MAX_DEPTH);

		for (size_t k = 0; k < nr; k++)
			lines[k] = (struct files_line){
				.function = found_lines_name(found, go[k].function,
							     go[k].function_size),
				.path = found_lines_name(found, go[k].path, go[k].path_size),
				.line = go[k].line,
			};
		found_lines_add(found, i, lines, nr);
	}
	go_names_free(names);
	return names;
}

enum files_state find_lines(struct bytes bytes, const struct debug_files *debug,
			    const struct files_symbols *asked, u64 deadline_ns,
			    struct found_lines *found, struct debug_link *link)
{
	_cleanup_(elf_release) struct elf elf = {};
	_cleanup_free_ u64 *offsets = xcalloc(asked->nr, sizeof(*offsets));
	struct dwarf_files files = {};
	bool is_go;

	*link = (struct debug_link){};
	if (elf_init(&elf, bytes))
		return FILES_BAD;
	for (size_t i = 0; i < asked->nr; i++)
		offsets[i] = asked->at[i].address;
	is_go = find_go_lines(bytes, offsets, found);
	files.own = file_with_dwarf(&elf, debug, link);
	if (!files.own.size)
		return is_go ? FILES_OK : FILES_NO_SYMBOLS;
	files.shared = shared_of(files.own, debug, link);
	dwarf_find_lines(&elf, &files, offsets, deadline_ns, found);
	return FILES_OK;
}
