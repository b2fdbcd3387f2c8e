/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The packed table against a model that is too simple to be wrong: an array with the rule of every
 * byte of text.
 */
#include "test.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "unwind/ramps.h"
#include "unwind/rows.h"
#include "unwind/table.h"

enum {
	TEXT = 32768,
	FIRST = 5000, /* of the text, in the file: not at a block's start */
};

static u64 seed = 88172645463325252ull;

static u32 below(u32 limit)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (u32)(seed >> 20) % limit;
}

struct model {
	u32 rule[TEXT + FIRST];
	u32 start[TEXT + FIRST]; /* of the function; 0: none */
};

static u32 sp_rule(u32 n, u32 fp, u32 bx)
{
	return wick_rule(WICK_RULE_SP, bx << WICK_RULE_BX_SHIFT | fp << WICK_RULE_FP_SHIFT | n);
}

/* One that a CFA program may give. */
static u32 any_rule(void)
{
	switch (below(8)) {
	case 0:
		return wick_rule(WICK_RULE_FP, below(1 << WICK_RULE_KIND_SHIFT));
	case 1:
		return wick_rule_outermost();
	case 2:
		return wick_rule(WICK_RULE_BAD, below(WICK_NR_BADS));
	default:
		return sp_rule(1 + below(12), below(8), below(8));
	}
}

struct function {
	u32 start, end;
	u32 rule[TEXT];
};

static void add(struct rows *rows, struct function *f, u32 at, u32 rule)
{
	rows_add(rows, at, rule);
	for (u32 i = at; i < f->end; i++)
		f->rule[i - f->start] = rule;
}

/* Pushes and pops as compilers write them, with other things in between. */
static void add_body(struct rows *rows, struct function *f)
{
	u32 at = f->start, n = 1, fp = 0, bx = 0;

	add(rows, f, at, sp_rule(1, 0, 0));
	while (at < f->end) {
		u32 pushes = below(7);

		for (u32 i = 0; i < pushes; i++) {
			at += 1 + below(below(4) ? 2 : 9);
			n++;
			if (n > 1 && !below(3) && n <= 8)
				*(below(2) ? &fp : &bx) = n - 1;
			add(rows, f, at, sp_rule(n, fp, bx));
		}
		at += below(300);
		if (!below(5))
			add(rows, f, at, any_rule());
		for (; n > 1; n--) {
			at += 1 + below(below(9) ? 2 : 9);
			add(rows, f, at, sp_rule(n - 1, fp, bx));
		}
		at += 1;
		fp = bx = 0;
		add(rows, f, at, sp_rule(1, 0, 0));
	}
}

/* Random functions with holes of all sizes, overlaps now and then, in any order. */
static u32 add_functions(struct rows *rows, struct function *functions, u32 room)
{
	u32 nr = 0, at = FIRST;

	while (nr < room) {
		struct function *f = &functions[nr];

		f->start = at + (below(3) ? 0 : below(40));
		f->end = f->start + 1 + below(below(4) ? 200 : 4000);
		if (f->end >= TEXT + FIRST)
			break;
		at = below(20) ? f->end : f->start + 1 + below(f->end - f->start);
		nr++;
	}
	for (u32 i = 0; i < nr; i++) {
		u32 k = i % 2 ? i / 2 : nr - 1 - i / 2;

		if (rows_begin(rows, functions[k].start, functions[k].end))
			add_body(rows, &functions[k]);
	}
	return nr;
}

static void fill_model(struct model *model, const struct function *functions, u32 nr)
{
	u32 covered = 0;

	memset(model, 0, sizeof(*model));
	for (u32 i = 0; i < nr; i++) {
		const struct function *f = &functions[i];
		u32 next = i + 1 < nr ? functions[i + 1].start : UINT32_MAX;
		u32 end = min(f->end, next);

		for (u32 at = covered;
		     covered && rows_is_padding(covered, f->start) && at < f->start; at++) {
			model->rule[at] = model->rule[covered - 1];
			model->start[at] = model->start[covered - 1];
		}
		for (u32 at = f->start; at < end; at++) {
			model->rule[at] = f->rule[at - f->start];
			model->start[at] = f->start;
		}
		covered = end;
	}
}

static void compare(const struct model *model, const struct rows_packed *packed)
{
	struct unwind_table table = {
		.shape = packed->shape, .words = packed->words, .nr_words = packed->nr_words};

	for (u32 at = 0; at < TEXT + FIRST; at++) {
		u32 got = unwind_table_lookup(&table, at);

		if (got == model->rule[at])
			continue;
		test_report("byte %u has rule %#x, want %#x", at, got, model->rule[at]);
		return;
	}
	CHECK_EQ(unwind_table_lookup(&table, 1ull << 40), 0);
	CHECK_EQ(unwind_table_lookup(&table, ~0ull), 0);
}

static void lookups_equal_the_model(void)
{
	struct function *functions = xcalloc(400, sizeof(*functions));
	struct model *model = xcalloc(1, sizeof(*model));

	for (int round = 0; round < 30 && !test_failed; round++) {
		struct rows rows;
		struct rows_packed packed;
		u32 nr;

		rows_init(&rows, cfa_machine(EM_X86_64));
		nr = add_functions(&rows, functions, 1 + below(400));
		rows_sort(&rows);
		rows_pack(&rows, &packed);
		fill_model(model, functions, nr);
		compare(model, &packed);
		free(packed.words);
		rows_release(&rows);
	}
	free(model);
	free(functions);
}

static u32 row(u32 at, u32 rule)
{
	return at << WICK_RULE_BITS | rule;
}

/* Also a run that is almost one stays right, so only its size would show that it is not packed. */
static void runs_of_pushes_and_pops_are_one_row(void)
{
	u32 rows[] = {
		row(0, sp_rule(1, 0, 0)),  row(2, sp_rule(2, 0, 0)),  row(4, sp_rule(3, 0, 0)),
		row(5, sp_rule(4, 3, 0)),  row(6, sp_rule(5, 3, 4)),  row(9, sp_rule(20, 3, 4)),
		row(90, sp_rule(5, 3, 4)), row(91, sp_rule(4, 3, 4)), row(92, sp_rule(3, 3, 4)),
		row(94, sp_rule(2, 3, 4)), row(96, sp_rule(1, 3, 4)), row(97, sp_rule(20, 3, 4)),
	};

	CHECK_EQ(ramps_pack(rows, ARRAY_SIZE(rows)), 4);
	CHECK_EQ(wick_rule_kind(rows[0] & ((1u << WICK_RULE_BITS) - 1)), WICK_RULE_PUSHES);
	CHECK_EQ(wick_rule_kind(rows[2] & ((1u << WICK_RULE_BITS) - 1)), WICK_RULE_POPS);
}

static void no_functions_no_rows(void)
{
	struct rows rows;
	struct rows_packed packed;

	rows_init(&rows, cfa_machine(EM_X86_64));
	rows_sort(&rows);
	rows_pack(&rows, &packed);
	CHECK_EQ(packed.shape.nr_rows, 0);
	CHECK_EQ(packed.shape.nr_blocks, 0);
	CHECK(!rows_cover(&rows, 0));
	CHECK_EQ(rows_next(&rows, 0), UINT32_MAX);
	free(packed.words);
	rows_release(&rows);
}

static struct cfa_rule plain(s64 offset)
{
	return (struct cfa_rule){
		.kind = CFA_REGISTER,
		.base = 7,
		.offset = offset,
		.column = {[CFA_RA] = {.where = CFA_AT_CFA, .value = -8}},
	};
}

/* As glibc's _dl_runtime_resolve for AArch64 has it. */
static void a_return_address_is_below_the_caller_s_stack_pointer(void)
{
	struct rows rows;
	struct cfa_rule rule = {
		.kind = CFA_REGISTER,
		.base = 31,
		.offset = 208,
		.column = {[CFA_RA] = {.where = CFA_AT_CFA, .value = 8},
			   [CFA_FP] = {.where = CFA_AT_CFA, .value = -32}},
	};

	rows_init(&rows, cfa_machine(EM_AARCH64));
	CHECK_EQ(rows_rule(&rows, &rule), sp_rule(28, 5, 0));
	rows_release(&rows);
}

static void rules_are_encoded(void)
{
	struct rows rows;
	struct cfa_rule rule = plain(48);
	u32 special;

	rows_init(&rows, cfa_machine(EM_X86_64));
	CHECK_EQ(rows_rule(&rows, &rule), sp_rule(6, 0, 0));
	rule.column[CFA_FP] = (struct cfa_place){.where = CFA_AT_CFA, .value = -16};
	rule.column[CFA_BX] = (struct cfa_place){.where = CFA_AT_CFA, .value = -64};
	CHECK_EQ(rows_rule(&rows, &rule), sp_rule(6, 1, 7));
	CHECK_EQ(rows.specials.nr, 0);

	/* what does not fit becomes a special, the same one each time */
	rule.column[CFA_BX].value = -72;
	special = rows_rule(&rows, &rule);
	CHECK_EQ(wick_rule_kind(special), WICK_RULE_SPECIAL);
	CHECK_EQ(rows_rule(&rows, &rule), special);
	CHECK_EQ(rows.specials.nr, 1);
	CHECK_EQ(rows.specials.at[0].bx, -72);
	rule = plain(65536);
	CHECK_EQ(wick_rule_kind(rows_rule(&rows, &rule)), WICK_RULE_SPECIAL);
	rule = plain(12);
	CHECK_EQ(wick_rule_kind(rows_rule(&rows, &rule)), WICK_RULE_SPECIAL);
	rule = plain(8);
	rule.column[CFA_RA] = (struct cfa_place){.where = CFA_IN_REGISTER, .reg = 5};
	CHECK_EQ(wick_rule_kind(rows_rule(&rows, &rule)), WICK_RULE_SPECIAL);
	rule.column[CFA_RA] = (struct cfa_place){.where = CFA_UNDEFINED};
	CHECK_EQ(rows_rule(&rows, &rule), wick_rule_outermost());
	rows_release(&rows);
}

static void what_cannot_be_said_has_a_reason(void)
{
	static const struct {
		enum wick_bad bad;
		struct cfa_rule rule;
	} cases[] = {
		{WICK_BAD_NO_CFA, {.kind = CFA_UNSET}},
		{WICK_BAD_CFA_EXPRESSION, {.kind = CFA_STRANGE}},
		{WICK_BAD_REGISTER, {.kind = CFA_REGISTER, .base = 17}},
		{WICK_BAD_REGISTER, {.kind = CFA_REGISTER, .base = 7}},
		{WICK_BAD_OFFSET, {.kind = CFA_REGISTER, .base = 7, .offset = 1ll << 33}},
		{WICK_BAD_OFFSET, {.kind = CFA_DEREF, .base = 7, .add = 1 << 15}},
		{WICK_BAD_STACK_POINTER,
		 {.kind = CFA_REGISTER, .base = 7, .column[CFA_SP] = {.where = CFA_AT_CFA}}},
		{WICK_BAD_PLACE_EXPRESSION,
		 {.kind = CFA_REGISTER, .base = 7, .column[CFA_RA] = {.where = CFA_ODD}}},
	};
	struct rows rows;

	rows_init(&rows, cfa_machine(EM_X86_64));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		CHECK_EQ(rows_rule(&rows, &cases[i].rule), wick_rule(WICK_RULE_BAD, cases[i].bad));
	for (int i = 0; i < WICK_NR_BADS; i++)
		CHECK(strlen(unwind_bad_text(i)) > 3);
	rows_release(&rows);
}

/* This very program, changed in memory. */
struct image {
	char *bytes;
	size_t size;
};

static struct image own_image(void)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct image image = {};
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return image;
	image.size = (size_t)st.st_size;
	image.bytes = xcalloc(1, image.size);
	if (pread(fd, image.bytes, image.size, 0) != st.st_size)
		image.size = 0;
	return image;
}

/* At how many places of the file do two tables say another rule? */
static u64 nr_different(const struct unwind_table *a, const struct unwind_table *b, u64 size)
{
	u64 nr = 0;

	for (u64 at = 0; at < size; at++)
		nr += unwind_table_lookup(a, at) != unwind_table_lookup(b, at);
	return nr;
}

/*
 * Without section headers .eh_frame is found by .eh_frame_hdr. (What has no unwind entry is told by
 * the code, and less is known of that without sections and symbols.)
 */
static void section_headers_are_not_needed(void)
{
	struct image image = own_image();
	struct unwind_table *with = NULL, *without = NULL;
	Elf64_Ehdr *header = (Elf64_Ehdr *)image.bytes;

	CHECK_EQ(unwind_table_build_image(image.bytes, image.size, &with, NULL), 0);
	header->e_shoff = 0;
	header->e_shnum = 0;
	CHECK_EQ(unwind_table_build_image(image.bytes, image.size, &without, NULL), 0);
	if (with && without) {
		CHECK(with->stats.functions > 100);
		CHECK(nr_different(with, without, image.size) < image.size / 1000);
		CHECK(!without->stats.cut && !without->stats.broken);
	}
	unwind_table_free(with);
	unwind_table_free(without);
	free(image.bytes);
}

/* A broken file is an error, or a table that says it is cut; never more. */
static void broken_files_are_survived(void)
{
	struct image image = own_image();
	struct unwind_table *table;
	struct error error;

	CHECK_EQ(unwind_table_build_image("", 0, &table, &error), -ENOEXEC);
	for (size_t size = 1; size < image.size; size += 1 + size / 3) {
		table = NULL;
		if (!unwind_table_build_image(image.bytes, size, &table, &error))
			unwind_table_free(table);
	}
	for (int i = 0; i < 200; i++) {
		image.bytes[below(2048)] = (char)below(256);
		memcpy(image.bytes, ELFMAG "\2\1\1", 7);
		table = NULL;
		if (!unwind_table_build_image(image.bytes, image.size, &table, &error))
			unwind_table_free(table);
	}
	free(image.bytes);
}

static __attribute__((noinline)) u64 some_function(u64 x)
{
	return below(7) + x;
}

/* Where in the file a function of this program's lies. */
static u64 offset_of_function(const void *function)
{
	_cleanup_fclose_ FILE *maps = fopen("/proc/self/maps", "re");
	unsigned long long start, end, offset, at = (u64)(uintptr_t)function;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &offset) == 3 && at >= start &&
		    at < end)
			return at - start + offset;
	return 0;
}

static void functions_are_found_by_their_start(void)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	u64 want = offset_of_function(some_function), start = 0;
	struct unwind_table *table = NULL;

	CHECK(some_function(1) > 0);
	CHECK_EQ(unwind_table_build(fd, &table, NULL), 0);
	if (!table)
		return;
	CHECK(unwind_table_function_start(table, want, &start));
	CHECK_EQ(start, want);
	CHECK(unwind_table_function_start(table, want + 3, &start));
	CHECK_EQ(start, want);
	CHECK(!unwind_table_function_start(table, 0, &start));
	CHECK(!unwind_table_function_start(table, 1ull << 40, &start));
	unwind_table_free(table);
}

/* Every start, by search, in text that is many times 64 KB: libc's. */
static void starts_are_ascending_and_found(void)
{
	_cleanup_close_ int fd = open("/lib/x86_64-linux-gnu/libc.so.6", O_RDONLY | O_CLOEXEC);
	struct unwind_table *table = NULL;
	u64 last = 0, nr = 0, start;

	if (fd < 0 || unwind_table_build(fd, &table, NULL)) {
		printf("skip %s: no libc where Debian has it\n", test_name);
		return;
	}
	for (u64 at = 0; at < 2 << 20; at++) {
		if (!unwind_table_function_start(table, at, &start))
			continue;
		CHECK(start <= at && start >= last);
		nr += start != last;
		last = start;
	}
	CHECK_EQ(nr, table->stats.functions);
	unwind_table_free(table);
}

static void an_empty_function_begins_nothing(void)
{
	struct rows rows;

	rows_init(&rows, cfa_machine(EM_X86_64));
	CHECK(!rows_begin(&rows, 10, 10));
	CHECK(!rows_begin(&rows, 11, 10));
	CHECK_EQ(rows.functions.nr, 0);
	CHECK(rows_begin(&rows, 10, 11));
	CHECK_EQ(rows.functions.nr, 1);
	rows_release(&rows);
}

int main(void)
{
	RUN(lookups_equal_the_model);
	RUN(runs_of_pushes_and_pops_are_one_row);
	RUN(no_functions_no_rows);
	RUN(a_return_address_is_below_the_caller_s_stack_pointer);
	RUN(rules_are_encoded);
	RUN(what_cannot_be_said_has_a_reason);
	RUN(section_headers_are_not_needed);
	RUN(broken_files_are_survived);
	RUN(functions_are_found_by_their_start);
	RUN(starts_are_ascending_and_found);
	RUN(an_empty_function_begins_nothing);
	return test_status();
}
