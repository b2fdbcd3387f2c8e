/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "elf_eh.h"

#include <elf.h>

#include "base/checked.h"

static bool read_at(const struct elf_bytes *bytes, u64 offset, void *to, size_t size)
{
	size_t done = 0;

	if (!lies_within(offset, size, bytes->size))
		return false;
	if (bytes->memory) {
		memcpy(to, (const char *)bytes->memory + offset, size);
		return true;
	}
	while (done < size) {
		ssize_t n =
			pread(bytes->fd, (char *)to + done, size - done, (off_t)(offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static bool read_header(const struct elf_bytes *bytes, Elf64_Ehdr *header)
{
	return read_at(bytes, 0, header, sizeof(*header)) &&
	       !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       cfa_machine(header->e_machine) && header->e_phentsize == sizeof(Elf64_Phdr) &&
	       header->e_phnum <= ELF_EH_MAX_SEGMENTS;
}

/* Where .eh_frame lies, as far as is known. */
struct place {
	u64 offset, size, address;
	bool size_known;
};

static void add_text(struct elf_eh *elf, const Elf64_Phdr *segment)
{
	u64 there = part_within(segment->p_offset, segment->p_filesz, elf->file.size);
	u64 size = part_within(segment->p_offset, there, ELF_EH_MAX_OFFSET);

	if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
		return;
	elf->cut |= size < there;
	if (size)
		elf->texts[elf->nr_texts++] = (struct elf_text){
			.address = segment->p_vaddr,
			.offset = segment->p_offset,
			.size = size,
		};
}

/* Whether a section has that name. */
static bool is_called(const struct elf_bytes *bytes, const Elf64_Shdr *names,
		      const Elf64_Shdr *section, const char *wanted)
{
	size_t size = strlen(wanted) + 1;
	char name[32];
	u64 at;

	if (bug(size > sizeof(name)))
		return false;
	return section->sh_type != SHT_NOBITS && !(section->sh_flags & SHF_COMPRESSED) &&
	       checked_add(names->sh_offset, section->sh_name, &at) &&
	       read_at(bytes, at, name, size) && !memcmp(name, wanted, size);
}

bool elf_eh_section(const struct elf_eh *elf, u32 i, Elf64_Shdr *section)
{
	u64 at;

	return checked_record(elf->sections, i, sizeof(*section), &at) &&
	       read_at(&elf->file, at, section, sizeof(*section));
}

/* With very many sections their number stands in the first of them. */
static void find_sections(struct elf_eh *elf, const Elf64_Ehdr *header)
{
	Elf64_Shdr first;

	elf->sections = header->e_shoff;
	if (!header->e_shoff || header->e_shentsize != sizeof(first) ||
	    !elf_eh_section(elf, 0, &first))
		return;
	elf->nr_sections = (u32)min(header->e_shnum ? header->e_shnum : first.sh_size,
				    (u64)ELF_EH_MAX_SECTIONS);
}

/* By section header. */
static bool find_section(const struct elf_eh *elf, const Elf64_Ehdr *header, const char *name,
			 struct place *place)
{
	Elf64_Shdr names, section;

	if (!elf->nr_sections || !elf_eh_section(elf, header->e_shstrndx, &names))
		return false;
	for (u32 i = 1; i < elf->nr_sections; i++) {
		if (!elf_eh_section(elf, i, &section))
			return false;
		if (!is_called(&elf->file, &names, &section, name))
			continue;
		*place = (struct place){section.sh_offset, section.sh_size, section.sh_addr, true};
		return true;
	}
	return false;
}

/* The segment that has an address; it reaches to the end of what may be .eh_frame. */
static bool place_in_segment(const Elf64_Phdr *segments, u32 nr, u64 address, struct place *place)
{
	for (u32 i = 0; i < nr; i++) {
		const Elf64_Phdr *s = &segments[i];
		u64 within = address - s->p_vaddr, offset;

		if (s->p_type != PT_LOAD || within >= s->p_filesz ||
		    !checked_add(s->p_offset, within, &offset))
			continue;
		*place = (struct place){offset, s->p_filesz - within, address, false};
		return true;
	}
	return false;
}

/* By .eh_frame_hdr: version 1, the encodings of three things, and the first of them (10.6.2). */
static bool find_by_header(const struct elf_bytes *bytes, const Elf64_Phdr *segments, u32 nr,
			   const Elf64_Phdr *hdr, struct place *place)
{
	u8 head[12];
	struct reader r = reader_of(head, sizeof(head));
	struct pointer_bases bases = {.here = hdr->p_vaddr, .origin = head, .data = hdr->p_vaddr};

	if (!read_at(bytes, hdr->p_offset, head, sizeof(head)) || head[0] != 1 ||
	    !pointer_readable(head[1]))
		return false;
	reader_take(&r, 4);
	return place_in_segment(segments, nr, reader_pointer(&r, head[1], &bases), place);
}

static int read_section(struct elf_eh *elf, const struct elf_bytes *bytes,
			const struct place *place)
{
	u64 size = part_within(place->offset, place->size, bytes->size);

	if (place->offset > bytes->size)
		return -ENOEXEC;
	if (size > ELF_EH_MAX_BYTES) {
		if (place->size_known)
			return -EFBIG;
		size = ELF_EH_MAX_BYTES;
	}
	elf->owned = xcalloc(1, size);
	if (!read_at(bytes, place->offset, elf->owned, size)) {
		elf_eh_release(elf);
		return -ENOEXEC;
	}
	elf->section.bytes = elf->owned;
	elf->section.size = size;
	elf->section.address = place->address;
	elf->section.size_known = place->size_known;
	return 0;
}

/* The linker of Go calls it so; in a PIE that another linker made it is among what is relocated. */
static void read_gopclntab(struct elf_eh *elf, const Elf64_Ehdr *header)
{
	struct place place;

	if (!find_section(elf, header, ".gopclntab", &place) &&
	    !find_section(elf, header, ".data.rel.ro.gopclntab", &place))
		return;
	if (!place.size || place.size > ELF_EH_MAX_BYTES ||
	    !lies_within(place.offset, place.size, elf->file.size))
		return;
	elf->gopclntab = xcalloc(1, place.size);
	elf->gopclntab_size = place.size;
	elf->gopclntab_address = place.address;
	if (!elf_eh_read(elf, place.offset, elf->gopclntab, place.size)) {
		free(elf->gopclntab);
		elf->gopclntab = NULL;
	}
}

/* What both kinds of reading begin with. */
struct headers {
	Elf64_Ehdr file;
	Elf64_Phdr segments[ELF_EH_MAX_SEGMENTS];
};

static int read_headers(struct elf_eh *elf, const struct elf_bytes *bytes, struct headers *headers)
{
	const Elf64_Ehdr *file = &headers->file;

	if (!read_header(bytes, &headers->file) ||
	    !read_at(bytes, file->e_phoff, headers->segments,
		     file->e_phnum * sizeof(*headers->segments)))
		return -ENOEXEC;
	*elf = (struct elf_eh){
		.file = *bytes,
		.machine = cfa_machine(file->e_machine),
		.entry = file->e_entry,
	};
	for (u32 i = 0; i < file->e_phnum; i++)
		add_text(elf, &headers->segments[i]);
	find_sections(elf, file);
	read_gopclntab(elf, file);
	return 0;
}

int elf_eh_init_go(struct elf_eh *elf, const struct elf_bytes *bytes)
{
	struct headers headers;

	return read_headers(elf, bytes, &headers);
}

int elf_eh_init(struct elf_eh *elf, const struct elf_bytes *bytes)
{
	const Elf64_Phdr *hdr = NULL;
	struct headers headers;
	struct place place;
	int err = read_headers(elf, bytes, &headers);

	if (err)
		return err;
	for (u32 i = 0; i < headers.file.e_phnum; i++)
		if (headers.segments[i].p_type == PT_GNU_EH_FRAME)
			hdr = &headers.segments[i];
	if (hdr)
		elf->section.data = hdr->p_vaddr;
	if (find_section(elf, &headers.file, ".eh_frame", &place) ||
	    (hdr && find_by_header(bytes, headers.segments, headers.file.e_phnum, hdr, &place)))
		err = read_section(elf, bytes, &place);
	if (err)
		elf_eh_release(elf);
	return err;
}

bool elf_eh_read(const struct elf_eh *elf, u64 offset, void *to, size_t size)
{
	return read_at(&elf->file, offset, to, size);
}

void elf_eh_release(struct elf_eh *elf)
{
	free(elf->owned);
	free(elf->gopclntab);
	elf->owned = elf->gopclntab = NULL;
	elf->section.bytes = NULL;
	elf->section.size = 0;
}

bool elf_eh_offset(const struct elf_eh *elf, u64 address, u64 *offset, u64 *room)
{
	for (u32 i = 0; i < elf->nr_texts; i++) {
		const struct elf_text *text = &elf->texts[i];
		u64 within = address - text->address;

		if (within >= text->size)
			continue;
		*offset = text->offset + within;
		*room = text->size - within;
		return true;
	}
	return false;
}

bool elf_eh_address(const struct elf_eh *elf, u64 offset, u64 *address)
{
	for (u32 i = 0; i < elf->nr_texts; i++) {
		u64 within = offset - elf->texts[i].offset;

		if (within >= elf->texts[i].size)
			continue;
		*address = elf->texts[i].address + within;
		return true;
	}
	return false;
}
