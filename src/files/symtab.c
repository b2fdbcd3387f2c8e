/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * symtab.c: names for many addresses in one pass over a symbol table.
 *
 * A table of 86,000 symbols takes 15 ms to sort, but only the few hundred addresses that were seen
 * matter: they are sorted, and each symbol finds by binary search the ones that it covers.
 *
 *	addresses        a0     a1 a2          a3        a4
 *	sized symbols  [-----------------)   [-----)                 cover a0 a1 a2, and a3
 *	bare symbols                               |  |-> reaches to the next symbol: a4
 *
 * A symbol without a size (assembly: _init) reaches to the next symbol or the end of its section,
 * where a whole symbol table says which one is the next. A table of what others link to (.dynsym)
 * lacks the local functions between: there it names its own address only. Reaching would need the
 * sorted table, too; instead each symbol leaves its start at the first address that is not below
 * it, and a running maximum afterwards gives the last start below each address. A bare symbol
 * counts where it is that last one.
 *
 * Symbols are read in blocks, names only when two symbols compete and in the end. What a hostile
 * table can cost is bounded by a budget of steps.
 */
#include "symtab.h"

#include "base/checked.h"

enum {
	BLOCK_SYMBOLS = 2048,
	MAX_SYMBOLS = 16 << 20,
	MAX_TABLES = 4,
	BUDGET = 64 << 20, /* steps: a symbol that covers an address is one */
	NAME_STEPS = 512,  /* comparing two names reads the file up to four times */
};

/* A symbol that may name an address. */
struct candidate {
	u64 start;
	u32 name;    /* offset of its name */
	u16 section; /* st_shndx */
	u8 table;    /* 1 + index into struct search.tables; 0: no candidate */
	u8 rank;     /* the smaller the better */
};

struct hit {
	struct candidate sized;
	struct candidate bare;
	u64 last_start; /* of all functions' starts that are not above the address */
	size_t symbol;	/* in the reply */
};

/* A symbol table and whose strings it uses. */
struct table_ref {
	const struct elf *elf;
	const Elf64_Shdr *symbols, *strings;
	bool debug_file;
};

struct search {
	u64 *addresses; /* memory addresses, ascending; hits run parallel */
	struct hit *hits;
	size_t nr;
	struct table_ref tables[MAX_TABLES];
	size_t nr_tables;
	u64 nr_functions;
	u64 steps;
	bool cut;
	bool whole; /* there is a table with all functions, not only those that others link to */
};

static bool spend(struct search *s, u64 steps)
{
	s->steps += steps;
	s->cut |= s->steps > BUDGET;
	return !s->cut;
}

/* Function over object, global over weak over local. 0xff: no name for code. */
static u8 rank_of(const Elf64_Sym *symbol, u64 section_flags)
{
	static const u8 types[16] = {
		[STT_FUNC] = 1, [STT_GNU_IFUNC] = 1, [STT_NOTYPE] = 2, [STT_OBJECT] = 3};
	static const u8 bindings[16] = {
		[STB_GLOBAL] = 1, [STB_GNU_UNIQUE] = 1, [STB_WEAK] = 2, [STB_LOCAL] = 3};
	u8 type = types[ELF64_ST_TYPE(symbol->st_info)];
	u8 binding = bindings[ELF64_ST_BIND(symbol->st_info)];

	if (!type || !binding || symbol->st_shndx == SHN_UNDEF)
		return 0xff;
	if (type > 1 && !(section_flags & SHF_EXECINSTR))
		return 0xff;
	/* Labels inside of assembly functions, and AArch64's mapping symbols $x and $d. */
	if (type == 2 && binding == 3)
		return 0xff;
	return (u8)(type << 2 | binding);
}

static size_t candidate_name(const struct search *s, const struct candidate *c, char *to,
			     size_t room)
{
	const struct table_ref *table = &s->tables[c->table - 1];

	return elf_string(table->elf, table->strings, c->name, to, room);
}

/* Fewest leading underscores, shortest, bytewise. */
static int compare_names(const char *a, const char *b)
{
	size_t bars_a = strspn(a, "_"), bars_b = strspn(b, "_");
	size_t size_a = strlen(a), size_b = strlen(b);

	if (bars_a != bars_b)
		return bars_a < bars_b ? -1 : 1;
	if (size_a != size_b)
		return size_a < size_b ? -1 : 1;
	return strcmp(a, b);
}

/* Is `a` the better name? The innermost symbol wins before anything else. */
static bool is_better(struct search *s, const struct candidate *a, const struct candidate *b)
{
	char name_a[1024], name_b[1024];

	if (!b->table || a->start != b->start)
		return !b->table || a->start > b->start;
	if (a->rank != b->rank)
		return a->rank < b->rank;
	if (!spend(s, NAME_STEPS))
		return false;
	if (!candidate_name(s, a, name_a, sizeof(name_a)))
		return false;
	candidate_name(s, b, name_b, sizeof(name_b));
	return !*name_b || compare_names(name_a, name_b) < 0;
}

static void consider(struct search *s, struct candidate c, u64 size)
{
	size_t i = lower_bound(s->addresses, s->nr, c.start);

	s->nr_functions++;
	if (i == s->nr)
		return;
	s->hits[i].last_start = max(s->hits[i].last_start, c.start);
	if (!size && is_better(s, &c, &s->hits[i].bare))
		s->hits[i].bare = c;
	for (; i < s->nr && s->addresses[i] - c.start < size && spend(s, 1); i++)
		if (is_better(s, &c, &s->hits[i].sized))
			s->hits[i].sized = c;
}

static void consider_symbol(struct search *s, const struct elf *elf, u8 table,
			    const Elf64_Sym *symbol)
{
	u64 flags = symbol->st_shndx < elf->sections.nr
			    ? elf->sections.at[symbol->st_shndx].sh_flags
			    : 0;
	struct candidate c = {
		.start = symbol->st_value,
		.name = symbol->st_name,
		.section = symbol->st_shndx,
		.table = table,
		.rank = rank_of(symbol, flags),
	};

	if (c.rank == 0xff || !c.name)
		return;
	if (elf->machine == EM_ARM)
		c.start &= ~1ull; /* marks Thumb code */
	consider(s, c, symbol->st_size);
}

static void widen_symbols(const Elf32_Sym *from, Elf64_Sym *to, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		to[i] = (Elf64_Sym){
			.st_name = from[i].st_name,
			.st_info = from[i].st_info,
			.st_other = from[i].st_other,
			.st_shndx = from[i].st_shndx,
			.st_value = from[i].st_value,
			.st_size = from[i].st_size,
		};
}

/* Reads up to BLOCK_SYMBOLS symbols from the `first` on; returns how many there were. */
static size_t read_symbols(const struct elf *elf, const Elf64_Shdr *table, u64 first, Elf64_Sym *to)
{
	Elf32_Sym narrow[BLOCK_SYMBOLS];
	size_t size = elf->is32 ? sizeof(*narrow) : sizeof(*to);
	u64 nr = min(table->sh_size / size - first, (u64)BLOCK_SYMBOLS), at;

	if (!checked_record(table->sh_offset, first, size, &at))
		return 0;
	nr = bytes_read_some(&elf->bytes, at, elf->is32 ? (void *)narrow : to, nr * size) / size;
	if (elf->is32)
		widen_symbols(narrow, to, nr);
	return nr;
}

/* Tables that lack their strings are passed over; one whose end is missing is used as far as it
 * goes. */
static void scan(struct search *s, const struct elf *elf, u32 type, bool debug_file)
{
	const Elf64_Shdr *table = elf_section(elf, type);
	_cleanup_free_ Elf64_Sym *symbols = NULL;
	u64 first = 0;
	size_t nr;

	if (!table || table->sh_link >= elf->sections.nr || s->nr_tables == MAX_TABLES)
		return;
	s->whole |= type == SHT_SYMTAB;
	s->tables[s->nr_tables++] = (struct table_ref){
		.elf = elf,
		.symbols = table,
		.strings = &elf->sections.at[table->sh_link],
		.debug_file = debug_file,
	};
	symbols = xcalloc(BLOCK_SYMBOLS, sizeof(*symbols));
	while (!s->cut && (nr = read_symbols(elf, table, first, symbols)) > 0) {
		for (size_t i = 0; i < nr; i++)
			consider_symbol(s, elf, (u8)s->nr_tables, &symbols[i]);
		first += nr;
		s->cut |= first >= MAX_SYMBOLS;
	}
}

struct place {
	u64 address;
	size_t symbol;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

/* Segments need not lie in memory as they lie in the file: sort again. */
static void search_init(struct search *s, const struct elf *elf, const struct files_symbols *reply)
{
	_cleanup_free_ struct place *places = xcalloc(reply->nr, sizeof(*places));
	size_t nr = 0;

	for (size_t i = 0; i < reply->nr; i++) {
		if (elf_address(elf, reply->at[i].address, &places[nr].address))
			places[nr++].symbol = i;
	}
	qsort(places, nr, sizeof(*places), compare_places);
	*s = (struct search){
		.addresses = xcalloc(nr, sizeof(*s->addresses)),
		.hits = xcalloc(nr, sizeof(*s->hits)),
		.nr = nr,
	};
	for (size_t i = 0; i < nr; i++) {
		s->addresses[i] = places[i].address;
		s->hits[i].symbol = places[i].symbol;
	}
}

static void search_release(struct search *s)
{
	free(s->addresses);
	free(s->hits);
}

static bool in_its_section(const struct search *s, const struct candidate *c, u64 address)
{
	const struct elf *elf = s->tables[c->table - 1].elf;
	const Elf64_Shdr *section;

	if (c->section >= elf->sections.nr)
		return false;
	section = &elf->sections.at[c->section];
	return address >= section->sh_addr && address - section->sh_addr < section->sh_size;
}

/* Whether a symbol without a size names an address; `last_start` is of the symbols up to there. */
static bool reaches(const struct search *s, const struct candidate *c, u64 address, u64 last_start)
{
	if (address == c->start)
		return true;
	return s->whole && c->start == last_start && in_its_section(s, c, address);
}

/* Carries starts and bare symbols forward to the addresses after them. */
static void spread(struct search *s)
{
	struct candidate bare = {};
	u64 last_start = 0;

	for (size_t i = 0; i < s->nr; i++) {
		struct hit *hit = &s->hits[i];

		last_start = hit->last_start = max(last_start, hit->last_start);
		if (hit->bare.table)
			bare = hit->bare;
		hit->bare = bare;
		if (bare.table && !reaches(s, &bare, s->addresses[i], last_start))
			hit->bare.table = 0;
	}
}

static void answer(struct search *s, struct files_symbols *reply)
{
	_cleanup_free_ char *name = xcalloc(1, NAME_SIZE_MAX + 1);

	for (size_t i = 0; i < s->nr; i++) {
		const struct hit *hit = &s->hits[i];
		const struct candidate *c = hit->sized.table ? &hit->sized : &hit->bare;
		struct files_symbol *symbol = &reply->at[hit->symbol];
		size_t size;

		if (!c->table)
			continue;
		size = candidate_name(s, c, name, NAME_SIZE_MAX + 1);
		if (!size)
			continue;
		reply_name(symbol, symbol->address - (s->addresses[i] - c->start), name, size);
		reply->debug_file |= s->tables[c->table - 1].debug_file;
	}
}

u64 symtab_name(const struct elf *elf, const struct elf *debug, struct files_symbols *reply)
{
	_cleanup_(search_release) struct search s;

	search_init(&s, elf, reply);
	scan(&s, elf, SHT_SYMTAB, false);
	if (debug)
		scan(&s, debug, SHT_SYMTAB, true);
	scan(&s, elf, SHT_DYNSYM, false);
	spread(&s);
	answer(&s, reply);
	reply->cut |= s.cut;
	return s.nr_functions;
}
