/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that were written to harm, as a whole: what their headers say of places and sizes is
 * nonsense, the tables inside are sound. A table comes out of each, in time.
 */
#include "test.h"

#include <elf.h>
#include <sys/mman.h>

#include "unwind/table.h"

enum {
	SECTIONS = 4, /* none, .eh_frame, .gopclntab, the names */
	NAMES = 0x200,
	EH_FRAME = 0x400,
	GOPCLNTAB = 0x800,
	CODE = 0x1000,
	SIZE = 0x2000,
	SECONDS = 60, /* until what should take milliseconds counts as endless */
};

struct image {
	u8 bytes[SIZE];
};

static Elf64_Ehdr *header_of(struct image *image)
{
	return (Elf64_Ehdr *)image->bytes;
}

static Elf64_Phdr *text_of(struct image *image)
{
	return (Elf64_Phdr *)(image->bytes + sizeof(Elf64_Ehdr));
}

static Elf64_Shdr *section_of(struct image *image, u32 i)
{
	return (Elf64_Shdr *)(image->bytes + 0x100) + i;
}

static void put_headers(struct image *image, u64 address)
{
	*header_of(image) = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
		.e_machine = EM_X86_64,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_shoff = 0x100,
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_phnum = 1,
		.e_shnum = SECTIONS,
		.e_shstrndx = SECTIONS - 1,
	};
	*text_of(image) = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = CODE,
		.p_vaddr = address,
		.p_filesz = SIZE - CODE,
	};
	memcpy(image->bytes + NAMES, "\0.eh_frame\0.gopclntab", 22);
	section_of(image, SECTIONS - 1)->sh_offset = NAMES;
}

/* A CIE with CFA = rsp + 8, and an FDE of that for [address, address + 0x100). */
static void put_eh_frame(struct image *image, u64 address)
{
	static const u8 cie[] = {16, 0,	   0,  0,  0, 0, 0,    0, 1, 0,
				 1,  0x78, 16, 12, 7, 8, 0x90, 1, 0, 0};
	u8 *at = image->bytes + EH_FRAME;
	const u32 fde[] = {20, sizeof(cie) + 4, (u32)address, (u32)(address >> 32), 0x100, 0};

	memcpy(at, cie, sizeof(cie));
	memcpy(at + sizeof(cie), fde, sizeof(fde));
	section_of(image, 1)->sh_name = 1;
	section_of(image, 1)->sh_offset = EH_FRAME;
	section_of(image, 1)->sh_size = sizeof(cie) + sizeof(fde);
}

/* One function at `entry`, of a version whose entries are addresses. */
static void put_gopclntab(struct image *image, u64 entry)
{
	const u64 words[] = {0x08010000fffffffa, 1, 0, 0, 0, 0, 0x90, 64};
	const u64 functions[] = {entry, 32, entry + 0x100};

	memcpy(image->bytes + GOPCLNTAB, words, sizeof(words));
	memcpy(image->bytes + GOPCLNTAB + 64, functions, sizeof(functions));
	memcpy(image->bytes + GOPCLNTAB + 64 + 32 + 20, "\1", 1);	/* pcsp */
	memcpy(image->bytes + GOPCLNTAB + 0x90, "\0\x02\x7f\x7f\0", 5); /* CFA = rsp + 8 */
	section_of(image, 2)->sh_name = 11;
	section_of(image, 2)->sh_offset = GOPCLNTAB;
	section_of(image, 2)->sh_size = 0x100;
}

/*
 * The two functions by which the begin of the text is looked for, and the entries count from there.
 */
static void put_landmark(struct image *image)
{
	const u64 words[] = {0x08010000fffffff1, 2, 0, 0, 0x80, 0, 0, 0, 72};
	const u32 functions[] = {0, 20, 0x10, 28, 0x20, 0, 0, 0, 17};
	u8 *at = image->bytes + GOPCLNTAB;

	memcpy(at, words, sizeof(words));
	memcpy(at + 72, functions, sizeof(functions));
	memcpy(at + 0x80, "_rt0_amd64_linux\0_rt0_amd64", 28);
	section_of(image, 2)->sh_name = 11;
	section_of(image, 2)->sh_offset = GOPCLNTAB;
	section_of(image, 2)->sh_size = 0x100;
}

static u64 nr_functions(const struct image *image, bool *cut)
{
	struct unwind_table *table;
	u64 nr;

	if (unwind_table_build_image(image, sizeof(*image), &table, NULL))
		return UINT64_MAX;
	nr = table->stats.functions;
	if (cut)
		*cut = table->stats.cut;
	unwind_table_free(table);
	return nr;
}

static void sound_file_has_its_functions(void)
{
	struct image image = {};

	put_headers(&image, 0x1000);
	put_eh_frame(&image, 0x1000);
	CHECK_EQ(nr_functions(&image, NULL), 1);
	put_gopclntab(&image, 0x1200);
	CHECK_EQ(nr_functions(&image, NULL), 2);
}

/* Where the text is said to lie, and how large; the functions begin where it does. */
static const struct {
	u64 offset, size, address;
} nowhere[] = {
	{-0x80ull, 0x1000, 0x1000},  {-0x1000ull, 0x1000, 0x1000},  {-0x80ull, -1ull, 0x1000},
	{INT64_MAX, 0x1000, 0x1000}, {SIZE, 0x1000, 0x1000},	    {UINT32_MAX, 0x1000, 0x1000},
	{-1ull, -1ull, -0x80ull},    {-0x80ull, 0x1000, -0x200ull},
};

static void text_that_is_not_in_the_file_has_no_rows(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(nowhere); i++)
		for (u32 go = 0; go < 2; go++) {
			struct image image = {};

			put_headers(&image, nowhere[i].address);
			text_of(&image)->p_offset = nowhere[i].offset;
			text_of(&image)->p_filesz = nowhere[i].size;
			(go ? put_gopclntab : put_eh_frame)(&image, nowhere[i].address);
			CHECK_EQ(nr_functions(&image, NULL), 0);
		}
}

/* The last bytes of a file that was cut: what is there has a rule. */
static void text_is_cut_at_the_end_of_the_file(void)
{
	struct image image = {};
	struct unwind_table *table;

	put_headers(&image, 0x1000);
	text_of(&image)->p_offset = SIZE - 0x10;
	text_of(&image)->p_filesz = -1ull;
	put_eh_frame(&image, 0x1000);
	CHECK_EQ(unwind_table_build_image(&image, sizeof(image), &table, NULL), 0);
	CHECK(wick_rule_kind(unwind_table_lookup(table, SIZE - 1)) == WICK_RULE_SP);
	CHECK(wick_rule_kind(unwind_table_lookup(table, SIZE)) == WICK_RULE_NONE);
	CHECK_EQ(table->stats.text, 0x10);
	unwind_table_free(table);
}

static void sections_that_are_nowhere_are_none(void)
{
	for (u32 i = 1; i < SECTIONS; i++)
		for (u64 at = -0x40ull; at; at += 0x10) {
			struct image image = {};

			put_headers(&image, 0x1000);
			put_eh_frame(&image, 0x1000);
			put_gopclntab(&image, 0x1200);
			section_of(&image, i)->sh_offset = at;
			CHECK(nr_functions(&image, NULL) != 2);
		}
}

static void headers_beyond_2_to_the_64_are_nowhere(void)
{
	struct image image = {};

	put_headers(&image, 0x1000);
	put_eh_frame(&image, 0x1000);
	header_of(&image)->e_shoff = -0x80ull;
	CHECK_EQ(nr_functions(&image, NULL), 0);
	header_of(&image)->e_phoff = -0x20ull;
	CHECK_EQ(nr_functions(&image, NULL), UINT64_MAX);
}

/* A landmark that is not there, in a text of 2^62 bytes, of which nothing is on the disk. */
static void search_for_the_text_ends(void)
{
	_cleanup_close_ int fd = memfd_create("sparse", MFD_CLOEXEC);
	struct unwind_table *table;
	struct image image = {};

	put_headers(&image, 0x400000);
	text_of(&image)->p_filesz = 1ull << 62;
	put_landmark(&image);
	CHECK(fd >= 0 && write(fd, &image, sizeof(image)) == sizeof(image));
	CHECK(!ftruncate(fd, 1ll << 46));
	alarm(SECONDS);
	CHECK_EQ(unwind_table_build(fd, &table, NULL), 0);
	alarm(0);
	CHECK_EQ(table->stats.functions, 0);
	CHECK(table->stats.cut);
	unwind_table_free(table);
}

/* gcc's _start says that it has no caller from its second instruction on. */
static void the_entry_point_has_no_caller(void)
{
	struct unwind_table *table;
	struct image image = {};

	put_headers(&image, 0x1000);
	put_eh_frame(&image, 0x1000);
	header_of(&image)->e_entry = 0x1000;
	CHECK_EQ(unwind_table_build_image(&image, sizeof(image), &table, NULL), 0);
	CHECK_EQ(unwind_table_lookup(table, CODE), wick_rule_outermost());
	unwind_table_free(table);
}

int main(void)
{
	RUN(sound_file_has_its_functions);
	RUN(text_that_is_not_in_the_file_has_no_rows);
	RUN(text_is_cut_at_the_end_of_the_file);
	RUN(sections_that_are_nowhere_are_none);
	RUN(headers_beyond_2_to_the_64_are_nowhere);
	RUN(search_for_the_text_ends);
	RUN(the_entry_point_has_no_caller);
	return test_status();
}
