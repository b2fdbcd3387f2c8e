/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf_mutator.h: mutates an ELF file as what it is. Blind mutation breaks the magic number, or one
 * of the five fields without which no parser goes on, and hits a program header once in thousands
 * of tries. So here a field of a header becomes a value that hurts, or the bytes of one section
 * are mutated in their place, and what every parser asks for first is put right again.
 */
#ifndef FUZZ_ELF_MUTATOR_H
#define FUZZ_ELF_MUTATOR_H

#include <elf.h>

#include "base/checked.h"

size_t LLVMFuzzerMutate(u8 *bytes, size_t size, size_t room);

struct mutation {
	u8 *bytes;
	size_t size, room;
	u64 random;
	Elf64_Ehdr header;
};

static inline u64 below(struct mutation *m, u64 limit)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return limit ? (m->random >> 11) % limit : 0;
}

/* A number that is at the edge of something, or a little beside it. */
static inline u64 edge(struct mutation *m, u64 was)
{
	const u64 edges[] = {0, was, m->size, UINT32_MAX, INT64_MAX, UINT64_MAX, 1ull << 32, 4096};
	u64 value = edges[below(m, ARRAY_SIZE(edges))];
	u64 beside = below(m, 1ull << below(m, 14));

	if (!below(m, 4))
		return 1ull << below(m, 64);
	return below(m, 2) ? value + beside : value - beside;
}

/* The number of that width at `at` becomes one that hurts. */
static inline void hurt(struct mutation *m, u64 at, size_t width)
{
	u64 value = 0;

	if (!lies_within(at, width, m->size))
		return;
	memcpy(&value, m->bytes + at, width);
	value = edge(m, value);
	memcpy(m->bytes + at, &value, width);
}

/* A record of a table of headers; false: there is none. */
static inline bool pick(struct mutation *m, u64 table, u64 nr, u64 size, u64 *at)
{
	return nr && checked_record(table, below(m, nr), size, at) &&
	       lies_within(*at, size, m->size);
}

static inline bool pick_segment(struct mutation *m, u64 *at)
{
	return pick(m, m->header.e_phoff, m->header.e_phnum, sizeof(Elf64_Phdr), at);
}

static inline bool pick_section(struct mutation *m, u64 *at)
{
	return pick(m, m->header.e_shoff, m->header.e_shnum, sizeof(Elf64_Shdr), at);
}

static inline void mutate_segment(struct mutation *m)
{
	static const u8 fields[] = {offsetof(Elf64_Phdr, p_offset), offsetof(Elf64_Phdr, p_vaddr),
				    offsetof(Elf64_Phdr, p_filesz)};
	u64 at;

	if (!pick_segment(m, &at))
		return;
	if (below(m, 8))
		hurt(m, at + fields[below(m, sizeof(fields))], 8);
	else
		m->bytes[at + below(m, 8)] ^= 1 << below(m, 8); /* type and flags */
}

static inline void mutate_section(struct mutation *m)
{
	static const u8 fields[] = {offsetof(Elf64_Shdr, sh_offset), offsetof(Elf64_Shdr, sh_addr),
				    offsetof(Elf64_Shdr, sh_size),
				    offsetof(Elf64_Shdr, sh_entsize)};
	u64 at, other;

	if (!pick_section(m, &at))
		return;
	if (below(m, 4))
		hurt(m, at + fields[below(m, sizeof(fields))], 8);
	else if (below(m, 2) && pick_section(m, &other))
		memcpy(m->bytes + at, m->bytes + other, 4); /* another one's name */
	else
		hurt(m, at + 4 * below(m, 16), 4);
}

/* The bytes of a section, where they are; or one of its words. */
static inline void mutate_content(struct mutation *m)
{
	Elf64_Shdr section;
	u64 at, size;
	u8 *copy;

	if (!pick_section(m, &at))
		return;
	memcpy(&section, m->bytes + at, sizeof(section));
	size = part_within(section.sh_offset, section.sh_size, m->size);
	if (!size)
		return;
	if (below(m, 2)) {
		u64 width = 1ull << below(m, 4);

		hurt(m, section.sh_offset + below(m, size) / width * width, width);
		return;
	}
	copy = xmemdup(m->bytes + section.sh_offset, size);
	size = LLVMFuzzerMutate(copy, size, size);
	memcpy(m->bytes + section.sh_offset, copy, size);
	free(copy);
}

static inline void mutate_header(struct mutation *m)
{
	static const u8 fields[] = {offsetof(Elf64_Ehdr, e_entry), offsetof(Elf64_Ehdr, e_phoff),
				    offsetof(Elf64_Ehdr, e_shoff)};

	if (below(m, 2))
		hurt(m, fields[below(m, sizeof(fields))], 8);
	else
		hurt(m, offsetof(Elf64_Ehdr, e_phentsize) + 2 * below(m, 5), 2);
}

static inline void mutate_any(struct mutation *m)
{
	m->size = LLVMFuzzerMutate(m->bytes, m->size, m->room);
}

/* What all parsers ask for first; the places of the tables seldom stay what they became. */
static inline void put_right(struct mutation *m)
{
	Elf64_Ehdr header;

	if (m->size < sizeof(header))
		return;
	memcpy(&header, m->bytes, sizeof(header));
	memcpy(header.e_ident, m->header.e_ident, EI_CLASS);
	header.e_ident[EI_DATA] = ELFDATA2LSB;
	if (below(m, 16)) {
		header.e_ident[EI_CLASS] = ELFCLASS64;
		header.e_phentsize = sizeof(Elf64_Phdr);
		header.e_shentsize = sizeof(Elf64_Shdr);
		header.e_phoff = m->header.e_phoff;
		header.e_shoff = m->header.e_shoff;
		header.e_shstrndx = m->header.e_shstrndx;
		header.e_machine = below(m, 8) ? m->header.e_machine : EM_AARCH64;
	}
	memcpy(m->bytes, &header, sizeof(header));
}

/* For LLVMFuzzerCustomMutator(). */
static inline size_t elf_mutate(u8 *bytes, size_t size, size_t room, unsigned int seed)
{
	static void (*const ways[])(struct mutation *) = {
		mutate_segment, mutate_segment, mutate_section, mutate_section,
		mutate_content, mutate_content, mutate_header,	mutate_any,
	};
	struct mutation m = {.bytes = bytes, .size = size, .room = room};

	m.random = seed * 0x9e3779b97f4a7c15ull + 1;
	if (size < sizeof(m.header) || memcmp(bytes, ELFMAG, SELFMAG) != 0)
		return LLVMFuzzerMutate(bytes, size, room);
	memcpy(&m.header, bytes, sizeof(m.header));
	if (m.header.e_ident[EI_CLASS] != ELFCLASS64) {
		size = LLVMFuzzerMutate(bytes, size, room);
		memcpy(bytes, m.header.e_ident, min(size, (size_t)EI_VERSION));
		return size;
	}
	for (u64 n = 1 + below(&m, 3); n; n--)
		ways[below(&m, ARRAY_SIZE(ways))](&m);
	put_right(&m);
	return m.size;
}

#endif
