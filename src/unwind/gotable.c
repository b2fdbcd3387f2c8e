/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gotable.h"

#include <elf.h>

#include "base/checked.h"

enum {
	MAGIC_1_16 = 0xfffffffa,
	MAGIC_1_18 = 0xfffffff0,
	MAGIC_1_20 = 0xfffffff1,
	TEXT_START = 3, /* word of the header, from 1.18 on */
	MAX_FUNCTIONS = 1 << 22,
	/*
	 * The work is at most so many bytes looked at, for a table of that size: its functions may
	 * overlap, share parts of pctab and lie anywhere in the text. kubectl takes 94 MB for a
	 * table of 19 MB. C code that is linked in has no part in the table, hence the first.
	 */
	WORK_AT_LEAST = 256 << 20,
	WORK_OF_TABLE = 16,
};

static const struct go_layout layouts[] = {
	{MAGIC_1_16, .field = 8, .names = 3, .pctab = 6, .functions = 7, .name = 8, .pcsp = 20},
	{MAGIC_1_18, .field = 4, .names = 4, .pctab = 7, .functions = 8, .name = 4, .pcsp = 16},
	{MAGIC_1_20, .field = 4, .names = 4, .pctab = 7, .functions = 8, .name = 4, .pcsp = 16},
};

bool go_spend(struct go *go, u64 bytes)
{
	if (go->work < bytes) {
		go->work = 0;
		go->cut = true;
		return false;
	}
	go->work -= bytes;
	return true;
}

u64 go_number(const struct go *go, u64 at, u32 size)
{
	u64 value = 0;

	if (lies_within(at, size, go->elf->gopclntab_size))
		memcpy(&value, go->elf->gopclntab + at, size);
	return value;
}

u64 go_word(const struct go *go, u32 word)
{
	return go_number(go, 8ull * word, 8);
}

u64 go_entry(const struct go *go, u32 function)
{
	u32 field = go->layout->field;
	u64 at;

	return checked_record(go_word(go, go->layout->functions), 2ull * function, field, &at)
		       ? go_number(go, at, field)
		       : 0;
}

u32 go_record(const struct go *go, u32 function, u32 within)
{
	u64 functions = go_word(go, go->layout->functions), at;
	u32 field = go->layout->field;

	if (!checked_record(functions, 2ull * function + 1, field, &at) ||
	    !checked_add(functions, go_number(go, at, field), &at) || !checked_add(at, within, &at))
		return 0;
	return (u32)go_number(go, at, 4);
}

const char *go_name(const struct go *go, u32 function, size_t *size)
{
	const char *name, *end;
	u64 at;

	if (!checked_add(go_word(go, go->layout->names), go_record(go, function, go->layout->name),
			 &at) ||
	    at >= go->elf->gopclntab_size)
		return NULL;
	name = (const char *)go->elf->gopclntab + at;
	end = memchr(name, '\0', go->elf->gopclntab_size - at);
	if (!end)
		return NULL;
	*size = (size_t)(end - name);
	return name;
}

bool go_is_named(const struct go *go, u32 function, const char *name)
{
	size_t size = strlen(name) + 1;
	u64 at;

	return checked_add(go_word(go, go->layout->names),
			   go_record(go, function, go->layout->name), &at) &&
	       lies_within(at, size, go->elf->gopclntab_size) &&
	       !memcmp(go->elf->gopclntab + at, name, size);
}

const u8 *go_code(struct go *go, u64 offset, size_t size)
{
	struct go_code *code = go->code;
	u64 within = offset - code->offset;

	if (!go_spend(go, size))
		return NULL;
	if (lies_within(within, size, code->size))
		return code->bytes + within;
	code->offset = offset;
	code->size = part_within(offset, GO_CODE_ROOM, go->elf->file.size);
	if (!go_spend(go, code->size) || !elf_eh_read(go->elf, offset, code->bytes, code->size))
		code->size = 0;
	return size <= code->size ? code->bytes : NULL;
}

/* ---- where the text begins */

/*
 * Functions that are nothing but a jump to another, of programs linked by Go, by others, and of
 * libraries.
 */
static const struct {
	const char *from, *to;
} jumps[] = {
	{"_rt0_amd64_linux", "_rt0_amd64"},
	{"main", "runtime.rt0_go"},
	{"_rt0_amd64_linux_lib", "_rt0_amd64_lib"},
};

struct landmark {
	u64 entry; /* of such a function */
	u8 jump[5];
};

/* The entry of a function; UINT64_MAX: there is none of that name. */
static u64 find_function(const struct go *go, const char *name)
{
	for (u32 i = 0; i < go->nr; i++)
		if (go_is_named(go, i, name))
			return go_entry(go, i);
	return UINT64_MAX;
}

static bool find_landmark(const struct go *go, struct landmark *landmark)
{
	for (size_t i = 0; i < ARRAY_SIZE(jumps); i++) {
		u64 from = find_function(go, jumps[i].from), to = find_function(go, jumps[i].to);
		s32 distance = (s32)(to - from - sizeof(landmark->jump));

		if (from == UINT64_MAX || to == UINT64_MAX)
			continue;
		landmark->entry = from;
		landmark->jump[0] = 0xe9;
		memcpy(landmark->jump + 1, &distance, sizeof(distance));
		return true;
	}
	return false;
}

/* How often the landmark is in a segment; the start of the text that follows from it into *text. */
static u32 search(struct go *go, const struct elf_text *segment, const struct landmark *landmark,
		  u64 *text)
{
	const size_t size = sizeof(landmark->jump), step = GO_CODE_ROOM - (size - 1);
	u64 last = go_entry(go, go->nr);
	u32 found = 0;

	for (u64 at = 0; at < segment->size; at += step) {
		size_t room = min((u64)GO_CODE_ROOM, segment->size - at);
		const u8 *begin = go_code(go, segment->offset + at, room), *p = begin;

		if (!begin)
			break;
		while ((p = memmem(p, room - (size_t)(p - begin), landmark->jump, size))) {
			u64 start = at + (u64)(p++ - begin) - landmark->entry;

			if (start > segment->size || last > segment->size - start || start % 16)
				continue;
			*text = segment->address + start;
			found++;
		}
	}
	return found;
}

/*
 * Entries count from the start of Go's text. That was in the header up to Go 1.25, where it needed
 * a relocation; C code that is linked in comes before it. So it is looked for, by a jump over a
 * known distance; on other machines than x86-64 the header has to say it.
 */
static bool find_text(struct go *go)
{
	struct landmark landmark;
	u32 found = 0;

	if (go->layout->field == 8) { /* entries are addresses */
		go->text = 0;
		return true;
	}
	if (go->elf->machine != cfa_machine(EM_X86_64)) {
		go->text = go_word(go, TEXT_START);
		return go->text;
	}
	if (!find_landmark(go, &landmark))
		return false;
	for (u32 i = 0; i < go->elf->nr_texts && found < 2; i++)
		found += search(go, &go->elf->texts[i], &landmark, &go->text);
	return found == 1;
}

/* ---- all */

/* Reads the header; false: no table, or none of a known version. */
static bool read_header(struct go *go)
{
	u64 nr = go_word(go, 1), functions;

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].magic == go_number(go, 0, 4))
			go->layout = &layouts[i];
	go->code_align = (u32)go_number(go, 6, 1);
	if (!go->layout || !go->code_align || go_number(go, 7, 1) != 8 || nr > MAX_FUNCTIONS)
		return false;
	functions = go_word(go, go->layout->functions);
	if (!lies_within(functions, 2 * nr * go->layout->field, go->elf->gopclntab_size))
		return false;
	go->nr = (u32)nr;
	go->work = WORK_AT_LEAST + WORK_OF_TABLE * go->elf->gopclntab_size;
	return nr;
}

bool go_begin(struct go *go, const struct elf_eh *elf)
{
	*go = (struct go){.elf = elf};
	if (!elf->gopclntab || !read_header(go))
		return false;
	go->code = xcalloc(1, sizeof(*go->code));
	if (find_text(go))
		return true;
	go_release(go);
	return false;
}

void go_release(struct go *go)
{
	free(go->code);
	go->code = NULL;
}
