/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fixture.h"
#include "symbolize.h"

enum { MAX_ASKED = 16 };

struct answers {
	char name[MAX_ASKED][600], module[MAX_ASKED][100];
};

static void take(void *ctx, size_t i, const char *name, const char *module)
{
	struct answers *answers = ctx;

	snprintf(answers->name[i], sizeof(answers->name[i]), "%s", name);
	snprintf(answers->module[i], sizeof(answers->module[i]), "%s", module ? module : "");
}

static int ask_bytes(const void *text, size_t size, const u64 *addresses, size_t nr,
		     struct answers *answers)
{
	const char *path = in_fixture("kallsyms");
	struct kernel_namer namer = kallsyms_namer(path);

	memset(answers, 0, sizeof(*answers));
	write_file(path, text, size);
	return namer.names(namer.self, addresses, nr, take, answers);
}

static void expect(const char *text, u64 address, const char *name, const char *module)
{
	struct answers answers;

	CHECK_EQ(ask_bytes(text, strlen(text), &address, 1, &answers), 0);
	CHECK_STR(answers.name[0], name);
	CHECK_STR(answers.module[0], module);
}

static const char small[] = "ffffffff81000000 T _stext\n"
			    "ffffffff81000000 T startup_64\n"
			    "ffffffff81001000 t local_function\n"
			    "ffffffff81001100 T next_function\n"
			    "ffffffff81002000 D some_data\n"
			    "ffffffffc0201000 t ext4_map_blocks\t[ext4]\n"
			    "ffffffffc0300000 t bpf_prog_1234_name\t[bpf]\n";

static void a_symbol_reaches_to_the_next(void)
{
	expect(small, 0xffffffff80ffffff, "", "");
	expect(small, 0xffffffff81000fff, "startup_64", "");
	expect(small, 0xffffffff81001000, "local_function", "");
	expect(small, 0xffffffff810010ff, "local_function", "");
	expect(small, 0xffffffff81001fff, "next_function", "");
	expect(small, 0xffffffffc0201234, "ext4_map_blocks", "ext4");
	expect(small, 0xffffffffc0300001, "bpf_prog_1234_name", "bpf");
}

static void data_and_distance_name_nothing(void)
{
	expect(small, 0xffffffff81002004, "", "");
	expect(small, 0xffffffffc0290000, "ext4_map_blocks", "ext4");
	expect(small, 0xffffffffc0500000, "", "");
	expect(small, UINT64_MAX, "", "");
	expect(small, 0, "", "");
}

static void aliases_have_an_order(void)
{
	static const struct {
		const char *lines, *want;
	} cases[] = {
		{"10 d object\n10 t function\n", "function"},
		{"10 t local\n10 W weak\n", "weak"},
		{"10 W weak\n10 T global\n", "global"},
		{"10 T __x64_sys_write\n10 T ksys_write_very_long\n", "ksys_write_very_long"},
		{"10 T longer\n10 T short\n", "short"},
		{"10 T bbb\n10 T aaa\n", "aaa"},
		{"10 t aaa\n10 T zzz\n10 d a\n", "zzz"},
		{"10 t $x\n10 t .Lloop\n8 t real\n", "real"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		expect(cases[i].lines, 0x12, cases[i].want, "");
}

static void the_order_of_lines_does_not_matter(void)
{
	static const u64 addresses[] = {0x10, 0x15, 0x25, 0x25, 0x31, 0x99};
	static const char *const orders[] = {
		"10 T a\n20 T b\n30 T c\n40 T d\n", "40 T d\n30 T c\n20 T b\n10 T a\n",
		"30 T c\n10 T a\n40 T d\n20 T b\n", "20 T b\n40 T d\n10 T a\n30 T c\n"};
	struct answers answers;

	for (size_t i = 0; i < ARRAY_SIZE(orders); i++) {
		CHECK_EQ(ask_bytes(orders[i], strlen(orders[i]), addresses, 6, &answers), 0);
		CHECK_STR(answers.name[0], "a");
		CHECK_STR(answers.name[1], "a");
		CHECK_STR(answers.name[2], "b");
		CHECK_STR(answers.name[3], "b");
		CHECK_STR(answers.name[4], "c");
		CHECK_STR(answers.name[5], "d");
	}
}

static void hidden_addresses_are_an_error(void)
{
	static const char text[] = "0000000000000000 T _stext\n0000000000000000 t x\t[m]\n";
	struct kernel_namer missing = kallsyms_namer("/nonexistent");
	struct answers answers;

	CHECK_EQ(ask_bytes(text, strlen(text), (u64[]){0x10}, 1, &answers), -EPERM);
	CHECK_EQ(ask_bytes("", 0, (u64[]){0x10}, 1, &answers), -EPERM);
	CHECK_EQ(missing.names(missing.self, (u64[]){1}, 1, take, &answers), -ENOENT);
}

static void garbage_is_passed_over(void)
{
	static const char *const garbage[] = {
		"\n",
		"x\n",
		"10\n",
		"10 T\n",
		"10 T \n",
		"zz T f\n",
		"11112222333344445 T f\n",
		"12T f\n",
		"12 TT f\n",
		":; T f\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(garbage); i++) {
		_cleanup_free_ char *text = format("%s10 T good\n%s", garbage[i], garbage[i]);

		expect(text, 0x13, "good", "");
	}
	expect("10 T good\n20 T cut", 0x25, "good", "");
}

static void long_names_and_lines_are_bounded(void)
{
	_cleanup_strbuf_ struct strbuf text = {};
	struct answers answers;

	strbuf_adds(&text, "10 T ");
	for (int i = 0; i < 2000; i++)
		strbuf_addc(&text, 'n');
	strbuf_adds(&text, "\t[");
	for (int i = 0; i < 2000; i++)
		strbuf_addc(&text, 'm');
	strbuf_adds(&text, "]\n20 T ");
	for (int i = 0; i < 300000; i++)
		strbuf_addc(&text, 'x');
	strbuf_adds(&text, "\n30 T good\n");
	CHECK_EQ(ask_bytes(text.s, text.size, (u64[]){0x11, 0x31}, 2, &answers), 0);
	CHECK_EQ(strlen(answers.name[0]), 511);
	CHECK_EQ(strlen(answers.module[0]), 63);
	CHECK_STR(answers.name[1], "good");
}

/* needs-root: this kernel's own. Each text symbol that stands alone at its address names itself. */
static void this_kernel(void)
{
	struct kernel_namer namer = kallsyms_namer("/proc/kallsyms");
	FILE *file = fopen("/proc/kallsyms", "re");
	unsigned long long address, before = 0;
	char line[1024], name[512], type;
	u64 addresses[MAX_ASKED];
	char want[MAX_ASKED][512];
	struct answers answers = {};
	size_t nr = 0, lines = 0;

	if (getuid()) {
		printf("skip this_kernel: needs root\n");
		fclose(file);
		return;
	}
	while (file && fgets(line, sizeof(line), file) && nr < MAX_ASKED) {
		if (sscanf(line, "%llx %c %511s", &address, &type, name) != 3)
			continue;
		if (lines++ % 5000 == 4999 && strchr("tT", type) && address > before) {
			addresses[nr] = address;
			strcpy(want[nr++], name);
		}
		before = address;
	}
	fclose(file);
	CHECK(nr > 5);
	CHECK_EQ(namer.names(namer.self, addresses, nr, take, &answers), 0);
	for (size_t i = 0; i < nr; i++)
		CHECK(!strcmp(answers.name[i], want[i]) ||
		      strlen(answers.name[i]) <= strlen(want[i]));
}

int main(void)
{
	fixture_begin();
	RUN(a_symbol_reaches_to_the_next);
	RUN(data_and_distance_name_nothing);
	RUN(aliases_have_an_order);
	RUN(the_order_of_lines_does_not_matter);
	RUN(hidden_addresses_are_an_error);
	RUN(garbage_is_passed_over);
	RUN(long_names_and_lines_are_bounded);
	RUN(this_kernel);
	fixture_end();
	return test_status();
}
