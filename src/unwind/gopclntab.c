/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "gopclntab.h"

#include <elf.h>

#include "base/checked.h"

enum {
	MAGIC_1_16 = 0xfffffffa,
	MAGIC_1_18 = 0xfffffff0,
	MAGIC_1_20 = 0xfffffff1,
	CODE_ROOM = 1 << 16,
	SWITCH_WITHIN = 512, /* bytes of a function that changes stacks */
	STEP_COST = 16,
	/*
	 * The work is at most so many bytes looked at, for a table of that size: its functions may
	 * overlap, share parts of pctab and lie anywhere in the text. kubectl takes 94 MB for a
	 * table of 19 MB. C code that is linked in has no part in the table, hence the first.
	 */
	WORK_AT_LEAST = 256 << 20,
	WORK_OF_TABLE = 16,
};

/*
 * What differs between versions: where things are in the header, in words, and in a record, in
 * bytes.
 */
struct layout {
	u32 magic;
	u8 field; /* size of an entry in `functions`; 4: entries count from the text's start */
	u8 names, pctab, functions;
	u8 name, pcsp;
};

static const struct layout layouts[] = {
	{MAGIC_1_16, .field = 8, .names = 3, .pctab = 6, .functions = 7, .name = 8, .pcsp = 20},
	{MAGIC_1_18, .field = 4, .names = 4, .pctab = 7, .functions = 8, .name = 4, .pcsp = 16},
	{MAGIC_1_20, .field = 4, .names = 4, .pctab = 7, .functions = 8, .name = 4, .pcsp = 16},
};

/* Code, read in pieces. */
struct code {
	u64 offset; /* in the file */
	size_t size;
	u8 bytes[CODE_ROOM];
};

struct go {
	const struct elf_eh *elf;
	const struct layout *layout;
	u32 nr;		/* functions */
	u64 text;	/* address that entries count from */
	u32 code_align; /* unit of distances in pctab */
	u64 work;	/* left, in bytes looked at */
	struct rows *rows;
	struct code *code;
};

/* False when no work is left: what is missing then is said. */
static bool spend(struct go *go, u64 bytes)
{
	if (go->work < bytes) {
		go->work = 0;
		go->rows->full = true;
		return false;
	}
	go->work -= bytes;
	return true;
}

/* A number of the table; 0 for one that is beyond its end. */
static u64 number_at(const struct go *go, u64 at, u32 size)
{
	u64 value = 0;

	if (lies_within(at, size, go->elf->gopclntab_size))
		memcpy(&value, go->elf->gopclntab + at, size);
	return value;
}

static u64 header_word(const struct go *go, u32 word)
{
	return number_at(go, 8ull * word, 8);
}

static u64 entry_of(const struct go *go, u32 function)
{
	u32 field = go->layout->field;
	u64 at;

	return checked_record(header_word(go, go->layout->functions), 2ull * function, field, &at)
		       ? number_at(go, at, field)
		       : 0;
}

/* The function's number in a field of its record; 0 where the table does not have it. */
static u32 record(const struct go *go, u32 function, u32 within)
{
	u64 functions = header_word(go, go->layout->functions), at;
	u32 field = go->layout->field;

	if (!checked_record(functions, 2ull * function + 1, field, &at) ||
	    !checked_add(functions, number_at(go, at, field), &at) || !checked_add(at, within, &at))
		return 0;
	return (u32)number_at(go, at, 4);
}

static bool is_named(const struct go *go, u32 function, const char *name)
{
	size_t size = strlen(name) + 1;
	u64 at;

	return checked_add(header_word(go, go->layout->names),
			   record(go, function, go->layout->name), &at) &&
	       lies_within(at, size, go->elf->gopclntab_size) &&
	       !memcmp(go->elf->gopclntab + at, name, size);
}

/* `size` bytes of the file, at most CODE_ROOM; NULL: they are not there, or no work is left. */
static const u8 *code_at(struct go *go, u64 offset, size_t size)
{
	struct code *code = go->code;
	u64 within = offset - code->offset;

	if (!spend(go, size))
		return NULL;
	if (lies_within(within, size, code->size))
		return code->bytes + within;
	code->offset = offset;
	code->size = part_within(offset, CODE_ROOM, go->elf->file.size);
	if (!spend(go, code->size) || !elf_eh_read(go->elf, offset, code->bytes, code->size))
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
		if (is_named(go, i, name))
			return entry_of(go, i);
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
	const size_t size = sizeof(landmark->jump), step = CODE_ROOM - (size - 1);
	u64 last = entry_of(go, go->nr);
	u32 found = 0;

	for (u64 at = 0; at < segment->size; at += step) {
		size_t room = min((u64)CODE_ROOM, segment->size - at);
		const u8 *begin = code_at(go, segment->offset + at, room), *p = begin;

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
 * known distance.
 */
static bool find_text(struct go *go)
{
	struct landmark landmark;
	u32 found = 0;

	if (go->layout->field == 8) { /* entries are addresses */
		go->text = 0;
		return true;
	}
	if (!find_landmark(go, &landmark))
		return false;
	for (u32 i = 0; i < go->elf->nr_texts && found < 2; i++)
		found += search(go, &go->elf->texts[i], &landmark, &go->text);
	return found == 1;
}

/* ---- one function */

struct function {
	u32 number;
	bool borrows;	/* a stack, for the functions that it calls */
	u64 start, end; /* in the file */
	u64 saves;	/* from here on the caller's rbp is at CFA - 16 ... */
	u64 leads;	/* ... and from here on rbp is CFA - 16; UINT64_MAX: never */
};

static u32 rule_of(s32 delta, bool saved)
{
	u32 n = (u32)delta / 8 + 1;

	if (delta < 0 || delta % 8 || n > WICK_RULE_N_MAX)
		return wick_rule(WICK_RULE_BAD, WICK_BAD_OFFSET);
	return wick_rule(WICK_RULE_SP, (saved ? 1u << WICK_RULE_FP_SHIFT : 0) | n);
}

/* What the prologue does with rbp, having made the frame of `delta` bytes just before `at`. */
static void find_save(struct go *go, struct function *f, u64 at, s32 delta)
{
	const u8 *code = code_at(go, at - 1, 9);
	s32 place = delta - 8;

	f->saves = f->leads = UINT64_MAX;
	if (!code)
		return;
	if (code[0] == 0x55) { /* push %rbp; mov %rsp, %rbp */
		f->saves = at;
		f->leads = at + 3;
	} else if (!memcmp(code + 1, "\x48\x89\x6c\x24", 4) && code[5] == place) {
		f->saves = at + 5; /* mov %rbp, place(%rsp); lea place(%rsp), %rbp */
		f->leads = at + 10;
	} else if (!memcmp(code + 1, "\x48\x89\xac\x24", 4) &&
		   !memcmp(code + 5, &place, sizeof(place))) {
		f->saves = at + 8;
		f->leads = at + 16;
	}
}

/* The stack pointer is `delta` below its place at entry, from `at` to `next`. */
static void add_stretch(struct go *go, struct function *f, u64 at, u64 next, s32 delta)
{
	if (delta > 0 && !f->saves)
		find_save(go, f, at, delta);
	rows_add(go->rows, at, rule_of(delta, delta > 0 && at >= f->saves));
	if (delta <= 0)
		return;
	if (at < f->saves && f->saves < next)
		rows_add(go->rows, f->saves, rule_of(delta, true));
	if (f->borrows && f->leads < next)
		rows_add(go->rows, max(at, f->leads), wick_rule(WICK_RULE_ODD, WICK_SWITCHED));
}

/*
 * The function's rows as far as f->end, by pctab: {change of delta, length} and so on, up to a
 * change of 0.
 */
static void add_rows(struct go *go, struct function *f)
{
	u32 pcsp = record(go, f->number, go->layout->pcsp);
	u64 place, at = f->start;
	struct reader r = {};
	u32 delta = UINT32_MAX; /* -1 */

	if (!rows_begin(go->rows, f->start, f->end))
		return;
	if (pcsp && checked_add(header_word(go, go->layout->pctab), pcsp, &place) &&
	    place < go->elf->gopclntab_size)
		r = reader_of(go->elf->gopclntab + place, go->elf->gopclntab_size - place);
	while (at < f->end && spend(go, STEP_COST)) {
		u64 change = reader_uleb(&r), length = reader_uleb(&r), next;

		if (r.cut || (!change && at != f->start))
			break;
		delta += (u32)(change >> 1) ^ -(u32)(change & 1);
		next = length < f->end - at ? at + length * go->code_align : f->end;
		add_stretch(go, f, at, min(next, f->end), (s32)delta);
		at = next;
	}
	if (at < f->end)
		rows_add(go->rows, at, wick_rule(WICK_RULE_NONE, 0));
}

/* ---- functions that are not like others */

/* All of [start, end) has one rule. */
static void add_whole(struct go *go, u64 start, u64 end, u32 rule)
{
	if (rows_begin(go->rows, start, end))
		rows_add(go->rows, start, rule);
}

static void add_top(struct go *go, struct function *f)
{
	add_whole(go, f->start, f->end, wick_rule_outermost());
}

/* It has no caller: the return address is its start, and a lookup is of one byte less. */
static void add_sigreturn(struct go *go, struct function *f)
{
	add_whole(go, f->start - 1, f->end, wick_rule(WICK_RULE_ODD, WICK_SIGNAL));
}

/*
 * Its start is what a goroutine that has changed stacks has for a return address (up to Go 1.20).
 */
static void add_switch_mark(struct go *go, struct function *f)
{
	add_whole(go, f->start - 1, f->start, rule_of(0, false));
	add_rows(go, f);
}

/* Where these bytes are first, from `at` on; the function's end when they are not. */
static u64 find_bytes(struct go *go, const struct function *f, u64 at, const char *bytes)
{
	size_t room = min(f->end - at, (u64)SWITCH_WITHIN);
	const u8 *code = code_at(go, at, room);
	const u8 *found = code ? memmem(code, room, bytes, strlen(bytes)) : NULL;

	return found ? at + (u64)(found - code) : f->end;
}

/*
 * Is this `mov 0x38(ANY), %rsp`, or the same by way of %rbx (up to Go 1.20)? 0x38 is g.sched.sp.
 * Its size; 0: no.
 */
static size_t switches(const u8 *code, size_t room)
{
	if (room < 7 || (code[0] & 0xfe) != 0x48 || code[1] != 0x8b || code[3] != 0x38)
		return 0;
	if ((code[2] & 0xf8) == 0x60)
		return 4;
	return (code[2] & 0xf8) == 0x58 && !memcmp(code + 4, "\x48\x89\xdc", 3) ? 7 : 0;
}

/* From where on the stack is another. */
static u64 find_switch(struct go *go, const struct function *f)
{
	size_t room = min(f->end - f->start, (u64)SWITCH_WITHIN), size;
	const u8 *code = code_at(go, f->start, room);

	for (size_t i = 0; code && i < room; i++) {
		size = switches(code + i, room - i);
		if (size)
			return f->start + i + size;
	}
	return f->end;
}

/*
 * mcall(), morestack(): they go on at the root of the thread's own stack, and return by other ways.
 */
static void add_leaving(struct go *go, struct function *f)
{
	u64 end = f->end;

	f->end = find_switch(go, f);
	add_rows(go, f);
	add_whole(go, f->end, end, wick_rule_outermost());
}

/*
 * systemstack() and asmcgocall(), since Go 1.21, and what calls the vdso: they keep the address of
 * their frame in rbp while they are on another stack. Where they have no frame there is no way
 * back.
 */
static void add_borrowing(struct go *go, struct function *f)
{
	u64 end = f->end, borrowed = find_switch(go, f);

	f->borrows = true;
	add_rows(go, f);
	if (!f->saves || f->leads >= end)
		add_whole(go, borrowed, end, wick_rule(WICK_RULE_BAD, WICK_BAD_STACK_POINTER));
}

/*
 * clone(): the parent returns; the child begins on a stack of its own, and calls the thread's first
 * function. Just after the system call the walk tells the two apart by rax.
 */
static void add_clone(struct go *go, struct function *f)
{
	u64 end = f->end, forks = find_bytes(go, f, f->start, "\x0f\x05");
	u64 child = find_bytes(go, f, forks, "\x48\x89\xf4"); /* mov %rsi, %rsp */

	f->end = min(forks + 2, end);
	add_rows(go, f);
	add_whole(go, f->end, child, wick_rule(WICK_RULE_NONE, 0));
	add_whole(go, child, end, wick_rule_outermost());
}

static const struct {
	const char *name;
	void (*add)(struct go *go, struct function *f);
} specials[] = {
	{"_rt0_amd64_linux", add_top},
	{"_rt0_amd64", add_top},
	{"runtime.rt0_go", add_top},
	{"runtime.goexit", add_top},
	{"runtime.mcall", add_leaving},
	{"runtime.morestack", add_leaving},
	{"runtime.systemstack", add_borrowing},
	{"runtime.systemstack_switch", add_switch_mark},
	{"runtime.asmcgocall", add_borrowing},
	{"runtime.nanotime1", add_borrowing},
	{"runtime.walltime", add_borrowing},
	{"time.now", add_borrowing},
	{"runtime.clone", add_clone},
	{"runtime.sigreturn", add_sigreturn},
	{"runtime.sigreturn__sigaction", add_sigreturn}, /* from 1.19 on */
};

/* ---- all */

static void add_function(struct go *go, u32 number)
{
	struct function f = {.number = number};
	u64 entry = entry_of(go, number), next = entry_of(go, number + 1), room;

	if (next <= entry || !elf_eh_offset(go->elf, go->text + entry, &f.start, &room))
		return;
	f.end = f.start + min(next - entry, room);
	if (!f.start) /* that is the ELF header, and there is no byte before it */
		return;
	for (size_t i = 0; i < ARRAY_SIZE(specials); i++)
		if (is_named(go, number, specials[i].name)) {
			specials[i].add(go, &f);
			return;
		}
	add_rows(go, &f);
}

/* Reads the header; false: no table, or none of a known version. */
static bool begin(struct go *go)
{
	u64 nr = header_word(go, 1), functions;

	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].magic == number_at(go, 0, 4))
			go->layout = &layouts[i];
	go->code_align = (u32)number_at(go, 6, 1);
	if (!go->layout || !go->code_align || number_at(go, 7, 1) != 8 || nr > ROWS_MAX_FUNCTIONS)
		return false;
	functions = header_word(go, go->layout->functions);
	if (!lies_within(functions, 2 * nr * go->layout->field, go->elf->gopclntab_size))
		return false;
	go->nr = (u32)nr;
	go->work = WORK_AT_LEAST + WORK_OF_TABLE * go->elf->gopclntab_size;
	return nr;
}

void gopclntab_add(const struct elf_eh *elf, struct rows *rows)
{
	_cleanup_free_ struct code *code = NULL;
	struct go go = {.elf = elf, .rows = rows};

	if (!elf->gopclntab || elf->machine != cfa_machine(EM_X86_64) || !begin(&go))
		return;
	go.code = code = xcalloc(1, sizeof(*code));
	if (!find_text(&go))
		return;
	for (u32 i = 0; i < go.nr && go.work; i++)
		add_function(&go, i);
}
