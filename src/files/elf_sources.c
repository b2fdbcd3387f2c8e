/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf_sources.h"

#include "debugdata.h"
#include "gonames.h"

static u64 symbols_in(const struct elf *elf, u32 type)
{
	const Elf64_Shdr *table = elf_section(elf, type);
	size_t size = elf->is32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);

	/* The first one is none. */
	return table && table->sh_size > size ? table->sh_size / size - 1 : 0;
}

static u64 dwarf_in(const struct elf *elf)
{
	const Elf64_Shdr *section = elf_section_named(elf, ".debug_info");

	return section ? section->sh_size : 0;
}

static u64 packed_in(const struct elf *elf)
{
	_cleanup_(debugdata_release) struct debugdata packed = {};

	return debugdata_init(&packed, elf) ? 0 : symbols_in(&packed.elf, SHT_SYMTAB);
}

static u64 go_functions(struct bytes bytes)
{
	struct go_names *names = bytes.memory ? NULL : go_names_open(bytes.fd);
	u64 nr = names ? go_names_count(names) : 0;

	go_names_free(names);
	return nr;
}

/* What the debug file shares; *link: it is not there. */
static void add_shared(const struct elf *debug, const struct debug_files *files,
		       struct files_sources *sources, struct debug_link *link)
{
	_cleanup_(elf_release) struct elf shared = {};
	const struct bytes *bytes;

	if (!shared_link_read(debug, link)) {
		*link = (struct debug_link){};
		return;
	}
	bytes = debug_file_meant(link, files);
	if (!bytes || elf_init(&shared, *bytes))
		return;
	sources->found[SOURCE_SHARED_DWARF] = dwarf_in(&shared);
	*link = (struct debug_link){};
}

void find_sources(struct bytes bytes, const struct debug_files *files,
		  struct files_sources *sources, struct debug_link *link)
{
	_cleanup_(elf_release) struct elf elf = {}, debug = {};
	const struct bytes *found = NULL;

	*link = (struct debug_link){};
	sources->state = FILES_BAD;
	if (elf_init(&elf, bytes))
		return;
	sources->state = FILES_OK;
	sources->build_id_size = (u32)elf_build_id(&elf, sources->build_id);
	sources->found[SOURCE_SYMBOLS] = symbols_in(&elf, SHT_SYMTAB);
	sources->found[SOURCE_PACKED] = packed_in(&elf);
	sources->found[SOURCE_EXPORTED] = symbols_in(&elf, SHT_DYNSYM);
	sources->found[SOURCE_GO] = go_functions(bytes);
	sources->found[SOURCE_DWARF] = dwarf_in(&elf);
	if (debug_link_read(&elf, link))
		found = debug_file_meant(link, files);
	if (!found || elf_init(&debug, *found))
		return;
	sources->found[SOURCE_DEBUG_SYMBOLS] = symbols_in(&debug, SHT_SYMTAB);
	sources->found[SOURCE_DEBUG_DWARF] = dwarf_in(&debug);
	add_shared(&debug, files, sources, link);
}
