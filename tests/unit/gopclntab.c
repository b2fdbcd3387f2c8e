/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables as Go's linker writes them, of each version, for a few functions whose rules are known. In
 * the file C code comes first, and one byte in the table is one of pctab's numbers.
 */
#include "test.h"

#include <elf.h>

#include "unwind/gopclntab.h"
#include "unwind/gotable.h"
#include "unwind/table.h"

enum {
	TEXT_OFFSET = 0x1000,
	C_CODE = 0x40,
	GO = TEXT_OFFSET + C_CODE, /* in the file */
	ADDRESS = 0x400000,	   /* - offset in the file */
	FILE_SIZE = 0x2000,
};

/* What stands at a function's start, and its pcsp: {delta in words, bytes}. */
static const struct {
	const char *name;
	u32 entry;
	const char *code;
	size_t size;
	struct {
		s32 words;
		u32 bytes;
	} pcsp[6];
} functions[] = {
	{"_rt0_amd64_linux", 0, "\xe9\x0b\0\0", 5, {{0, 16}}},
	{"_rt0_amd64", 0x10, "\x90", 1, {{0, 16}}},
	/* push %rbp; mov %rsp, %rbp; sub $32, %rsp; ...; add; pop %rbp; ret */
	{"main.new", 0x20, "\x55\x48\x89\xe5", 4, {{0, 1}, {1, 7}, {5, 20}, {1, 1}, {0, 3}}},
	/* sub $40, %rsp; mov %rbp, 32(%rsp); ... */
	{"main.old", 0x40, "\x48\x83\xec\x28\x48\x89\x6c\x24\x20", 9, {{0, 4}, {5, 20}, {0, 8}}},
	{"main.leaf", 0x60, "\x90", 1, {{0, 32}}},
	/* mov 0x38(%r14), %rsp; push %rax */
	{"runtime.mcall", 0x80, "\x90\x49\x8b\x66\x38\x50", 6, {{0, 6}, {1, 26}}},
	{"runtime.systemstack", 0xa0, "\x55\x48\x89\xe5", 4, {{0, 1}, {1, 20}, {0, 11}}},
	{"runtime.goexit", 0xc0, "\x90", 1, {{0, 32}}},
	{"runtime.sigreturn", 0xe0, "\x90", 1, {{0, 32}}},
	/* mov 0x38(%rdx), %rbx; mov %rbx, %rsp: without a frame there is no way back */
	{"runtime.asmcgocall", 0x100, "\x90\x48\x8b\x5a\x38\x48\x89\xdc", 8, {{0, 32}}},
	{"runtime.systemstack_switch", 0x120, "\xc3", 1, {{0, 16}}},
};
enum { NR = ARRAY_SIZE(functions), END = 0x130 };

struct image {
	u8 file[FILE_SIZE];
	u8 table[2048];
	u32 size; /* of the table */
};

static void put(struct image *image, u64 value, u32 size)
{
	memcpy(image->table + image->size, &value, size);
	image->size += size;
}

static u32 put_pcsp(struct image *image, u32 number, u32 pctab)
{
	u32 at = image->size - pctab;
	s32 before = -1;

	for (size_t i = 0; i < 6 && functions[number].pcsp[i].bytes; i++) {
		s32 delta = 8 * functions[number].pcsp[i].words, change = delta - before;

		put(image, (u32)change << 1 ^ (u32)(change >> 31), 1);
		put(image, functions[number].pcsp[i].bytes, 1);
		before = delta;
	}
	put(image, 0, 1);
	return at;
}

static u32 put_name(struct image *image, u32 number, u32 names)
{
	size_t size = strlen(functions[number].name) + 1;
	u32 at = image->size - names;

	memcpy(image->table + image->size, functions[number].name, size);
	image->size += (u32)size;
	return at;
}

/* The header's words from the place of the names on: names, cu, files, pctab, functions. */
static void put_places(struct image *image, u32 at, u32 names, u32 pctab, u32 places)
{
	const u64 words[] = {names, 0, 0, pctab, places};

	memcpy(image->table + at, words, sizeof(words));
}

static void make(struct image *image, u32 magic)
{
	bool absolute = magic == 0xfffffffa;
	u32 header = absolute ? 64 : 72, names, pctab, places, field = absolute ? 8 : 4;
	u32 name[NR], pcsp[NR];

	memset(image, 0, sizeof(*image));
	put(image, magic, 4);
	put(image, 0x08010000, 4); /* unit of code 1, pointers of 8 bytes */
	put(image, NR, 8);
	image->size = names = header;
	for (u32 i = 0; i < NR; i++)
		name[i] = put_name(image, i, names);
	pctab = image->size;
	put(image, 0, 1);
	for (u32 i = 0; i < NR; i++)
		pcsp[i] = put_pcsp(image, i, pctab);
	places = image->size;
	for (u32 i = 0; i <= NR; i++) {
		put(image, (i < NR ? functions[i].entry : END) + (absolute ? ADDRESS + GO : 0),
		    field);
		put(image, (2 * NR + 1) * field + 32 * i, field);
	}
	image->size -= field; /* the last has no record */
	for (u32 i = 0; i < NR; i++) {
		put(image, 0, field);
		put(image, name[i], 4);
		put(image, 0, 8);
		put(image, pcsp[i], 4);
		image->size += 32 - 16 - field;
	}
	put_places(image, absolute ? 24 : 32, names, pctab, places);
	memset(image->file, 0x90, sizeof(image->file));
	for (u32 i = 0; i < NR; i++)
		memcpy(image->file + GO + functions[i].entry, functions[i].code, functions[i].size);
}

static struct elf_eh elf_of(const struct image *image)
{
	return (struct elf_eh){
		.file = {.fd = -1, .memory = image->file, .size = sizeof(image->file)},
		.machine = cfa_machine(EM_X86_64),
		.nr_texts = 1,
		.texts = {{.address = ADDRESS + TEXT_OFFSET, .offset = TEXT_OFFSET, .size = 0x800}},
		.gopclntab = (u8 *)image->table,
		.gopclntab_size = image->size,
	};
}

static void pack(const struct image *image, struct rows_packed *packed)
{
	struct elf_eh elf = elf_of(image);
	struct rows rows;

	rows_init(&rows, elf.machine);
	gopclntab_add(&elf, &rows);
	rows_sort(&rows);
	rows_pack(&rows, packed);
	rows_release(&rows);
}

static u32 sp(u32 n, u32 fp)
{
	return wick_rule(WICK_RULE_SP, fp << WICK_RULE_FP_SHIFT | n);
}

static void check_rules(const struct image *image, u32 magic)
{
	const u32 top = wick_rule_outermost(), switched = wick_rule(WICK_RULE_ODD, WICK_SWITCHED);
	const u32 signal = wick_rule(WICK_RULE_ODD, WICK_SIGNAL), none = 0;
	const u32 lost = wick_rule(WICK_RULE_BAD, WICK_BAD_STACK_POINTER);
	const struct {
		u32 at, rule;
	} want[] = {
		{0, top},	   {0x20, sp(1, 0)}, {0x21, sp(2, 1)}, {0x28, sp(6, 1)},
		{0x3b, sp(6, 1)},  {0x3c, sp(2, 1)}, {0x3d, sp(1, 0)}, {0x40, sp(1, 0)},
		{0x44, sp(6, 0)},  {0x48, sp(6, 0)}, {0x49, sp(6, 1)}, {0x58, sp(1, 0)},
		{0x60, sp(1, 0)},  {0x80, sp(1, 0)}, {0x84, sp(1, 0)}, {0x85, top},
		{0x9f, top},	   {0xa0, sp(1, 0)}, {0xa1, sp(2, 1)}, {0xa3, sp(2, 1)},
		{0xa4, switched},  {0xb4, switched}, {0xb5, sp(1, 0)}, {0xc0, top},
		{0xde, top},	   {0xdf, signal},   {0xff, signal},   {0x100, sp(1, 0)},
		{0x107, sp(1, 0)}, {0x108, lost},    {0x11e, lost},    {0x11f, sp(1, 0)},
		{0x12f, sp(1, 0)}, {0x130, none},
	};
	struct rows_packed packed;
	struct unwind_table table;

	pack(image, &packed);
	table = (struct unwind_table){
		.shape = packed.shape, .words = packed.words, .nr_words = packed.nr_words};
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		u32 got = unwind_table_lookup(&table, GO + want[i].at);

		if (got != want[i].rule)
			test_report("magic %#x, byte %#x: rule %#x, want %#x", magic, want[i].at,
				    got, want[i].rule);
	}
	free(packed.words);
}

static const u32 magics[] = {0xfffffffa, 0xfffffff0, 0xfffffff1};

static void each_version_gives_the_rules(void)
{
	_cleanup_free_ struct image *image = xcalloc(1, sizeof(*image));

	for (size_t i = 0; i < ARRAY_SIZE(magics); i++) {
		make(image, magics[i]);
		check_rules(image, magics[i]);
	}
}

static void each_version_has_the_names(void)
{
	_cleanup_free_ struct image *image = xcalloc(1, sizeof(*image));

	for (size_t v = 0; v < ARRAY_SIZE(magics); v++) {
		struct elf_eh elf;
		struct go go;
		size_t size;

		make(image, magics[v]);
		elf = elf_of(image);
		CHECK(go_begin(&go, &elf));
		CHECK_EQ(go.nr, NR);
		for (u32 i = 0; i < NR; i++)
			CHECK_STR(go_name(&go, i, &size), functions[i].name);
		go_release(&go);
	}
}

/* Two places that the text may begin at: none is taken. */
static void doubt_gives_no_rows(void)
{
	_cleanup_free_ struct image *image = xcalloc(1, sizeof(*image));
	struct rows_packed packed;

	make(image, magics[2]);
	memcpy(image->file + TEXT_OFFSET + 0x200, functions[0].code, functions[0].size);
	pack(image, &packed);
	CHECK_EQ(packed.shape.nr_rows, 0);
	free(packed.words);
}

/* The text is searched in pieces; a landmark that lies in two of them is one. */
static void landmark_at_a_seam_is_found_once(void)
{
	_cleanup_free_ struct image *image = xcalloc(1, sizeof(*image));
	const u64 seam = 16 * ((1 << 16) - 5);
	_cleanup_free_ u8 *file = xcalloc(1, TEXT_OFFSET + seam + 0x1000);
	struct rows_packed packed;
	struct elf_eh elf;
	struct rows rows;

	make(image, magics[2]);
	memcpy(file + TEXT_OFFSET + seam, image->file + GO, END);
	elf = elf_of(image);
	elf.file.memory = file;
	elf.file.size = TEXT_OFFSET + seam + 0x1000;
	elf.texts[0].size = elf.file.size - TEXT_OFFSET;
	rows_init(&rows, elf.machine);
	gopclntab_add(&elf, &rows);
	rows_sort(&rows);
	rows_pack(&rows, &packed);
	CHECK(packed.shape.nr_rows > 10);
	free(packed.words);
	rows_release(&rows);
}

static void broken_tables_are_survived(void)
{
	_cleanup_free_ struct image *image = xcalloc(1, sizeof(*image));
	struct rows_packed packed;

	for (u32 size = 0; size < 600; size++) {
		make(image, magics[size % 3]);
		image->size = min(size, image->size);
		pack(image, &packed);
		free(packed.words);
	}
	for (u32 at = 6; at < 600; at++) {
		make(image, magics[at % 3]);
		image->table[at] ^= 0xff;
		pack(image, &packed);
		free(packed.words);
	}
}

int main(void)
{
	RUN(each_version_gives_the_rules);
	RUN(each_version_has_the_names);
	RUN(doubt_gives_no_rows);
	RUN(landmark_at_a_seam_is_found_once);
	RUN(broken_tables_are_survived);
	return test_status();
}
