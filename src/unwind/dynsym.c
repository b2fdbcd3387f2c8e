/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dynsym.h"

#include "base/checked.h"

enum {
	HEAD_WORDS = 4,
	MAX_CHAIN = 4096, /* symbols of one bucket that are looked at */
	MAX_NAME = 64,
};

/* The nth record of a section. */
static bool read_record(const struct dynsym *d, const Elf64_Shdr *in, u64 at, u64 i, void *to,
			size_t size)
{
	u64 offset;

	return checked_record(at, i, size, &offset) && lies_within(offset, size, in->sh_size) &&
	       checked_add(in->sh_offset, offset, &offset) && elf_eh_read(d->elf, offset, to, size);
}

bool dynsym_init(struct dynsym *d, const struct elf_eh *elf)
{
	u32 head[HEAD_WORDS];
	Elf64_Shdr section;
	bool found = false;

	*d = (struct dynsym){.elf = elf};
	for (u32 i = 1; i < elf->nr_sections && !found; i++) {
		found = elf_eh_section(elf, i, &section) && section.sh_type == SHT_GNU_HASH;
		d->hash = section;
	}
	if (!found || !elf_eh_section(elf, d->hash.sh_link, &d->symbols) ||
	    d->symbols.sh_type != SHT_DYNSYM ||
	    !elf_eh_section(elf, d->symbols.sh_link, &d->strings) ||
	    !read_record(d, &d->hash, 0, 0, head, sizeof(head)))
		return false;
	d->nr_buckets = head[0];
	d->first = head[1];
	d->nr_words = head[2];
	d->shift = head[3] & 31;
	return d->nr_buckets && d->nr_words;
}

static u32 hash_of(const char *name)
{
	u32 hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (u8)*name;
	return hash;
}

/* Most names that a file has not are told by one word. */
static bool may_have(const struct dynsym *d, u32 hash)
{
	u64 word;

	return read_record(d, &d->hash, HEAD_WORDS * sizeof(u32), hash / 64 % d->nr_words, &word,
			   sizeof(word)) &&
	       word >> hash % 64 & word >> (hash >> d->shift) % 64 & 1;
}

static bool is_called(const struct dynsym *d, const Elf64_Sym *symbol, const char *name)
{
	size_t size = strlen(name) + 1;
	char bytes[MAX_NAME];

	return size <= sizeof(bytes) &&
	       read_record(d, &d->strings, symbol->st_name, 0, bytes, size) &&
	       !memcmp(bytes, name, size);
}

bool dynsym_find(const struct dynsym *d, const char *name, Elf64_Sym *symbol)
{
	u64 buckets = HEAD_WORDS * sizeof(u32) + (u64)d->nr_words * sizeof(u64);
	u64 chains = buckets + (u64)d->nr_buckets * sizeof(u32);
	u32 hash = hash_of(name), at, other;

	if (!may_have(d, hash) ||
	    !read_record(d, &d->hash, buckets, hash % d->nr_buckets, &at, sizeof(at)))
		return false;
	if (at < d->first)
		return false;
	for (u32 i = 0; i < MAX_CHAIN; i++, at++) {
		if (!read_record(d, &d->hash, chains, at - d->first, &other, sizeof(other)))
			return false;
		if ((other | 1) == (hash | 1) &&
		    read_record(d, &d->symbols, 0, at, symbol, sizeof(*symbol)) &&
		    symbol->st_shndx && is_called(d, symbol, name))
			return true;
		if (other & 1)
			return false;
	}
	return false;
}

bool dynsym_read(const struct dynsym *d, const Elf64_Sym *symbol, void *to, size_t size)
{
	Elf64_Shdr section;
	u64 within, offset;

	if (!elf_eh_section(d->elf, symbol->st_shndx, &section) || section.sh_type == SHT_NOBITS)
		return false;
	within = symbol->st_value - section.sh_addr;
	return lies_within(within, size, section.sh_size) &&
	       checked_add(section.sh_offset, within, &offset) &&
	       elf_eh_read(d->elf, offset, to, size);
}
