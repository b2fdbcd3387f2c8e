/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * .eh_frame by hand: every instruction, every way to write an address, both machines. A case is an
 * FDE's instructions and what is told of them; rules are compared as text:
 *
 *	4: 7+16 ra@-8 fp@-16      from byte 4 on, CFA = r7 + 16, the return address at CFA - 8, ...
 */
#include "test.h"

#include <elf.h>

#include "base/strbuf.h"
#include "base/vec.h"
#include "unwind/ehframe.h"

enum {
	ADDRESS = 0x10000, /* of the section */
	START = 0x20000,   /* of the function */
	SIZE = 0x1000,
};

struct section {
	VEC_FIELDS(u8);
};

static void put(struct section *s, u64 value, u32 size)
{
	for (u32 i = 0; i < size; i++)
		*vec_add(s) = (u8)(value >> 8 * i);
}

static void put_bytes(struct section *s, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		*vec_add(s) = ((const u8 *)bytes)[i];
}

/* Puts what `content` has behind its length; returns where the record begins. */
static u64 put_record(struct section *s, struct section *content)
{
	u64 at = s->nr;

	put(s, content->nr, 4);
	put_bytes(s, content->at, content->nr);
	vec_release(content);
	return at;
}

struct cie_kind {
	u8 version;
	const char *letters;
	u8 encoding;
	u8 ra;
	u8 code_align, data_align;
};

static const struct cie_kind usual = {1, "zR", 0x1b, 16, 1, 0x78};

/* CFA = rsp + 8, the return address at CFA - 8. */
static const u8 usual_program[] = {0x0c, 7, 8, 0x90, 1};

static u64 put_cie(struct section *s, const struct cie_kind *kind, const u8 *program, size_t size)
{
	struct section c = {};

	put(&c, 0, 4);
	put(&c, kind->version, 1);
	put_bytes(&c, kind->letters, strlen(kind->letters) + 1);
	if (kind->version == 4)
		put(&c, 8, 2); /* address 8, segment 0 */
	put(&c, kind->code_align, 1);
	put(&c, kind->data_align, 1);
	put(&c, kind->ra, 1);
	if (*kind->letters == 'z') {
		size_t length = c.nr;

		put(&c, 0, 1);
		for (const char *l = kind->letters + 1; *l; l++) {
			if (*l == 'R')
				put(&c, kind->encoding, 1);
			else if (*l == 'L')
				put(&c, 0x1b, 1);
			else if (*l == 'P')
				put(&c, 0x123456789b,
				    5); /* indirect, pcrel, sdata4 and four bytes */
		}
		c.at[length] = (u8)(c.nr - length - 1);
	}
	put_bytes(&c, program, size);
	return put_record(s, &c);
}

static void put_fde(struct section *s, u64 cie, const void *pointer, size_t pointer_size,
		    bool augmented, const u8 *program, size_t size)
{
	struct section c = {};

	put(&c, s->nr + 4 - cie, 4);
	put_bytes(&c, pointer, pointer_size);
	if (augmented)
		put(&c, 0, 1);
	put_bytes(&c, program, size);
	put_record(s, &c);
}

/* The address and the size as sdata4, counted from where they stand. */
static void put_usual_fde(struct section *s, u64 cie, u64 start, u64 length, const u8 *program,
			  size_t size)
{
	u32 pointer[2] = {(u32)(start - (ADDRESS + s->nr + 8)), (u32)length};

	put_fde(s, cie, pointer, sizeof(pointer), true, program, size);
}

struct told {
	struct strbuf text;
	u64 start, end;
	bool signal;
	u32 nr;
};

static void tell_place(struct strbuf *b, const char *name, const struct cfa_place *place)
{
	if (place->where == CFA_AT_CFA)
		strbuf_addf(b, " %s@%lld", name, (long long)place->value);
	else if (place->where == CFA_IS_CFA)
		strbuf_addf(b, " %s=%lld", name, (long long)place->value);
	else if (place->where == CFA_AT_BASE)
		strbuf_addf(b, " %s@r%u%+lld", name, place->reg, (long long)place->value);
	else if (place->where == CFA_IN_REGISTER)
		strbuf_addf(b, " %s=r%u", name, place->reg);
	else if (place->where != CFA_KEPT)
		strbuf_addf(b, " %s%c", name, place->where == CFA_UNDEFINED ? '?' : '!');
}

static void tell(void *ctx, u64 address, const struct cfa_rule *rule, enum wick_bad bad)
{
	static const char *const names[] = {
		[CFA_RA] = "ra", [CFA_FP] = "fp", [CFA_BX] = "bx", [CFA_SP] = "sp"};
	struct told *told = ctx;
	struct strbuf *b = &told->text;

	strbuf_addf(b, "%s%llx:", b->size ? ", " : "", (unsigned long long)(address - told->start));
	if (!rule) {
		strbuf_addf(b, " bad %d", bad);
		return;
	}
	if (rule->kind == CFA_REGISTER)
		strbuf_addf(b, " %u%+lld", rule->base, (long long)rule->offset);
	else if (rule->kind == CFA_DEREF)
		strbuf_addf(b, " *(%u%+lld)%+lld", rule->base, (long long)rule->offset,
			    (long long)rule->add);
	else if (rule->kind == CFA_PLT)
		strbuf_addf(b, " plt %lld", (long long)rule->offset);
	else
		strbuf_addf(b, rule->kind == CFA_UNSET ? " unset" : " strange");
	for (int i = 0; i < CFA_NR_COLUMNS; i++)
		tell_place(b, names[i], &rule->column[i]);
}

static void take(void *ctx, const struct eh_fde *fde)
{
	struct told *told = ctx;

	told->start = fde->start;
	told->end = fde->end;
	told->signal = fde->signal;
	told->nr++;
	cfa_run(&fde->program, fde->initial, fde->start, fde->end, tell, told);
}

static struct eh_count scan_with(const struct section *s, u16 machine, bool size_known,
				 struct told *told)
{
	struct eh_section section = {
		.bytes = s->at,
		.size = s->nr,
		.address = ADDRESS,
		.data = 0x18000,
		.size_known = size_known,
	};
	struct eh_count count;

	eh_frame_each(&section, cfa_machine(machine), take, told, &count);
	return count;
}

struct program {
	const char *told;
	u8 size;
	u8 bytes[24];
};

static void check_programs(const struct program *programs, size_t nr, u16 machine,
			   const struct cie_kind *kind, const u8 *initial, size_t initial_size)
{
	for (size_t i = 0; i < nr; i++) {
		struct section s = {};
		struct told told = {};
		u64 cie = put_cie(&s, kind, initial, initial_size);

		put_usual_fde(&s, cie, START, SIZE, programs[i].bytes, programs[i].size);
		put(&s, 0, 4);
		CHECK_EQ(scan_with(&s, machine, true, &told).broken, 0);
		CHECK_STR(told.text.s, programs[i].told);
		strbuf_release(&told.text);
		vec_release(&s);
	}
}

#define P(told, ...)                                                                               \
	{                                                                                          \
		told, sizeof((u8[]){__VA_ARGS__}),                                                 \
		{                                                                                  \
			__VA_ARGS__                                                                \
		}                                                                                  \
	}

static void instructions_of_x86_64(void)
{
	static const struct program programs[] = {
		P("0: 7+8 ra@-8", 0),
		P("0: 7+8 ra@-8, 4: 7+16 ra@-8 fp@-16", 0x44, 0x0e, 16, 0x86, 2),
		P("0: 7+8 ra@-8, 50: 7+16 ra@-8", 2, 0x50, 0x0e, 16),
		P("0: 7+8 ra@-8, 201: 7+16 ra@-8", 3, 1, 2, 0x0e, 16),
		P("0: 7+8 ra@-8, 102: 7+16 ra@-8", 4, 2, 1, 0, 0, 0x0e, 16),
		P("0: 7+8 ra@-8, 102: 7+16 ra@-8", 0x1d, 2, 1, 0, 0, 0, 0, 0, 0, 0x0e, 16),
		P("0: 7+8 ra@-8", 4, 0, 0x10, 0, 0, 0x0e, 16), /* beyond the end */
		P("0: 7+8 ra@-8 bx@-1024", 5, 3, 0x80, 1),
		P("0: 7+8 ra@-8, 1: 7+8 ra@-8 bx@-16, 2: 7+8 ra@-8", 0x41, 0x83, 2, 0x41, 6, 3),
		P("0: 7+8 ra@-8 fp@-16, 1: 7+8 ra@-8", 0x86, 2, 0x41, 0xc6),
		P("0: 7+8 ra?", 7, 16),
		P("0: 7+8 ra@-8 fp?", 7, 6),
		P("0: 7+8 ra@-8", 0x86, 2, 8, 6),
		P("0: 7+8 ra=r5", 9, 16, 5),
		P("0: 7+8 ra@-8, 1: 6+16 ra@-8, 2: 7+8 ra@-8", 0x0a, 0x41, 0x0c, 6, 16, 0x41, 0x0b),
		P("0: 6+16 ra@-8", 0x0c, 6, 16),
		P("0: 6+8 ra@-8", 0x0d, 6),
		P("0: 7+200 ra@-8", 0x0e, 0xc8, 1),
		P("0: 6+16 ra@-8", 0x0f, 2, 0x76, 16),
		P("0: *(6-8)+0 ra@-8", 0x0f, 3, 0x76, 0x78, 0x06),
		P("0: *(7+16)+8 ra@-8", 0x0f, 5, 0x77, 16, 0x06, 0x23, 8),
		P("0: *(7+16)+8 ra@-8", 0x0f, 5, 0x77, 16, 0x06, 0x38, 0x22),
		P("0: *(12+1)+0 ra@-8", 0x0f, 4, 0x92, 12, 1, 0x06),
		P("0: plt 11 ra@-8", 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24,
		  0x22),
		P("0: plt 10 ra@-8", 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3a, 0x2a, 0x33, 0x24,
		  0x22),
		P("0: strange ra@-8", 0x0f, 3, 0x77, 8, 0x1f),
		P("0: strange ra@-8", 0x0f, 0),
		P("0: 7+8 ra@-8 fp@r6+0", 0x10, 6, 2, 0x76, 0),
		P("0: 7+8 ra@-8 fp!", 0x10, 6, 3, 0x76, 0, 0x06),
		P("0: 7+8 ra@-8", 0x10, 12, 3, 0x76, 0,
		  0x06), /* of a register that is not tracked */
		P("0: 7+8 ra@-8 fp@16", 0x11, 6, 0x7e),
		P("0: 6-16 ra@-8", 0x12, 6, 2),
		P("0: 7+16 ra@-8", 0x13, 0x7e),
		P("0: 7+8 ra@-8 sp=-8", 0x14, 7, 1),
		P("0: 7+8 ra@-8 sp=8", 0x15, 7, 0x7f),
		P("0: 7+8 ra@-8 bx!", 0x16, 3, 2, 0x77, 0),
		P("0: 7+8 ra@-8, 1: 7+16 ra@-8", 0x2e, 0x80, 1, 0x41, 0x0e, 16),
		P("0: 7+8 ra@-8 fp@16", 0x2f, 6, 2),
		/* what is wrong is told from where it stands */
		P("0: 7+8 ra@-8, 1: bad 6", 0x41, 0x3f),
		P("0: bad 7", 0x0c, 7),
		P("0: bad 7", 0x0f, 9, 1),
		P("0: bad 8", 0x0b),
		P("0: bad 8", 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10),
		P("0: bad 5", 0x0f, 3, 0x77, 8, 0x06, 0x0e, 8),
	};

	check_programs(programs, ARRAY_SIZE(programs), EM_X86_64, &usual, usual_program,
		       sizeof(usual_program));
}

static void set_loc_moves_to_an_address(void)
{
	static const u8 initial[] = {0x0c, 7, 8, 0x90, 1};
	static const struct cie_kind absolute = {1, "zR", 0x00, 16, 1, 0x78};
	static const u8 program[] = {0x01, 0x10, 0, 2, 0, 0, 0, 0, 0, 0x0e, 16};
	static const u64 pointer[2] = {START, SIZE};
	struct section s = {};
	struct told told = {};
	u64 cie = put_cie(&s, &absolute, initial, sizeof(initial));

	put_fde(&s, cie, pointer, sizeof(pointer), true, program, sizeof(program));
	CHECK_EQ(scan_with(&s, EM_X86_64, true, &told).fdes, 1);
	CHECK_STR(told.text.s, "0: 7+8 ra@-8, 10: 7+16 ra@-8");
	strbuf_release(&told.text);
	vec_release(&s);
}

static void instructions_of_aarch64(void)
{
	/* code in units of 4, CFA = sp, "B" for the key */
	static const struct cie_kind kind = {1, "zRB", 0x1b, 30, 4, 0x78};
	static const u8 initial[] = {0x0c, 31, 0};
	static const struct program programs[] = {
		P("0: 31+0 ra=r30", 0),
		P("0: 31+0 ra=r30, 8: 31+32 ra@-24 fp@-32", 0x41, 0x2d, 0x41, 0x0e, 32, 0x9d, 4,
		  0x9e, 3),
		P("0: 31+0 ra=r30, 4: 29+32 ra@-24 fp@-32, 8: 31+0 ra=r30", 0x41, 0x0c, 29, 32,
		  0x9d, 4, 0x9e, 3, 0x41, 0xde, 0xdd, 0x0c, 31, 0),
		P("0: 31+0 ra=r30", 0x2c),
		P("0: 31+0 ra?", 7, 30),
	};

	check_programs(programs, ARRAY_SIZE(programs), EM_AARCH64, &kind, initial, sizeof(initial));
}

static void addresses_are_read_as_encoded(void)
{
	static const struct {
		u8 encoding;
		u8 size;
		u8 bytes[16];
		u64 start, length;
	} cases[] = {
		{0x00, 16, {0, 0, 2, 0, 0, 0, 0, 0, 0x10}, 0x20000, 16},
		{0x01, 5, {0x80, 0x80, 8, 0x90, 1}, 0x20000, 144},
		{0x02, 4, {0, 0x90, 0x10, 0}, 0x9000, 16},
		{0x03, 8, {0, 0, 2, 0x80, 0x10}, 0x80020000, 16},
		{0x04, 16, {0, 0, 2, 0, 0, 0, 0, 0, 0x10}, 0x20000, 16},
		{0x09, 4, {0x80, 0x80, 4, 16}, 0x10000, 16},
		{0x1b, 8, {0, 0, 1, 0, 0x10}, 0x20020, 16},
		{0x1a, 4, {0xf0, 0xff, 0x10, 0}, 0x10010, 16},
		{0x12, 4, {0, 0x10, 0x10, 0}, 0x11020, 16},
		{0x1c, 16, {0, 0, 1, 0, 0, 0, 0, 0, 0x10}, 0x20020, 16},
		{0x3b, 8, {0, 0x80, 0, 0, 0x10}, 0x20000, 16},
		{0x39, 3, {0x80, 1, 16}, 0x18080, 16},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cie_kind kind = usual;
		struct section s = {};
		struct told told = {};
		u64 cie;

		kind.encoding = cases[i].encoding;
		/* 24 bytes with its length, so that every FDE's address stands at 0x20 */
		cie = put_cie(&s, &kind, (const u8[]){0x0c, 7, 8, 0x90, 1, 0, 0}, 7);
		CHECK_EQ(s.nr, 0x18);
		put_fde(&s, cie, cases[i].bytes, cases[i].size, true, NULL, 0);
		CHECK_EQ(scan_with(&s, EM_X86_64, true, &told).fdes, 1);
		CHECK_EQ(told.start, cases[i].start);
		CHECK_EQ(told.end - told.start, cases[i].length);
		strbuf_release(&told.text);
		vec_release(&s);
	}
}

static void unreadable_encodings_are_refused(void)
{
	static const u8 encodings[] = {0x9b, 0x2b, 0x4b, 0x50, 0x05, 0x0d, 0xff};

	for (size_t i = 0; i < ARRAY_SIZE(encodings); i++) {
		struct cie_kind kind = usual;
		struct section s = {};
		struct told told = {};

		kind.encoding = encodings[i];
		put_usual_fde(&s, put_cie(&s, &kind, usual_program, 5), START, SIZE, NULL, 0);
		CHECK_EQ(scan_with(&s, EM_X86_64, true, &told).broken, 2);
		CHECK_EQ(told.nr, 0);
		strbuf_release(&told.text);
		vec_release(&s);
	}
}

static void augmentations(void)
{
	static const struct {
		const char *letters;
		u8 version;
		bool read, signal;
	} cases[] = {
		{"zR", 1, true, false},	 {"zPLR", 1, true, false}, {"zRS", 1, true, true},
		{"zRB", 3, true, false}, {"zR", 4, true, false},   {"zX", 1, false, false},
		{"eh", 1, false, false}, {"zR", 2, false, false},  {"zRX", 1, false, false},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cie_kind kind = usual;
		struct section s = {};
		struct told told = {};

		kind.letters = cases[i].letters;
		kind.version = cases[i].version;
		put_usual_fde(&s, put_cie(&s, &kind, usual_program, 5), START, SIZE, NULL, 0);
		scan_with(&s, EM_X86_64, true, &told);
		CHECK_EQ(told.nr, cases[i].read);
		CHECK_EQ(told.signal, cases[i].signal);
		if (told.nr)
			CHECK_EQ(told.start, START);
		strbuf_release(&told.text);
		vec_release(&s);
	}
}

static void no_augmentation_means_absolute_addresses(void)
{
	static const u64 pointer[2] = {START, SIZE};
	struct cie_kind kind = usual;
	struct section s = {};
	struct told told = {};

	kind.letters = "";
	put_fde(&s, put_cie(&s, &kind, usual_program, 5), pointer, sizeof(pointer), false, NULL, 0);
	CHECK_EQ(scan_with(&s, EM_X86_64, true, &told).fdes, 1);
	CHECK_EQ(told.start, START);
	strbuf_release(&told.text);
	vec_release(&s);
}

static void lengths_of_64_bits(void)
{
	struct section s = {}, wide = {};
	struct told told = {};
	u32 pointer[2] = {0, SIZE};
	u64 cie = put_cie(&s, &usual, usual_program, 5);

	put(&wide, 0xffffffff, 4);
	put(&wide, 4 + 8 + 1, 8);
	put(&wide, s.nr + 12 - cie, 4);
	pointer[0] = (u32)(START - (ADDRESS + s.nr + 16));
	put_bytes(&wide, pointer, sizeof(pointer));
	put(&wide, 0, 1);
	put_bytes(&s, wide.at, wide.nr);
	CHECK_EQ(scan_with(&s, EM_X86_64, true, &told).fdes, 1);
	CHECK_EQ(told.start, START);
	strbuf_release(&told.text);
	vec_release(&wide);
	vec_release(&s);
}

/* A terminator ends the section, but for a further part of a section whose size is known. */
static void terminators(void)
{
	for (int size_known = 0; size_known < 2; size_known++) {
		struct section s = {};
		struct told told = {};

		put_usual_fde(&s, put_cie(&s, &usual, usual_program, 5), START, SIZE, NULL, 0);
		put(&s, 0, 4);
		put_usual_fde(&s, put_cie(&s, &usual, usual_program, 5), START, SIZE, NULL, 0);
		put(&s, 0, 4);
		put(&s, 0x1234, 8);
		CHECK_EQ(scan_with(&s, EM_X86_64, size_known, &told).fdes, 1 + size_known);
		strbuf_release(&told.text);
		vec_release(&s);
	}
}

static void cut_sections_give_what_is_whole(void)
{
	struct section s = {};

	put_usual_fde(&s, put_cie(&s, &usual, usual_program, 5), START, SIZE, usual_program, 5);
	for (size_t size = 0; size < s.nr; size++) {
		struct section part = {.at = xmemdup(s.at, size), .nr = size};
		struct told told = {};

		scan_with(&part, EM_X86_64, true, &told);
		CHECK_EQ(told.nr, 0);
		strbuf_release(&told.text);
		free(part.at);
	}
	vec_release(&s);
}

static void foreign_cies_are_not_followed(void)
{
	struct section s = {};
	struct told told = {};
	u64 cie = put_cie(&s, &usual, usual_program, 5);

	put_usual_fde(&s, cie + 1, START, SIZE, NULL, 0);
	put_usual_fde(&s, cie - 1000, START, SIZE, NULL, 0);
	put_usual_fde(&s, s.nr, START, SIZE, NULL, 0);
	CHECK_EQ(scan_with(&s, EM_X86_64, true, &told).broken, 3);
	CHECK_EQ(told.nr, 0);
	strbuf_release(&told.text);
	vec_release(&s);
}

int main(void)
{
	RUN(instructions_of_x86_64);
	RUN(set_loc_moves_to_an_address);
	RUN(instructions_of_aarch64);
	RUN(addresses_are_read_as_encoded);
	RUN(unreadable_encodings_are_refused);
	RUN(augmentations);
	RUN(no_augmentation_means_absolute_addresses);
	RUN(lengths_of_64_bits);
	RUN(terminators);
	RUN(cut_sections_give_what_is_whole);
	RUN(foreign_cies_are_not_followed);
	return test_status();
}
