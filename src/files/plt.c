/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plt.c: no symbol covers a stub, but the n-th stub belongs to the n-th relocation of .rela.plt
 * (System V ABI, x86-64 supplement, 5.2), and that names the function. The first stub of .plt is
 * the one that calls the linker; with control-flow protection the stubs that run are in .plt.sec,
 * without such a first one. A table whose size does not fit its relocations is left alone.
 */
#include "plt.h"

#include "base/checked.h"

struct plt {
	const struct elf *elf;
	const Elf64_Shdr *stubs, *relocations, *symbols, *strings;
	u64 header; /* bytes before the first stub */
	u64 stub_size;
	u64 relocation_size;
	u64 nr;
};

static u64 header_size(u16 machine)
{
	return machine == EM_AARCH64 ? 32 : machine == EM_ARM ? 20 : 16;
}

static bool find_tables(struct plt *plt)
{
	const struct elf *elf = plt->elf;

	plt->symbols = elf_section(elf, SHT_DYNSYM);
	if (!plt->symbols || plt->symbols->sh_link >= elf->sections.nr)
		return false;
	plt->strings = &elf->sections.at[plt->symbols->sh_link];
	plt->stubs = elf_section_named(elf, ".plt.sec");
	if (!plt->stubs) {
		plt->stubs = elf_section_named(elf, ".plt");
		plt->header = header_size(elf->machine);
	}
	plt->relocations = elf_section_named(elf, elf->is32 ? ".rel.plt" : ".rela.plt");
	return plt->stubs && plt->relocations;
}

static bool plt_init(struct plt *plt, const struct elf *elf)
{
	*plt = (struct plt){
		.elf = elf,
		.relocation_size = elf->is32 ? sizeof(Elf32_Rel) : sizeof(Elf64_Rela),
	};
	if (!find_tables(plt) || plt->stubs->sh_size <= plt->header)
		return false;
	plt->nr = plt->relocations->sh_size / plt->relocation_size;
	if (!plt->nr)
		return false;
	plt->stub_size = (plt->stubs->sh_size - plt->header) / plt->nr;
	return plt->stub_size * plt->nr == plt->stubs->sh_size - plt->header &&
	       plt->stub_size >= 8 && plt->stub_size <= 32;
}

/* Both classes of relocation have the symbol in the upper part of their second word. */
static bool symbol_of(const struct plt *plt, u64 slot, u64 *symbol)
{
	Elf64_Rela wide;
	Elf32_Rel narrow;
	u64 at;

	if (!checked_record(plt->relocations->sh_offset, slot, plt->relocation_size, &at))
		return false;
	if (plt->elf->is32) {
		if (!bytes_read(&plt->elf->bytes, at, &narrow, sizeof(narrow)))
			return false;
		*symbol = ELF32_R_SYM(narrow.r_info);
	} else {
		if (!bytes_read(&plt->elf->bytes, at, &wide, sizeof(wide)))
			return false;
		*symbol = ELF64_R_SYM(wide.r_info);
	}
	return *symbol != 0;
}

/* st_name is the first word in both classes. */
static size_t name_of(const struct plt *plt, u64 symbol, char *to, size_t room)
{
	u64 size = plt->elf->is32 ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym), at;
	u32 name;

	if (symbol >= plt->symbols->sh_size / size ||
	    !checked_record(plt->symbols->sh_offset, symbol, size, &at) ||
	    !bytes_read(&plt->elf->bytes, at, &name, sizeof(name)))
		return 0;
	return elf_string(plt->elf, plt->strings, name, to, room);
}

void plt_name(const struct elf *elf, struct files_symbols *reply)
{
	static const char suffix[] = "@plt";
	char name[1024 + sizeof(suffix)];
	struct plt plt;
	u64 first, address, slot, symbol;
	size_t size;

	if (!plt_init(&plt, elf) || !checked_add(plt.stubs->sh_addr, plt.header, &first))
		return;
	for (size_t i = 0; i < reply->nr; i++) {
		struct files_symbol *hit = &reply->at[i];

		if (hit->name || !elf_address(elf, hit->address, &address) || address < first)
			continue;
		slot = (address - first) / plt.stub_size;
		if (slot >= plt.nr || !symbol_of(&plt, slot, &symbol))
			continue;
		size = name_of(&plt, symbol, name, sizeof(name) - sizeof(suffix));
		if (!size)
			continue;
		memcpy(name + size, suffix, sizeof(suffix));
		reply_name(hit, hit->address - (address - first) % plt.stub_size, name,
			   size + sizeof(suffix) - 1);
	}
}
