/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/perfmap.h"

#include "fixture.h"

static struct files_symbols *ask(const char *map, size_t size, const u64 *addresses, size_t nr)
{
	_cleanup_close_ int fd = memory_file(map, size);
	struct files_symbols *reply = reply_new(FILES_OK, addresses, nr);
	struct bytes bytes;

	CHECK_EQ(bytes_of_file(&bytes, fd), 0);
	perfmap_name(&bytes, reply);
	return reply;
}

static void expect(const char *map, u64 address, const char *want)
{
	struct files_symbols *reply = ask(map, strlen(map), &address, 1);

	if (want)
		CHECK_STR(reply->at[0].name, want);
	else
		CHECK(!reply->at[0].name);
	CHECK(!reply->cut);
	files_symbols_free(reply);
}

static void an_entry_covers_its_size(void)
{
	static const char map[] = "1000 10 first\n1010 20 second one\n2000 1 last\n";

	expect(map, 0xfff, NULL);
	expect(map, 0x1000, "first");
	expect(map, 0x100f, "first");
	expect(map, 0x1010, "second one");
	expect(map, 0x102f, "second one");
	expect(map, 0x1030, NULL);
	expect(map, 0x2000, "last");
	expect(map, 0x2001, NULL);
}

static void the_last_entry_wins(void)
{
	expect("1000 100 old\n1000 100 new\n", 0x1010, "new");
	expect("1000 100 old\n1010 10 inside\n", 0x1010, "inside");
	expect("1000 100 old\n1010 10 inside\n", 0x1020, "old");
	expect("1010 10 inside\n1000 100 over all\n", 0x1010, "over all");
}

static void lines_that_are_no_entries_are_passed_over(void)
{
	static const char *const garbage[] = {
		"",
		"\n\n\n",
		"hello world\n",
		"1000\n",
		"1000 10\n",
		"1000 10 \n",
		"xyz 10 name\n",
		"1000 zz name\n",
		" 1000 10 name\n",
		"-1000 10 name\n",
		"10000000000001000 10 name\n",
		"1000  10 name\n",
		"1000\t10\tname\n",
		"\0\0\0\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(garbage); i++) {
		_cleanup_free_ char *map = format("%s2000 10 good\n%s", garbage[i], garbage[i]);

		expect(map, 0x1000, NULL);
		expect(map, 0x2000, "good");
	}
}

static void numbers_may_have_prefixes_and_capitals(void)
{
	expect("0x7FfF0000aBc0 0x40 name\r\n", 0x7fff0000abff, "name");
	expect("ffffffffffffff00 ff end\n", UINT64_MAX - 1, "end");
	expect("ffffffffffffff00 ffffffffffffffff end\n", UINT64_MAX, "end");
	expect("0 ffffffffffffffff all\n", 5, "all");
}

static void a_line_being_written_does_not_count(void)
{
	expect("1000 10 whole\n2000 10 ha", 0x2000, NULL);
	expect("1000 10 whole\n2000 10 ha", 0x1000, "whole");
	expect("1000 10 whole", 0x1000, NULL);
}

static void names_are_bytes(void)
{
	static const char map[] = "1000 10 a\0b\x1b[31m;\xff\n";
	struct files_symbols *reply = ask(map, sizeof(map) - 1, (u64[]){0x1000}, 1);

	CHECK_EQ(reply->at[0].name_size, 10);
	CHECK(reply->at[0].name && !memcmp(reply->at[0].name, "a\0b\x1b[31m;\xff", 10));
	files_symbols_free(reply);
}

/* Lines of all lengths across the borders of the blocks that are read. */
static void blocks_do_not_show(void)
{
	_cleanup_strbuf_ struct strbuf map = {};
	_cleanup_free_ u64 *addresses = xcalloc(100000, sizeof(u64));
	struct files_symbols *reply;
	size_t nr = 0, wrong = 0;

	for (; map.size < 3 << 20; nr++) {
		addresses[nr] = 0x1000 + nr * 16 + 3;
		strbuf_addf(&map, "%zx 10 f%0*zu\n", 0x1000 + nr * 16, (int)(nr * 7 % 211 + 5), nr);
	}
	reply = ask(map.s, map.size, addresses, nr);
	for (size_t i = 0; i < nr; i++)
		wrong += !reply->at[i].name || strtoull(reply->at[i].name + 1, NULL, 10) != i ||
			 reply->at[i].start != 0x1000 + i * 16;
	CHECK_EQ(wrong, 0);
	files_symbols_free(reply);
}

static void a_line_of_ten_megabytes_has_a_short_name(void)
{
	_cleanup_strbuf_ struct strbuf map = {};
	struct files_symbols *reply;

	strbuf_adds(&map, "1000 10 before\n2000 10 long");
	for (int i = 0; i < 10 << 20; i += 16)
		strbuf_adds(&map, "aaaaaaaaaaaaaaaa");
	strbuf_adds(&map, "\n3000 10 behind\n");
	reply = ask(map.s, map.size, (u64[]){0x1000, 0x2000, 0x3000}, 3);
	CHECK_STR(reply->at[0].name, "before");
	CHECK_EQ(reply->at[1].name_size, NAME_SIZE_MAX);
	CHECK(reply->at[1].name && !strncmp(reply->at[1].name, "longaaa", 7));
	CHECK_STR(reply->at[2].name, "behind");
	files_symbols_free(reply);
	/* The same without an end. */
	map.size -= strlen("\n3000 10 behind\n");
	reply = ask(map.s, map.size, (u64[]){0x1000, 0x2000, 0x3000}, 3);
	CHECK_STR(reply->at[0].name, "before");
	CHECK(!reply->at[1].name);
	files_symbols_free(reply);
}

/* What is before the last 128 MB is not read, and the reply says so. */
static void huge_maps_are_cut(void)
{
	static const char first[] = "1000 10 first\n", last[] = "2000 10 last\n";
	_cleanup_close_ int fd = memfd_create("wick-test", MFD_CLOEXEC);
	off_t end = 400l << 20;
	struct files_symbols *reply = reply_new(FILES_OK, (u64[]){0x1000, 0x2000}, 2);
	u64 begin = monotonic_ns();
	struct bytes bytes;

	CHECK_EQ(pwrite(fd, first, strlen(first), 0), (ssize_t)strlen(first));
	CHECK_EQ(pwrite(fd, "\n", 1, end - 1), 1);
	CHECK_EQ(pwrite(fd, last, strlen(last), end), (ssize_t)strlen(last));
	CHECK_EQ(bytes_of_file(&bytes, fd), 0);
	perfmap_name(&bytes, reply);
	CHECK(reply->cut);
	CHECK(!reply->at[0].name);
	CHECK_STR(reply->at[1].name, "last");
	CHECK(monotonic_ns() - begin < 20 * NSEC_PER_SEC);
	files_symbols_free(reply);
}

/* Each line covers each address: without care that is their product. */
static void overlapping_entries_cost_no_more_than_others(void)
{
	_cleanup_strbuf_ struct strbuf map = {};
	_cleanup_free_ u64 *addresses = xcalloc(20000, sizeof(u64));
	u64 begin = monotonic_ns();
	struct files_symbols *reply;

	for (size_t i = 0; i < 1000000; i++)
		strbuf_adds(&map, "0 ffffffff f\n");
	for (size_t i = 0; i < 20000; i++)
		addresses[i] = i + (i == 19999) * 0x100000000;
	reply = ask(map.s, map.size, addresses, 20000);
	CHECK_STR(reply->at[19998].name, "f");
	CHECK(!reply->at[19999].name);
	CHECK(monotonic_ns() - begin < 8 * NSEC_PER_SEC);
	files_symbols_free(reply);
}

static void the_same_address_may_be_asked_twice(void)
{
	struct files_symbols *reply = ask("1000 10 f\n", 10, (u64[]){0x1000, 0x1000, 0x1001}, 3);

	for (size_t i = 0; i < 3; i++)
		CHECK_STR(reply->at[i].name, "f");
	files_symbols_free(reply);
	reply = ask("1000 10 f\n", 10, NULL, 0);
	CHECK_EQ(reply->nr, 0);
	files_symbols_free(reply);
}

int main(void)
{
	RUN(an_entry_covers_its_size);
	RUN(the_last_entry_wins);
	RUN(lines_that_are_no_entries_are_passed_over);
	RUN(numbers_may_have_prefixes_and_capitals);
	RUN(a_line_being_written_does_not_count);
	RUN(names_are_bytes);
	RUN(blocks_do_not_show);
	RUN(a_line_of_ten_megabytes_has_a_short_name);
	RUN(huge_maps_are_cut);
	RUN(overlapping_entries_cost_no_more_than_others);
	RUN(the_same_address_may_be_asked_twice);
	return test_status();
}
