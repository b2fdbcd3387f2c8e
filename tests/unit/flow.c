/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows from code, compared with those that the compiler has written down for the same code. A
 * register that was loaded again may still be read where it was saved, or not: both are right, so only
 * where the CFA and the return address are is compared, and where the CFA counts from the same
 * register.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "fixture.h"
#include "unwind/flow.h"
#include "unwind/table.h"

static const char code[] =
	"#include <stdlib.h>\n"
	"#include <string.h>\n"
	"extern volatile int sink; volatile int sink;\n"
	"__attribute__((noinline)) int leaf(int x) { return x * 7 + sink; }\n"
	"static __attribute__((noinline)) int local(int x) { return leaf(x) + leaf(x + 1); }\n"
	"__attribute__((noinline, noreturn)) void never(int x) { sink = x; for (;;) sink++; }\n"
	"__attribute__((noinline)) int checked(int x) { if (x > sink) never(x); return local(x); }\n"
	"__attribute__((noinline)) int after_call(int x) { leaf(x); never(x); }\n"
	"int large(int x) { char b[4000]; memset(b, x, sizeof(b)); return b[sink] + leaf(b[x]); }\n"
	"int grows(int x) { char *b = __builtin_alloca(x); memset(b, x, x); return leaf(b[sink]); }\n"
	"int loops(int *v, int n) { int s = 0; for (int i = 0; i < n; i++) s += leaf(v[i]) * s;\n"
	"	if (s < 0) return checked(s); for (int i = n; i--;) s ^= local(v[i]); return s; }\n"
	"int choose(int x, int y) { switch (x) { case 0: return leaf(y); case 1: return leaf(y) * 3;\n"
	"	case 2: y += local(y); break; case 3: y ^= checked(y); break; case 4: return y;\n"
	"	case 5: y = local(leaf(y)); break; case 6: return loops(&y, 1); } return leaf(y); }\n"
	"int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }\n"
	"long many(long a, long b, long c, long d, long e, long f, long g, long h) {\n"
	"	return local(a) * b + local(c) * d + local(e) * f + local(g) * h; }\n"
	"int start(int n) { int v[8] = {n}; return choose(n, loops(v, 8)) + large(n) + grows(n) +\n"
	"	many(n, 1, 2, 3, 4, 5, 6, 7) + compare(v, v + 1) + after_call(n); }\n";

struct agreement {
	u64 nr, same, none;
};

static struct unwind_table *table_of(struct rows *rows)
{
	struct unwind_table *table = xcalloc(1, sizeof(*table));
	struct rows_packed packed;

	rows_sort(rows);
	rows_pack(rows, &packed);
	table->shape = packed.shape;
	table->words = packed.words;
	table->nr_words = packed.nr_words;
	rows_release(rows);
	return table;
}

/* Where a rule has the CFA and the return address: as a special, whatever its kind. */
static struct wick_unwind_special meaning(const struct unwind_table *table, u32 rule)
{
	struct wick_unwind_special special = {};
	bool fp = wick_rule_kind(rule) == WICK_RULE_FP;

	if (wick_rule_kind(rule) == WICK_RULE_SPECIAL)
		wick_unwind_special(&table->shape, unwind_table_word, table, rule, &special);
	else
		special = (struct wick_unwind_special){
			.base = fp ? 6 : 7,
			.offset = 8 * (s32)(rule & WICK_RULE_N_MAX),
			.ra_place = WICK_PLACE_AT_CFA,
			.ra = -8,
		};
	return special;
}

static void compare_at(struct agreement *a, const struct unwind_table *want,
		       const struct unwind_table *got, u64 offset)
{
	u32 want_rule = unwind_table_lookup(want, offset), rule = unwind_table_lookup(got, offset);
	struct wick_unwind_special x = meaning(want, want_rule), y = meaning(got, rule);

	if (wick_rule_kind(want_rule) == WICK_RULE_NONE)
		return;
	a->nr++;
	if (wick_rule_kind(rule) == WICK_RULE_NONE)
		a->none++;
	else if (x.base != y.base)
		a->nr--;
	else if (x.offset == y.offset && ((x.ra_place == y.ra_place && x.ra == y.ra) ||
					  y.ra_place == WICK_PLACE_IN_REGISTER))
		a->same++;
}

/* The largest section of code: stubs of the PLT are another. */
static Elf64_Shdr text_of(const struct elf_eh *elf)
{
	Elf64_Shdr text = {}, section;

	for (u32 i = 1; elf_eh_section(elf, i, &section) && i < elf->nr_sections; i++)
		if (section.sh_flags & SHF_EXECINSTR && section.sh_size > text.sh_size)
			text = section;
	return text;
}

static struct agreement agreement_of(const char *path)
{
	struct agreement agreement = {};
	struct unwind_table *want, *got;
	struct elf_bytes bytes = {.fd = open(path, O_RDONLY | O_CLOEXEC)};
	struct elf_eh elf;
	struct rows rows;
	struct stat st;
	Elf64_Shdr text;

	CHECK(!fstat(bytes.fd, &st));
	bytes.size = (u64)st.st_size;
	CHECK(!unwind_table_build(bytes.fd, &want, NULL));
	CHECK(!elf_eh_init(&elf, &bytes));
	rows_init(&rows, elf.machine);
	flow_add(&elf, &rows);
	got = table_of(&rows);
	text = text_of(&elf);
	for (u64 at = 0; at < text.sh_size; at++)
		compare_at(&agreement, want, got, text.sh_offset + at);
	unwind_table_free(want);
	unwind_table_free(got);
	elf_eh_release(&elf);
	close(bytes.fd);
	return agreement;
}

static void check_agreement(const char *path, const char *flags)
{
	struct agreement a = agreement_of(path);

	if (a.nr < 200 || a.same + a.none != a.nr || a.none > 0.05 * a.nr)
		test_report("%s: of %llu bytes %llu agree, %llu have no row", flags,
			    (unsigned long long)a.nr, (unsigned long long)a.same,
			    (unsigned long long)a.none);
}

static void rows_are_the_compilers(void)
{
	static const char *const flags[] = {
		"-O2 -shared -fPIC -fomit-frame-pointer", "-Os -shared -fPIC -fomit-frame-pointer",
		"-O1 -shared -fPIC -fno-omit-frame-pointer", "-O2 -shared -fPIC -s",
		"-O2 -shared -fPIC -fcf-protection=none -s"};

	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		CHECK(compile("flow", flags[i], code));
		check_agreement(in_fixture("flow"), flags[i]);
	}
}

/* Where there is a cross compiler. */
static void rows_of_arm64_are_the_compilers(void)
{
	static const char *const flags[] = {"-O2 -fomit-frame-pointer", "-O1", "-O2 -s"};

	write_file(in_fixture("arm.c"), code, strlen(code));
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (run_command("aarch64-linux-gnu-gcc -w -shared -nostdlib -fPIC %s -o %s %s "
				"2>/dev/null",
				flags[i], in_fixture("arm"), in_fixture("arm.c")))
			return;
		check_agreement(in_fixture("arm"), flags[i]);
	}
}

#if defined(__x86_64__)
/* How many of `nr` functions without unwind entries have rows behind their first instruction. */
static u32 with_rows(u32 nr, const char *function, bool *cut)
{
	struct elf_bytes bytes = {};
	struct unwind_table *table;
	struct elf_eh elf;
	Elf64_Shdr text;
	char source[256];
	u32 with = 0;
	u64 size;
	int fd;

	snprintf(source, sizeof(source), "f:\n.rept %u\n%s\n.endr\n", nr, function);
	write_file(in_fixture("large.s"), source, strlen(source));
	CHECK(!run_command("gcc -shared -nostdlib -o %s %s", in_fixture("large"),
			   in_fixture("large.s")));
	fd = open(in_fixture("large"), O_RDONLY | O_CLOEXEC);
	bytes = (struct elf_bytes){.fd = fd, .size = (u64)lseek(fd, 0, SEEK_END)};
	CHECK(!elf_eh_init(&elf, &bytes));
	text = text_of(&elf);
	size = text.sh_size / nr;
	CHECK(!unwind_table_build(fd, &table, NULL));
	for (u32 i = 0; i < nr; i++)
		with += wick_rule_kind(unwind_table_lookup(table, text.sh_offset + i * size + 4)) !=
			WICK_RULE_NONE;
	*cut = table->stats.cut;
	unwind_table_free(table);
	elf_eh_release(&elf);
	close(fd);
	return with;
}

/* Much code that keeps frame pointers is not followed; other code is. */
static void frame_pointers_need_no_rows(void)
{
	bool cut;

	CHECK_EQ(with_rows(50000, "push %rbp\nmov %rsp,%rbp\ncall f\npop %rbp\nret", &cut), 0);
	CHECK(!cut);
	CHECK_EQ(with_rows(50000, "sub $24,%rsp\ncall f\nadd $24,%rsp\nret", &cut), 50000);
	CHECK(!cut);
}

/* 30 MB: what is behind the bound has no rows, and the table says that it was cut. */
static void work_is_bounded(void)
{
	bool cut;
	u32 nr = 1900000, with;

	/* sub $24,%rsp; 4 nops; add $24,%rsp; 3 nops; ret */
	with = with_rows(nr, ".octa 0xc390909018c483489090909018ec8348", &cut);
	CHECK(cut && with > 0 && with < nr);
}
#endif

int main(void)
{
	fixture_begin();
	RUN(rows_are_the_compilers);
	RUN(rows_of_arm64_are_the_compilers);
#if defined(__x86_64__)
	RUN(frame_pointers_need_no_rows);
	RUN(work_is_bounded);
#endif
	fixture_end();
	return test_status();
}
