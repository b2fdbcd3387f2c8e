/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flow_starts.h"

enum { MAX_SYMBOLS = 1 << 22, BLOCK = 1024, MAX_STRINGS = 64 << 20 };

/* As far as it lies in executable segments. */
static void add_code(struct flow_starts *starts, const struct elf_eh *elf, u64 address, u64 size)
{
	u64 offset, room;

	if (!size || !elf_eh_offset(elf, address, &offset, &room))
		return;
	*vec_add(&starts->code) = (struct flow_code){.offset = offset, .size = min(size, room)};
}

static void add_start(struct flow_starts *starts, const struct elf_eh *elf, u64 address)
{
	u64 offset, room;

	if (elf_eh_offset(elf, address, &offset, &room))
		*vec_add(starts) = offset;
}

static bool is_function(const Elf64_Sym *symbol)
{
	u8 type = ELF64_ST_TYPE(symbol->st_info);

	return symbol->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
}

/* The strings of a symbol table; NULL: they are not there. To be freed. */
static char *read_strings(const struct elf_eh *elf, const Elf64_Shdr *table, u64 *size)
{
	_cleanup_free_ char *strings = NULL;
	Elf64_Shdr section;

	if (table->sh_link >= elf->nr_sections || !elf_eh_section(elf, table->sh_link, &section) ||
	    section.sh_size > MAX_STRINGS)
		return NULL;
	*size = section.sh_size;
	strings = xcalloc(1, *size + 1);
	return elf_eh_read(elf, section.sh_offset, strings, *size) ? steal(&strings) : NULL;
}

/* A part of a function, apart from the rest: it does not begin with that one's frame. */
static bool is_part(const char *strings, u64 size, u64 name)
{
	return strings && name < size && strstr(strings + name, ".cold");
}

static void add_symbols(struct flow_starts *starts, const struct elf_eh *elf,
			const Elf64_Shdr *table)
{
	_cleanup_free_ Elf64_Sym *symbols = xcalloc(BLOCK, sizeof(*symbols));
	u64 nr = min(table->sh_size / sizeof(*symbols), (u64)MAX_SYMBOLS), size = 0;
	_cleanup_free_ char *strings = read_strings(elf, table, &size);

	for (u64 first = 0; first < nr; first += BLOCK) {
		size_t some = min(nr - first, (u64)BLOCK);

		if (table->sh_offset > elf->file.size ||
		    !elf_eh_read(elf, table->sh_offset + first * sizeof(*symbols), symbols,
				 some * sizeof(*symbols)))
			return;
		for (size_t i = 0; i < some; i++)
			if (is_function(&symbols[i]) && !is_part(strings, size, symbols[i].st_name))
				add_start(starts, elf, symbols[i].st_value);
	}
}

static void read_sections(struct flow_starts *starts, const struct elf_eh *elf)
{
	Elf64_Shdr section;

	for (u32 i = 1; i < elf->nr_sections && elf_eh_section(elf, i, &section); i++) {
		if (section.sh_type == SHT_PROGBITS && section.sh_flags & SHF_EXECINSTR)
			add_code(starts, elf, section.sh_addr, section.sh_size);
		if (section.sh_type == SHT_SYMTAB || section.sh_type == SHT_DYNSYM)
			add_symbols(starts, elf, &section);
	}
}

static int compare(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int compare_code(const void *a, const void *b)
{
	const struct flow_code *x = a, *y = b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Sections of a hostile file may overlap: what was there before is cut off. */
static void separate(struct flow_starts *starts)
{
	u64 end = 0;

	vec_sort(&starts->code, compare_code);
	vec_for_each (&starts->code, code) {
		u64 code_end = code->offset + code->size, begin = max(code->offset, end);

		code->offset = begin;
		code->size = code_end > begin ? code_end - begin : 0;
		end = max(end, code_end);
	}
}

void flow_starts_init(struct flow_starts *starts, const struct elf_eh *elf)
{
	u64 room;

	*starts = (struct flow_starts){.entry = UINT64_MAX};
	read_sections(starts, elf);
	for (u32 i = 0; !elf->nr_sections && i < elf->nr_texts; i++)
		add_code(starts, elf, elf->texts[i].address, elf->texts[i].size);
	if (elf->entry && elf_eh_offset(elf, elf->entry, &starts->entry, &room))
		*vec_add(starts) = starts->entry;
	else
		starts->entry = UINT64_MAX;
	vec_sort(starts, compare);
	separate(starts);
}

void flow_starts_release(struct flow_starts *starts)
{
	vec_release(starts);
	vec_release(&starts->code);
}

size_t flow_starts_from(const struct flow_starts *starts, u64 offset)
{
	size_t low = 0, high = starts->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (starts->at[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
