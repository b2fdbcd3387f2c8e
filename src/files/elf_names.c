/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf_names.h"

#include "debugdata.h"
#include "elf.h"
#include "gonames.h"
#include "plt.h"
#include "symtab.h"

_Static_assert((int)ELF_MAX_BUILD_ID == (int)FILES_MAX_BUILD_ID, "any fits into a reply");

const struct bytes *debug_file_meant(const struct debug_link *link, const struct debug_files *files)
{
	for (size_t i = 0; files && i < files->nr; i++)
		if (debug_link_means(link, &files->at[i]))
			return &files->at[i];
	return NULL;
}

/* The debug file that is meant, opened. */
static bool debug_init(struct elf *debug, const struct debug_link *link,
		       const struct debug_files *files)
{
	const struct bytes *meant = debug_file_meant(link, files);

	return meant && !elf_init(debug, *meant);
}

/*
 * By its debug file, or by the symbols that it has packed. A stripped file still has the names that
 * others link to: those only count as all where nothing better is.
 */
static bool name_with_debug(const struct elf *elf, const struct debug_files *files,
			    struct files_symbols *reply, struct debug_link *link)
{
	_cleanup_(elf_release) struct elf debug = {};
	_cleanup_(debugdata_release) struct debugdata packed = {};
	const struct elf *better = NULL;
	bool has_link = debug_link_read(elf, link);

	if (has_link && debug_init(&debug, link, files))
		better = &debug;
	else if (!debugdata_init(&packed, elf))
		better = &packed.elf;
	reply->state = FILES_NO_SYMBOLS;
	if (symtab_name(elf, better, reply) && better)
		reply->state = FILES_OK;
	return has_link && !better;
}

/* By Go's own table, what no symbol names. True: the file has one. */
static bool name_by_go(struct bytes bytes, struct files_symbols *reply)
{
	struct go_names *names = bytes.memory ? NULL : go_names_open(bytes.fd);
	const char *name;
	size_t size;
	u64 start;

	for (size_t i = 0; names && i < reply->nr; i++) {
		struct files_symbol *symbol = &reply->at[i];

		if (!symbol->name && go_names_find(names, symbol->address, &start, &name, &size))
			reply_name(symbol, start, name, size);
	}
	go_names_free(names);
	return names;
}

static bool all_have_names(const struct files_symbols *reply)
{
	for (size_t i = 0; i < reply->nr; i++)
		if (!reply->at[i].name)
			return false;
	return true;
}

bool name_elf(struct bytes bytes, const struct debug_files *debug, struct files_symbols *reply,
	      struct debug_link *link)
{
	_cleanup_(elf_release) struct elf elf = {};
	bool wants_debug = false;

	if (elf_init(&elf, bytes)) {
		reply->state = FILES_BAD;
		return false;
	}
	reply->build_id_size = elf_build_id(&elf, reply->build_id);
	reply->state = FILES_OK;
	if (!reply->nr)
		return false;
	if (!elf_section(&elf, SHT_SYMTAB))
		wants_debug = name_with_debug(&elf, debug, reply, link);
	else
		reply->state = symtab_name(&elf, NULL, reply) ? FILES_OK : FILES_NO_SYMBOLS;
	if (!all_have_names(reply) && name_by_go(bytes, reply))
		reply->state = FILES_OK;
	plt_name(&elf, reply);
	return wants_debug;
}
