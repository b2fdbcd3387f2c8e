/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "golines.h"

#include "base/checked.h"
#include "reader.h"

enum {
	MAGIC_1_20 = 0xfffffff1,
	/* Words of the header. */
	UNITS = 5,
	FILES = 6,
	/* Fields of a record, in bytes. */
	PCFILE = 20,
	PCLN = 24,
	NR_PCDATA = 28,
	UNIT = 32,
	NR_FUNCDATA = 43,
	PCDATA = 44,
	/* Numbers of tables. */
	PCDATA_TREE = 2,
	FUNCDATA_TREE = 3,
	/* An entry of a tree. */
	ENTRY_SIZE = 16,
	ENTRY_NAME = 4,
	ENTRY_CALL = 8,
	/* Words of moduledata: go:func.* is the 40th of Go 1.20 to 1.26. */
	FIRST_WORD = 34,
	LAST_WORD = 48,
	MODULE_SIZE = (LAST_WORD + 1) * 8,
	MAX_SEARCHED = 64 << 20, /* bytes of data, for moduledata */
	NR_TRIED = 64,		 /* functions by which a place is judged */
	PIECE = 1 << 16,
	STEP_COST = 4,
};

/* The value at a distance from the function's start, of a table in pctab; -1: it has none. */
static s32 value_at(struct go *go, u32 table, u64 within)
{
	u64 place, end = 0;
	u32 value = UINT32_MAX;
	struct reader r;

	if (!table || !checked_add(go_word(go, go->layout->pctab), table, &place) ||
	    place >= go->elf->gopclntab_size)
		return -1;
	r = reader_of(go->elf->gopclntab + place, go->elf->gopclntab_size - place);
	for (bool first = true;; first = false) {
		u64 change = reader_uleb(&r), length = reader_uleb(&r);

		if (r.cut || (!change && !first) || length > UINT32_MAX || !go_spend(go, STEP_COST))
			return -1;
		value += (u32)(change >> 1) ^ -(u32)(change & 1);
		end += length * go->code_align;
		if (within < end)
			return (s32)value;
	}
}

static u8 byte_of(const struct go *go, u32 function, u32 within)
{
	return (u8)(go_record(go, function, within & ~3u) >> 8 * (within & 3));
}

static s32 tree_index(struct go *go, u32 function, u64 within)
{
	if (go_record(go, function, NR_PCDATA) <= PCDATA_TREE)
		return -1;
	return value_at(go, go_record(go, function, PCDATA + 4 * PCDATA_TREE), within);
}

/* Where the function's tree is, from go:func.* on; false: it has none. */
static bool tree_of(const struct go *go, u32 function, u32 *tree)
{
	u32 nr = go_record(go, function, NR_PCDATA);

	if (nr > UINT8_MAX || byte_of(go, function, NR_FUNCDATA) <= FUNCDATA_TREE)
		return false;
	*tree = go_record(go, function, PCDATA + 4 * (nr + FUNCDATA_TREE));
	return *tree != UINT32_MAX;
}

/* A name, or a path, in the table. */
static bool text_at(const struct go *go, u64 at, const char **text, size_t *size)
{
	const char *begin = (const char *)go->elf->gopclntab + at;
	const char *end = at < go->elf->gopclntab_size
				  ? memchr(begin, '\0', go->elf->gopclntab_size - at)
				  : NULL;

	if (!end)
		return false;
	*text = begin;
	*size = (size_t)(end - begin);
	return true;
}

/* A call that was inlined: the name of its function, and the place of it in the outer one. */
static bool read_call(const struct go *go, const struct go_trees *trees, u32 tree, s32 index,
		      struct go_line *line, u64 *call)
{
	u64 within = tree + (u64)(u32)index * ENTRY_SIZE, at;
	u8 entry[ENTRY_SIZE];
	u32 name, place;

	if (index < 0 || !lies_within(within, ENTRY_SIZE, trees->size) ||
	    !elf_eh_read(go->elf, trees->offset + within, entry, sizeof(entry)))
		return false;
	memcpy(&name, entry + ENTRY_NAME, sizeof(name));
	memcpy(&place, entry + ENTRY_CALL, sizeof(place));
	*call = place;
	return checked_add(go_word(go, go->layout->names), name, &at) &&
	       text_at(go, at, &line->function, &line->function_size) && line->function_size;
}

static void add_place(struct go *go, u32 function, u64 within, struct go_line *line)
{
	s32 number = value_at(go, go_record(go, function, PCLN), within);
	s32 file = value_at(go, go_record(go, function, PCFILE), within);
	u64 unit = go_word(go, UNITS), at;

	line->line = number > 0 ? (u32)number : 0;
	if (file < 0 ||
	    !checked_record(unit, (u64)go_record(go, function, UNIT) + (u32)file, 4, &at) ||
	    !checked_add(go_word(go, FILES), go_number(go, at, 4), &at) ||
	    !text_at(go, at, &line->path, &line->path_size)) {
		line->path = "";
		line->path_size = 0;
	}
}

size_t go_lines_at(struct go *go, const struct go_trees *trees, u32 function, u64 within,
		   struct go_line *lines, size_t max)
{
	size_t nr = 0;
	u32 tree;

	if (go->layout->magic != MAGIC_1_20)
		return 0;
	if (trees->size && tree_of(go, function, &tree)) {
		struct go_line line = {};
		u64 call;

		while (nr + 1 < max &&
		       read_call(go, trees, tree, tree_index(go, function, within), &line, &call)) {
			add_place(go, function, within, &line);
			lines[nr++] = line;
			within = call;
		}
	}
	lines[nr] = (struct go_line){};
	lines[nr].function = go_name(go, function, &lines[nr].function_size);
	add_place(go, function, within, &lines[nr]);
	return lines[nr].function ? nr + 1 : 0;
}

/* ---- where the trees are */

/* The section that has an address, as a place in the file and what is left from there on. */
static bool find_address(const struct go *go, u64 address, struct go_trees *place)
{
	Elf64_Shdr section;

	for (u32 i = 1; i < go->elf->nr_sections; i++) {
		u64 within;

		if (!elf_eh_section(go->elf, i, &section) || section.sh_type == SHT_NOBITS ||
		    !(section.sh_flags & SHF_ALLOC))
			continue;
		within = address - section.sh_addr;
		if (address < section.sh_addr || within >= section.sh_size ||
		    !checked_add(section.sh_offset, within, &place->offset))
			continue;
		place->size = section.sh_size - within;
		return true;
	}
	return false;
}

/* Names stand one behind the other: one begins where another one has ended. */
static bool is_name(const struct go *go, u64 at)
{
	return at && at < go->elf->gopclntab_size && go->elf->gopclntab[at] &&
	       !go->elf->gopclntab[at - 1];
}

/* Are there trees? All of those that are looked at have to be. */
static bool has_trees(struct go *go, const struct go_trees *trees)
{
	u32 tried = 0;

	for (u32 i = 0; i < go->nr && tried < NR_TRIED; i++) {
		struct go_line line;
		u32 tree;
		u64 call;

		if (!tree_of(go, i, &tree))
			continue;
		tried++;
		if (!read_call(go, trees, tree, 0, &line, &call) ||
		    !is_name(go, (u64)(line.function - (const char *)go->elf->gopclntab)) ||
		    call >= go_entry(go, i + 1) - go_entry(go, i))
			return false;
	}
	return tried;
}

static bool try_module(struct go_trees *trees, struct go *go, u64 offset)
{
	u64 words[LAST_WORD + 1];

	if (!elf_eh_read(go->elf, offset, words, sizeof(words)))
		return false;
	for (u32 i = FIRST_WORD; i <= LAST_WORD; i++)
		if (find_address(go, words[i], trees) && has_trees(go, trees))
			return true;
	return false;
}

/* Looks for the table's address in a section. */
static bool search_section(struct go_trees *trees, struct go *go, const Elf64_Shdr *section,
			   u64 *left)
{
	_cleanup_free_ u64 *words = xcalloc(PIECE / sizeof(u64), sizeof(u64));

	for (u64 at = 0; at < section->sh_size && *left; at += PIECE) {
		size_t size = min((u64)PIECE, section->sh_size - at) & ~7ull;

		*left -= min(*left, (u64)PIECE);
		if (!elf_eh_read(go->elf, section->sh_offset + at, words, size))
			return false;
		for (size_t i = 0; i < size / 8; i++)
			if (words[i] == go->elf->gopclntab_address &&
			    try_module(trees, go, section->sh_offset + at + 8 * i))
				return true;
	}
	return false;
}

void go_trees_find(struct go_trees *trees, struct go *go)
{
	u64 left = MAX_SEARCHED;
	Elf64_Shdr section;

	*trees = (struct go_trees){};
	if (go->layout->magic != MAGIC_1_20)
		return;
	for (u32 i = 1; i < go->elf->nr_sections; i++)
		if (elf_eh_section(go->elf, i, &section) && section.sh_type != SHT_NOBITS &&
		    section.sh_flags & SHF_WRITE && section.sh_flags & SHF_ALLOC &&
		    search_section(trees, go, &section, &left))
			return;
	*trees = (struct go_trees){};
}
