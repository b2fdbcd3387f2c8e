/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf.h"

#include "base/checked.h"

#define NATIVE_ORDER (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB)

enum {
	MAX_BLOCK = 4 << 20, /* of a table of records or names: 65,536 sections of 64 bytes */
	SHORT_NAME = 256,    /* most names end within that, and the rest is not read */
	MAX_NOTES = 1024,    /* of all sections: they may overlap */
};

/* Copies the fields that both classes have, whatever their order and width. */
#define WIDEN_SEGMENT(to, from)                                                                    \
	(*(to) = (Elf64_Phdr){                                                                     \
		 .p_type = (from)->p_type,                                                         \
		 .p_flags = (from)->p_flags,                                                       \
		 .p_offset = (from)->p_offset,                                                     \
		 .p_vaddr = (from)->p_vaddr,                                                       \
		 .p_filesz = (from)->p_filesz,                                                     \
		 .p_memsz = (from)->p_memsz,                                                       \
		 .p_align = (from)->p_align,                                                       \
	 })

#define WIDEN_SECTION(to, from)                                                                    \
	(*(to) = (Elf64_Shdr){                                                                     \
		 .sh_name = (from)->sh_name,                                                       \
		 .sh_type = (from)->sh_type,                                                       \
		 .sh_flags = (from)->sh_flags,                                                     \
		 .sh_addr = (from)->sh_addr,                                                       \
		 .sh_offset = (from)->sh_offset,                                                   \
		 .sh_size = (from)->sh_size,                                                       \
		 .sh_link = (from)->sh_link,                                                       \
		 .sh_entsize = (from)->sh_entsize,                                                 \
	 })

/* What the file header says of the two tables. */
struct tables {
	u64 segments, sections; /* offsets */
	u64 nr_segments, nr_sections;
	u64 segment_size, section_size; /* of a record */
	u64 names;
};

#define TABLES_OF(header)                                                                          \
	((struct tables){                                                                          \
		.segments = (header)->e_phoff,                                                     \
		.sections = (header)->e_shoff,                                                     \
		.nr_segments = (header)->e_phnum,                                                  \
		.nr_sections = (header)->e_shnum,                                                  \
		.segment_size = (header)->e_phentsize,                                             \
		.section_size = (header)->e_shentsize,                                             \
		.names = (header)->e_shstrndx,                                                     \
	})

/*
 * Up to `size` bytes of the file, read at once: a read for each small record of a table costs more
 * than all that is done with it. `*memory` is the caller's to free.
 */
static struct bytes read_block(const struct elf *elf, u64 offset, u64 size, char **memory)
{
	size = min(size, (u64)MAX_BLOCK);
	*memory = xcalloc(1, size);
	return bytes_of_memory(*memory, bytes_read_some(&elf->bytes, offset, *memory, size));
}

static bool read_segment(const struct elf *elf, const struct bytes *from, u64 offset,
			 Elf64_Phdr *segment)
{
	Elf32_Phdr narrow;

	if (!elf->is32)
		return bytes_read(from, offset, segment, sizeof(*segment));
	if (!bytes_read(from, offset, &narrow, sizeof(narrow)))
		return false;
	WIDEN_SEGMENT(segment, &narrow);
	return true;
}

static bool read_section(const struct elf *elf, const struct bytes *from, u64 offset,
			 Elf64_Shdr *section)
{
	Elf32_Shdr narrow;

	if (!elf->is32)
		return bytes_read(from, offset, section, sizeof(*section));
	if (!bytes_read(from, offset, &narrow, sizeof(narrow)))
		return false;
	WIDEN_SECTION(section, &narrow);
	return true;
}

static int read_header(struct elf *elf, struct tables *tables)
{
	unsigned char ident[EI_NIDENT];
	Elf64_Ehdr wide;
	Elf32_Ehdr narrow;

	if (!bytes_read(&elf->bytes, 0, ident, sizeof(ident)) ||
	    memcmp(ident, ELFMAG, SELFMAG) != 0 || ident[EI_DATA] != NATIVE_ORDER)
		return -ENOEXEC;
	elf->is32 = ident[EI_CLASS] == ELFCLASS32;
	if (elf->is32) {
		if (!bytes_read(&elf->bytes, 0, &narrow, sizeof(narrow)))
			return -ENOEXEC;
		elf->machine = narrow.e_machine;
		*tables = TABLES_OF(&narrow);
		return 0;
	}
	if (ident[EI_CLASS] != ELFCLASS64 || !bytes_read(&elf->bytes, 0, &wide, sizeof(wide)))
		return -ENOEXEC;
	elf->machine = wide.e_machine;
	*tables = TABLES_OF(&wide);
	return 0;
}

/* With very many sections their number stands in the first of them. */
static int read_counts(struct elf *elf, struct tables *tables)
{
	size_t segment_size = elf->is32 ? sizeof(Elf32_Phdr) : sizeof(Elf64_Phdr);
	size_t section_size = elf->is32 ? sizeof(Elf32_Shdr) : sizeof(Elf64_Shdr);
	Elf64_Shdr first;

	if (tables->sections && !tables->nr_sections) {
		if (!read_section(elf, &elf->bytes, tables->sections, &first))
			return -ENOEXEC;
		tables->nr_sections = first.sh_size;
	}
	if (!tables->sections)
		tables->nr_sections = 0;
	if (tables->nr_segments > ELF_MAX_SEGMENTS || tables->nr_sections > ELF_MAX_SECTIONS ||
	    (tables->nr_segments && tables->segment_size < segment_size) ||
	    (tables->nr_sections && tables->section_size < section_size))
		return -ENOEXEC;
	return 0;
}

static int read_tables(struct elf *elf, const struct tables *t)
{
	_cleanup_free_ char *segments_memory = NULL, *sections_memory = NULL;
	struct bytes segments =
		read_block(elf, t->segments, t->nr_segments * t->segment_size, &segments_memory);
	struct bytes sections =
		read_block(elf, t->sections, t->nr_sections * t->section_size, &sections_memory);

	for (u64 i = 0; i < t->nr_segments; i++)
		if (!read_segment(elf, &segments, i * t->segment_size, vec_add(&elf->segments)))
			return -ENOEXEC;
	for (u64 i = 0; i < t->nr_sections; i++)
		if (!read_section(elf, &sections, i * t->section_size, vec_add(&elf->sections)))
			return -ENOEXEC;
	elf->names = t->names < elf->sections.nr ? (u32)t->names : 0;
	return 0;
}

int elf_init(struct elf *elf, struct bytes bytes)
{
	struct tables tables;
	int err;

	*elf = (struct elf){.bytes = bytes};
	err = read_header(elf, &tables);
	if (!err)
		err = read_counts(elf, &tables);
	if (!err)
		err = read_tables(elf, &tables);
	if (err)
		elf_release(elf);
	return err;
}

void elf_release(struct elf *elf)
{
	vec_release(&elf->segments);
	vec_release(&elf->sections);
}

/*
 * Linkers let segments share a page of the file, so the page of code that is mapped may also hold
 * the end of another segment; by exact offsets they do not overlap, and if they do, it is code that
 * runs.
 */
bool elf_address(const struct elf *elf, u64 offset, u64 *address)
{
	bool found = false;

	vec_for_each (&elf->segments, s) {
		if (s->p_type != PT_LOAD || offset < s->p_offset ||
		    offset - s->p_offset >= s->p_filesz)
			continue;
		if (found && !(s->p_flags & PF_X))
			continue;
		*address = offset - s->p_offset + s->p_vaddr;
		found = true;
		if (s->p_flags & PF_X)
			break;
	}
	return found;
}

const Elf64_Shdr *elf_section(const struct elf *elf, u32 type)
{
	vec_for_each (&elf->sections, s)
		if (s->sh_type == type)
			return s;
	return NULL;
}

const Elf64_Shdr *elf_section_named(const struct elf *elf, const char *name)
{
	_cleanup_free_ char *memory = NULL;
	size_t size = strlen(name) + 1;
	const Elf64_Shdr *strings;
	struct bytes names;

	if (!elf->names)
		return NULL;
	strings = &elf->sections.at[elf->names];
	names = read_block(elf, strings->sh_offset, strings->sh_size, &memory);
	vec_for_each (&elf->sections, s)
		if (s->sh_name < names.size && size <= names.size - s->sh_name &&
		    !memcmp(memory + s->sh_name, name, size))
			return s;
	return NULL;
}

size_t elf_string(const struct elf *elf, const Elf64_Shdr *strings, u64 offset, char *to,
		  size_t room)
{
	size_t size = 0, first;
	u64 at;

	if (offset < strings->sh_size && checked_add(strings->sh_offset, offset, &at)) {
		size = (size_t)min((u64)room - 1, strings->sh_size - offset);
		first = bytes_read_some(&elf->bytes, at, to, min(size, (size_t)SHORT_NAME));
		if (first == SHORT_NAME && !memchr(to, '\0', first))
			first += bytes_read_some(&elf->bytes, at + first, to + first, size - first);
		size = first;
	}
	to[size] = '\0';
	return strlen(to);
}

/*
 * Notes: name size, descriptor size, type; then name and descriptor, each padded to 4 bytes. `left`
 * is how many may still be read.
 */
static size_t build_id_in(const struct elf *elf, u64 at, u64 size, u8 id[ELF_MAX_BUILD_ID],
			  u32 *left)
{
	Elf64_Nhdr note;
	char name[4];

	size = min(size, (u64)4096);
	while (size >= sizeof(note) && *left && bytes_read(&elf->bytes, at, &note, sizeof(note))) {
		u64 name_size = ((u64)note.n_namesz + 3) & ~3ull;
		u64 room = sizeof(note) + name_size + (((u64)note.n_descsz + 3) & ~3ull);

		--*left;
		if (room > size)
			break;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(name) &&
		    bytes_read(&elf->bytes, at + sizeof(note), name, sizeof(name)) &&
		    !memcmp(name, "GNU", sizeof(name)) && note.n_descsz <= ELF_MAX_BUILD_ID &&
		    bytes_read(&elf->bytes, at + sizeof(note) + name_size, id, note.n_descsz))
			return note.n_descsz;
		at += room;
		size -= room;
	}
	return 0;
}

size_t elf_build_id(const struct elf *elf, u8 id[ELF_MAX_BUILD_ID])
{
	u32 left = MAX_NOTES;
	size_t size = 0;

	vec_for_each (&elf->segments, s)
		if (!size && s->p_type == PT_NOTE)
			size = build_id_in(elf, s->p_offset, s->p_filesz, id, &left);
	vec_for_each (&elf->sections, s)
		if (!size && s->sh_type == SHT_NOTE)
			size = build_id_in(elf, s->sh_offset, s->sh_size, id, &left);
	return size;
}
