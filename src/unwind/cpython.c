/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cpython.c: CPython's layouts. Since 3.13 the interpreter has them itself, at the head of
 * _PyRuntime. Before, they are the same in all builds of a minor version; these tables are what
 * offsetof() says with its headers (3.8.18, 3.9.18, 3.10.13, 3.11.7, 3.12.1).
 */
#include "cpython.h"

#include "dynsym.h"

#define NONE WICK_PYTHON_NO_MEMBER

/* What 3.8, 3.9 and 3.10 have in common. */
#define BEFORE_3_11                                                                                \
	.entry_by = WICK_PYTHON_ENTRY_EACH, .interpreter = 40, .threads = 8, .next = 8,            \
	.thread_id = 176, .native_id = NONE, .current = 24, .cframe = NONE, .frame_back = 24,      \
	.frame_code = 32, .code_file = 104, .code_name = 112, .code_line = 40, .code_lines = 120,  \
	.code_begin = NONE, .ascii_text = 48, .other_text = 72, .kind_shift = 2

static const struct wick_python tables[] = {
	{.version = 0x0308, BEFORE_3_11, .frame_at = 104, .at_unit = 1},
	{.version = 0x0309, BEFORE_3_11, .frame_at = 104, .at_unit = 1},
	{.version = 0x030a, BEFORE_3_11, .frame_at = 96, .at_unit = 2},
	{
		.version = 0x030b,
		.entry_by = WICK_PYTHON_ENTRY_FLAG,
		.interpreter = 48,
		.threads = 16,
		.next = 8,
		.thread_id = 152,
		.native_id = 160,
		.current = 56,
		.cframe = 8,
		.frame_code = 32,
		.frame_back = 48,
		.frame_at = 56,
		.frame_entry = 68,
		.code_file = 112,
		.code_name = 128,
		.code_line = 72,
		.code_lines = 136,
		.code_begin = 184,
		.ascii_text = 48,
		.other_text = 72,
		.kind_shift = 2,
	},
	{
		.version = 0x030c,
		.entry_by = WICK_PYTHON_ENTRY_OWNER,
		.interpreter = 48,
		.threads = 72,
		.next = 8,
		.thread_id = 136,
		.native_id = 144,
		.current = 56,
		.cframe = 0,
		.frame_code = 0,
		.frame_back = 8,
		.frame_at = 56,
		.frame_entry = 70,
		.code_file = 112,
		.code_name = 128,
		.code_line = 68,
		.code_lines = 136,
		.code_begin = 192,
		.ascii_text = 40,
		.other_text = 56,
		.kind_shift = 2,
	},
};

/* ---- 3.13 and later: struct _Py_DebugOffsets (pycore_runtime.h; pycore_debug_offsets.h) */

enum {
	HEAD_WORDS = 95,
	MAX_OFFSET = 1 << 20,
};

/* Which word of it has a member, in a version. */
struct head_words {
	u32 version;
	u32 interpreter, threads, previous, next, current, thread_id, native_id;
	u32 frame_back, frame_code, frame_at, frame_entry;
	u32 code_file, code_name, code_lines, code_line, code_begin, ascii_text;
	u32 kind_shift; /* no word, but what the version's headers say */
};

static const struct head_words heads[] = {
	{
		.version = 0x030d,
		.interpreter = 5,
		.threads = 9,
		.previous = 20,
		.next = 21,
		.current = 23,
		.thread_id = 24,
		.native_id = 25,
		.frame_back = 29,
		.frame_code = 30,
		.frame_at = 31,
		.frame_entry = 33,
		.code_file = 35,
		.code_name = 37,
		.code_lines = 38,
		.code_line = 39,
		.code_begin = 43,
		.ascii_text = 70,
		.kind_shift = 2,
	},
	{
		.version = 0x030e,
		.interpreter = 5,
		.threads = 9,
		.previous = 23,
		.next = 24,
		.current = 26,
		.thread_id = 27,
		.native_id = 28,
		.frame_back = 32,
		.frame_code = 33,
		.frame_at = 34,
		.frame_entry = 36,
		.code_file = 40,
		.code_name = 42,
		.code_lines = 43,
		.code_line = 44,
		.code_begin = 48,
		.ascii_text = 80,
		.kind_shift = 2,
	},
};

static u32 member(const u64 *words, u32 i)
{
	return i < HEAD_WORDS && words[i] < MAX_OFFSET ? (u32)words[i] : 0;
}

static void take_head(struct wick_python *python, const u64 *words, const struct head_words *at)
{
	*python = (struct wick_python){
		.version = at->version,
		.entry_by = WICK_PYTHON_ENTRY_OWNER,
		.interpreter = member(words, at->interpreter),
		.threads = member(words, at->threads),
		.next = member(words, at->next),
		.previous = member(words, at->previous),
		.thread_id = member(words, at->thread_id),
		.native_id = member(words, at->native_id),
		.current = member(words, at->current),
		.cframe = NONE,
		.frame_code = member(words, at->frame_code),
		.frame_back = member(words, at->frame_back),
		.frame_at = member(words, at->frame_at),
		.frame_entry = member(words, at->frame_entry),
		.code_file = member(words, at->code_file),
		.code_name = member(words, at->code_name),
		.code_line = member(words, at->code_line),
		.code_lines = member(words, at->code_lines),
		.code_begin = member(words, at->code_begin),
		.ascii_text = member(words, at->ascii_text),
		.kind_shift = at->kind_shift,
	};
	/* A str that is not ASCII also has its UTF-8 form and the size of that. */
	python->other_text = python->ascii_text + 16;
}

static bool find_head(const struct dynsym *d, const Elf64_Sym *runtime, u32 version,
		      struct wick_python *python)
{
	static const char cookie[] = "xdebugpy";
	u64 words[HEAD_WORDS];

	if (!dynsym_read(d, runtime, words, sizeof(words)) ||
	    memcmp(words, cookie, sizeof(u64)) != 0 || words[1] >> 16 != version || words[2])
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
		if (heads[i].version != version)
			continue;
		take_head(python, words, &heads[i]);
		return true;
	}
	return false;
}

/* ---- versions */

/* Since 3.11 the file says it; before, by what each version has first exported. */
static u32 version_of(const struct dynsym *d)
{
	Elf64_Sym symbol;
	u64 hex;

	if (dynsym_find(d, "Py_Version", &symbol))
		return dynsym_read(d, &symbol, &hex, sizeof(hex)) ? (u32)(hex >> 16) & 0xffff : 0;
	if (dynsym_find(d, "PyIter_Send", &symbol))
		return 0x030a;
	if (dynsym_find(d, "PyFrame_GetBack", &symbol))
		return 0x0309;
	return dynsym_find(d, "PyCode_NewWithPosOnlyArgs", &symbol) ? 0x0308 : 0;
}

static bool find_layout(const struct dynsym *d, const Elf64_Sym *runtime,
			struct wick_python *python)
{
	u32 version = version_of(d);

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		if (tables[i].version != version)
			continue;
		*python = tables[i];
		return true;
	}
	return find_head(d, runtime, version, python);
}

/* From an object's begin to the end of the farthest of those members. */
static u32 size_with(const u32 *members, size_t nr)
{
	u32 size = 16; /* a PyObject */

	for (size_t i = 0; i < nr; i++)
		size = max(size, members[i] + (u32)sizeof(u64));
	return size;
}

/* False where they are beyond what is read of them. */
static bool find_sizes(struct wick_python *p)
{
	const u32 frame[] = {p->frame_code, p->frame_back, p->frame_at, p->frame_entry & ~7u};
	const u32 code[] = {p->code_file, p->code_name, p->code_line & ~7u, p->code_lines};

	p->frame_size = size_with(frame, ARRAY_SIZE(frame));
	p->code_size = size_with(code, ARRAY_SIZE(code));
	return p->frame_size <= WICK_PYTHON_OBJECT && p->code_size <= WICK_PYTHON_OBJECT;
}

/*
 * gcc may leave little of the evaluator where its symbol is, and put the rest, with all bytecodes,
 * where it has code that is seldom run (3.14 of Debian, by gcc 16: 1 KB and 84 KB). That has no
 * symbol in a stripped file, but an unwind entry, right behind the other's.
 */
enum { SMALL_EVALUATOR = 8 << 10 };

struct cold_part {
	u64 of; /* the evaluator */
	bool next;
	u64 start, end;
};

static void look_for_cold_part(void *ctx, const struct eh_fde *fde)
{
	struct cold_part *cold = ctx;

	if (cold->next) {
		cold->start = fde->start;
		cold->end = fde->end;
	}
	cold->next = fde->start == cold->of;
}

/* In the file. */
static void find_evaluator(const struct elf_eh *elf, const Elf64_Sym *symbol,
			   struct wick_python *python)
{
	struct cold_part cold = {.of = symbol->st_value};
	u64 begin = symbol->st_value, size = symbol->st_size, offset, room;
	struct eh_count count = {};

	if (size < SMALL_EVALUATOR && elf->section.bytes)
		eh_frame_each(&elf->section, elf->machine, look_for_cold_part, &cold, &count);
	if (cold.end - cold.start > SMALL_EVALUATOR && cold.end > cold.start) {
		begin = cold.start;
		size = cold.end - cold.start;
	}
	if (!elf_eh_offset(elf, begin, &offset, &room))
		return;
	python->eval_begin = offset;
	python->eval_end = offset + min(size, room);
}

void cpython_find(const struct elf_eh *elf, struct wick_python *python)
{
	Elf64_Sym runtime, evaluator, code_type;
	u64 offset, room, to_address;
	struct dynsym d;

	*python = (struct wick_python){};
	if (!dynsym_init(&d, elf) || !dynsym_find(&d, "_PyRuntime", &runtime) ||
	    !dynsym_find(&d, "_PyEval_EvalFrameDefault", &evaluator) ||
	    !dynsym_find(&d, "PyCode_Type", &code_type) ||
	    !elf_eh_offset(elf, evaluator.st_value, &offset, &room) ||
	    !find_layout(&d, &runtime, python))
		return;
	if (!find_sizes(python)) {
		*python = (struct wick_python){};
		return;
	}
	to_address = evaluator.st_value - offset;
	find_evaluator(elf, &evaluator, python);
	python->runtime = runtime.st_value - to_address;
	python->code_type = code_type.st_value - to_address;
}

/* All members from `interpreter` on are offsets, or little numbers. */
static bool offsets_are_sane(const struct wick_python *python)
{
	u32 words[(sizeof(*python) - offsetof(struct wick_python, interpreter)) / sizeof(u32)];

	memcpy(words, &python->interpreter, sizeof(words));
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i] >= MAX_OFFSET && words[i] != NONE)
			return false;
	return python->kind_shift < 32 && python->at_unit <= 2;
}

bool cpython_is_sane(const struct wick_python *python)
{
	static const struct wick_python none;

	if (!python->version)
		return !memcmp(python, &none, sizeof(none));
	return python->entry_by <= WICK_PYTHON_ENTRY_OWNER &&
	       python->eval_begin <= python->eval_end && python->eval_end <= UINT32_MAX &&
	       offsets_are_sane(python);
}
