/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf_lines.h"
#include "dwarf_scopes.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <sys/mman.h>

enum {
	MAX_NESTING = 128,	 /* of what is in a unit: namespaces, types, functions, blocks */
	MAX_CALL = 1 << 20,	 /* a line's number beyond that is none */
	STEPS_AT_ONCE = 1024,	 /* between two looks at the clock */
	LINES_AT_ONCE = 1 << 20, /* of units that libdw may remember, about 40 bytes each */
	NR_KEPT_NAMES = 256,
};

/* An address that is asked for, and the functions that it is in: the first one has the code. */
struct hit {
	u64 address;
	size_t place; /* in what was asked */
	u64 unit;     /* offset of the unit that has it; 0: none */
	u64 function; /* offset of the first one; 0: none was found yet */
	u32 depth;    /* of the last one */
	VEC(Dwarf_Die) chain;
};

struct search {
	struct found_lines *found;
	struct hit *hits; /* by address */
	size_t nr;
	u64 deadline_ns;
	u32 steps;
	bool late;
	size_t nr_lines; /* that libdw remembers */
	/* What is being looked at: a unit, its files, and a function in it. Offsets; 0: none. */
	u64 unit;
	Dwarf_Files *files;
	u64 function;
	/* Names that take a search, by where the DIE of what was inlined is. */
	struct {
		const void *of;
		u32 name;
	} kept_names[NR_KEPT_NAMES];
};

static bool is_late(struct search *s)
{
	if (!s->late && !(++s->steps % STEPS_AT_ONCE))
		s->late = monotonic_ns() >= s->deadline_ns;
	return s->late;
}

/* After what may have taken long by itself. */
static bool is_late_now(struct search *s)
{
	s->late |= monotonic_ns() >= s->deadline_ns;
	return s->late;
}

static size_t first_at(const struct search *s, u64 address)
{
	size_t low = 0, high = s->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (s->hits[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Calls `take` for each hit in the ranges of a DIE; returns how many there are. */
static size_t in_ranges(struct search *s, Dwarf_Die *die, u32 depth,
			bool (*take)(struct search *s, struct hit *hit, Dwarf_Die *die, u32 depth))
{
	Dwarf_Addr base, low, high;
	ptrdiff_t at = 0;
	size_t nr = 0;

	while ((at = dwarf_ranges(die, at, &base, &low, &high)) > 0 && !is_late(s))
		for (size_t i = first_at(s, low); i < s->nr && s->hits[i].address < high; i++)
			nr += take(s, &s->hits[i], die, depth);
	return nr;
}

/* ---- what is where */

static bool take_unit(struct search *s, struct hit *hit, Dwarf_Die *die, u32 depth)
{
	(void)s, (void)depth;
	if (!hit->unit)
		hit->unit = dwarf_dieoffset(die);
	return true;
}

/* No other function has the address, but for one that this one is nested in. */
static bool take_function(struct search *s, struct hit *hit, Dwarf_Die *die, u32 depth)
{
	if (hit->unit != s->unit || hit->function != s->function)
		return false;
	hit->function = dwarf_dieoffset(die);
	hit->chain.nr = 0;
	*vec_add(&hit->chain) = *die;
	hit->depth = depth;
	return true;
}

/* Of two calls beside each other that both claim the address, the first one has it. */
static bool take_inlined(struct search *s, struct hit *hit, Dwarf_Die *die, u32 depth)
{
	if (hit->unit != s->unit || hit->function != s->function)
		return false;
	if (depth > hit->depth && hit->chain.nr < LINES_MAX_DEPTH) {
		*vec_add(&hit->chain) = *die;
		hit->depth = depth;
	}
	return true;
}

static bool is_there(struct search *s, struct hit *hit, Dwarf_Die *die, u32 depth)
{
	(void)die, (void)depth;
	return hit->unit == s->unit && hit->function == s->function;
}

static void visit_children(struct search *s, Dwarf_Die *die, u32 depth);

static void visit_function(struct search *s, Dwarf_Die *die, u32 depth)
{
	u64 around = s->function;

	if (!in_ranges(s, die, depth, take_function))
		return;
	s->function = dwarf_dieoffset(die);
	visit_children(s, die, depth);
	s->function = around;
}

/* A block without addresses of its own has some inside, or not. */
static bool may_have_hits(struct search *s, Dwarf_Die *block, u32 depth)
{
	return in_ranges(s, block, depth, is_there) ||
	       !(dwarf_hasattr(block, DW_AT_ranges) || dwarf_hasattr(block, DW_AT_low_pc));
}

static void visit(struct search *s, Dwarf_Die *die, u32 depth)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_subprogram:
		visit_function(s, die, depth);
		return;
	case DW_TAG_inlined_subroutine:
		if (s->function && in_ranges(s, die, depth, take_inlined))
			visit_children(s, die, depth);
		return;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		if (s->function && may_have_hits(s, die, depth))
			visit_children(s, die, depth);
		return;
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_interface_type:
	case DW_TAG_enumeration_type:
		visit_children(s, die, depth);
		return;
	}
}

static void visit_children(struct search *s, Dwarf_Die *die, u32 depth)
{
	Dwarf_Die child;
	bool late;

	if (depth >= MAX_NESTING || !dwarf_haschildren(die) || dwarf_child(die, &child))
		return;
	do {
		visit(s, &child, depth + 1);
		/* The next one is behind all that this one has. */
		late = dwarf_haschildren(&child) ? is_late_now(s) : is_late(s);
	} while (!late && !dwarf_siblingof(&child, &child));
}

/* ---- what it is called */

static const char *linkage_name(Dwarf_Die *die)
{
	static const unsigned int names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name};
	const char *name = NULL;
	Dwarf_Attribute attribute;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !name; i++)
		name = dwarf_formstring(dwarf_attr_integrate(die, names[i], &attribute));
	return name;
}

static u32 source_name(struct search *s, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);
	_cleanup_strbuf_ struct strbuf scoped = {};

	if (!name)
		return 0;
	if (dwarf_scoped_name(die, name, s->deadline_ns, &scoped))
		return found_lines_name(s->found, scoped.s, scoped.size);
	return found_lines_name(s->found, name, strlen(name));
}

static u32 kept_source_name(struct search *s, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin;
	const void *of = die->addr;
	size_t i;

	if (dwarf_formref_die(dwarf_attr(die, DW_AT_abstract_origin, &attribute), &origin))
		of = origin.addr;
	i = (uintptr_t)of % NR_KEPT_NAMES;
	if (s->kept_names[i].of != of) {
		s->kept_names[i].name = source_name(s, die);
		s->kept_names[i].of = of;
	}
	return s->kept_names[i].name;
}

/* As the linker knows it, where it does; the name in the source else. */
static u32 name_of(struct search *s, Dwarf_Die *die)
{
	const char *name = linkage_name(die);

	return name ? found_lines_name(s->found, name, strlen(name)) : kept_source_name(s, die);
}

static u32 path_name(struct search *s, const char *path)
{
	return path ? found_lines_name(s->found, path, strlen(path)) : 0;
}

static u32 line_number(Dwarf_Word number)
{
	return number <= MAX_CALL ? (u32)number : 0;
}

/* Where an inlined function was called. */
static void add_call(struct search *s, Dwarf_Die *die, struct files_line *line)
{
	Dwarf_Attribute attribute;
	Dwarf_Word value;

	if (!dwarf_formudata(dwarf_attr(die, DW_AT_call_line, &attribute), &value))
		line->line = line_number(value);
	if (s->files && !dwarf_formudata(dwarf_attr(die, DW_AT_call_file, &attribute), &value))
		line->path = path_name(s, dwarf_filesrc(s->files, value, NULL, NULL));
}

static void add_lines(struct search *s, Dwarf_Die *unit, struct hit *hit)
{
	struct files_line lines[LINES_MAX_DEPTH] = {};
	Dwarf_Line *own = dwarf_getsrc_die(unit, hit->address);
	size_t nr = hit->chain.nr;
	int number;

	if (own && !dwarf_lineno(own, &number) && number > 0) {
		lines[0].line = line_number((Dwarf_Word)number);
		lines[0].path = path_name(s, dwarf_linesrc(own, NULL, NULL));
	}
	for (size_t i = 0; i < nr; i++)
		lines[i].function = name_of(s, &hit->chain.at[nr - 1 - i]);
	for (size_t i = 1; i < nr; i++)
		add_call(s, &hit->chain.at[nr - i], &lines[i]);
	if (nr || lines[0].line)
		found_lines_add(s->found, hit->place, lines, max(nr, (size_t)1));
}

/* ---- units */

/* Returns how many there are. */
static size_t find_units(struct search *s, Dwarf *dwarf)
{
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	size_t nr = 0;
	u8 type;

	for (; !dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, NULL) && !is_late(s); nr++)
		if (type == DW_UT_compile && dwarf_tag(&die) == DW_TAG_compile_unit)
			in_ranges(s, &die, 0, take_unit);
	return nr;
}

/* All hits of the unit that hit i is in. */
static void find_in_unit(struct search *s, Dwarf *dwarf, size_t i)
{
	Dwarf_Lines *lines;
	Dwarf_Die unit;
	size_t nr;

	s->unit = s->hits[i].unit;
	if (!dwarf_offdie(dwarf, s->unit, &unit))
		return;
	if (dwarf_getsrcfiles(&unit, &s->files, &nr))
		s->files = NULL;
	visit_children(s, &unit, 0);
	for (size_t k = i; k < s->nr; k++) {
		if (s->hits[k].unit != s->unit)
			continue;
		add_lines(s, &unit, &s->hits[k]);
		s->hits[k].unit = 0;
		vec_release(&s->hits[k].chain);
	}
	if (!dwarf_getsrclines(&unit, &lines, &nr))
		s->nr_lines += nr;
}

static int by_address(const void *a, const void *b)
{
	const struct hit *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void search_init(struct search *s, const struct elf *elf, const u64 *offsets)
{
	s->hits = xcalloc(s->found->nr, sizeof(*s->hits));
	for (size_t i = 0; i < s->found->nr; i++) {
		struct hit *hit = &s->hits[s->nr];

		hit->place = i;
		s->nr += elf_address(elf, offsets[i], &hit->address);
	}
	qsort(s->hits, s->nr, sizeof(*s->hits), by_address);
}

/* ---- files */

/*
 * Mapped, and not read: of hundreds of MB little is looked at. Not to be written to, so that it is
 * not counted as the parser's memory (RLIMIT_DATA), but for the table of sections: libelf writes
 * there which ones it has decompressed.
 */
struct opened {
	void *at;
	size_t size;
	Elf *elf;
	Dwarf *dwarf;
};

static bool let_sections_change(const struct opened *o)
{
	size_t nr, page = (size_t)sysconf(_SC_PAGESIZE), first, end;
	GElf_Ehdr head;

	if (!gelf_getehdr(o->elf, &head) || elf_getshdrnum(o->elf, &nr) || head.e_shoff > o->size ||
	    nr > (o->size - head.e_shoff) / sizeof(Elf64_Shdr))
		return false;
	first = head.e_shoff / page * page;
	end = head.e_shoff + nr * sizeof(Elf64_Shdr);
	return !mprotect((char *)o->at + first, end - first, PROT_READ | PROT_WRITE);
}

static bool open_dwarf(struct opened *o, const struct bytes *bytes)
{
	if (bytes->memory || !bytes->size)
		return false;
	o->at = mmap(NULL, bytes->size, PROT_READ, MAP_PRIVATE | MAP_NORESERVE, bytes->fd, 0);
	if (o->at == MAP_FAILED)
		return false;
	o->size = bytes->size;
	elf_version(EV_CURRENT);
	o->elf = elf_memory(o->at, o->size);
	if (o->elf && let_sections_change(o))
		o->dwarf = dwarf_begin_elf(o->elf, DWARF_C_READ, NULL);
	return o->dwarf;
}

/* So that libdw forgets the units that it has seen. */
static bool open_again(struct opened *o, const struct opened *shared)
{
	dwarf_end(o->dwarf);
	o->dwarf = dwarf_begin_elf(o->elf, DWARF_C_READ, NULL);
	if (o->dwarf && shared->dwarf)
		dwarf_setalt(o->dwarf, shared->dwarf);
	return o->dwarf;
}

static void find_all(struct search *s, struct opened *own, const struct opened *shared)
{
	/* What is too large when it is decompressed libdw takes for not there. */
	s->found->cut |= !find_units(s, own->dwarf);
	for (size_t i = 0; i < s->nr && !s->late; i++) {
		if (!s->hits[i].unit)
			continue;
		find_in_unit(s, own->dwarf, i);
		if (s->nr_lines < LINES_AT_ONCE)
			continue;
		s->nr_lines = 0;
		if (!open_again(own, shared)) {
			s->found->cut = true;
			break;
		}
	}
	s->found->cut |= s->late;
}

static void close_dwarf(struct opened *o)
{
	if (o->dwarf)
		dwarf_end(o->dwarf);
	if (o->elf)
		elf_end(o->elf);
	if (o->size)
		munmap(o->at, o->size);
}

bool dwarf_is_in(const struct elf *elf)
{
	return elf_section_named(elf, ".debug_info") || elf_section_named(elf, ".zdebug_info");
}

void dwarf_find_lines(const struct elf *elf, const struct dwarf_files *files, const u64 *offsets,
		      u64 deadline_ns, struct found_lines *found)
{
	_cleanup_(close_dwarf) struct opened shared = {}, own = {};
	struct search s = {.found = found, .deadline_ns = deadline_ns};

	if (!open_dwarf(&own, &files->own)) {
		found->cut = true;
		return;
	}
	if (open_dwarf(&shared, &files->shared))
		dwarf_setalt(own.dwarf, shared.dwarf);
	search_init(&s, elf, offsets);
	find_all(&s, &own, &shared);
	for (size_t i = 0; i < s.nr; i++)
		vec_release(&s.hits[i].chain);
	free(s.hits);
}
