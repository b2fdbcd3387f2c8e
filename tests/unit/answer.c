/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a parser that was taken over may answer: it is refused, whole. */
#include "files/answer.h"

#include <fcntl.h>
#include <sys/mman.h>

#include "test.h"
#include "python.h"
#include "unwinder.h"

static const u64 addresses[] = {0x1000, 0x2000, 0x3000};
enum { NR = ARRAY_SIZE(addresses) };

/* An answer as a parser writes it, to be spoiled and sealed. */
static int write_names(void)
{
	struct files_symbols *names = reply_new(FILES_OK, addresses, NR);
	int fd = answer_new(), copy = answer_new();
	char bytes[4096];
	ssize_t size;

	reply_name(&names->at[0], 0xff0, "alpha", 5);
	reply_name(&names->at[2], 0x3000, "gamma", 5);
	names->cut = true;
	names->build_id_size = 2;
	memcpy(names->build_id, "\xab\xcd", 2);
	CHECK_EQ(answer_write_names(fd, names), 0);
	files_symbols_free(names);
	size = pread(fd, bytes, sizeof(bytes), 0);
	CHECK_EQ(pwrite(copy, bytes, (size_t)size, 0), size);
	close(fd);
	return copy;
}

static int read_names(int fd, struct files_symbols *reply)
{
	struct answer answer;
	int err = answer_map(fd, &answer);

	if (err)
		return err;
	err = answer_read_names(&answer, reply);
	answer_unmap(&answer);
	return err;
}

static void names_come_through(void)
{
	struct files_symbols *reply = reply_new(FILES_OK, addresses, NR);
	int fd = write_names();

	CHECK_EQ(answer_seal(fd), 0);
	CHECK_EQ(read_names(fd, reply), 0);
	CHECK_STR(reply->at[0].name, "alpha");
	CHECK_EQ(reply->at[0].start, 0xff0);
	CHECK(!reply->at[1].name);
	CHECK_STR(reply->at[2].name, "gamma");
	CHECK(reply->cut && !reply->debug_file);
	CHECK_EQ(reply->build_id_size, 2);
	CHECK(!memcmp(reply->build_id, "\xab\xcd", 2));
	files_symbols_free(reply);
	close(fd);
}

static void what_can_change_is_refused(void)
{
	static const int seals[] = {
		0,
		F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL,
		F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SEAL,
		F_SEAL_SHRINK | F_SEAL_WRITE | F_SEAL_SEAL,
		F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL,
	};

	for (size_t i = 0; i < ARRAY_SIZE(seals); i++) {
		struct files_symbols *reply = reply_new(FILES_OK, addresses, NR);
		int fd = write_names();

		CHECK(!seals[i] || !fcntl(fd, F_ADD_SEALS, seals[i]));
		CHECK_EQ(read_names(fd, reply), -EPROTO);
		files_symbols_free(reply);
		close(fd);
	}
}

struct spoil {
	size_t at;
	u64 value;
	size_t size;
};

#define SPOIL(type, base, field, v)                                                                \
	{                                                                                          \
		(base) + offsetof(type, field), (v), sizeof(((type *)0)->field)                    \
	}

enum {
	FIRST = sizeof(struct answer_head),
	SECOND = FIRST + sizeof(struct answer_name),
	TEXT = FIRST + NR * sizeof(struct answer_name),
};

static void names_that_lie_are_refused(void)
{
	static const struct spoil spoils[] = {
		SPOIL(struct answer_head, 0, nr, NR + 1),
		SPOIL(struct answer_head, 0, nr, 0),
		SPOIL(struct answer_head, 0, text_size, 9),
		SPOIL(struct answer_head, 0, text_size, UINT64_MAX),
		SPOIL(struct answer_head, 0, build_id_size, FILES_MAX_BUILD_ID + 1),
		SPOIL(struct answer_name, FIRST, text, 6),
		SPOIL(struct answer_name, FIRST, text, 11),
		SPOIL(struct answer_name, FIRST, text, UINT64_MAX - 2),
		SPOIL(struct answer_name, FIRST, size, 11),
		SPOIL(struct answer_name, FIRST, size, 0),
		SPOIL(struct answer_name, FIRST, size, UINT32_MAX),
		SPOIL(struct answer_name, FIRST, start, 0x1001),
		SPOIL(struct answer_name, SECOND, found, 1),
		{TEXT + 2, 0, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(spoils); i++) {
		struct files_symbols *reply = reply_new(FILES_OK, addresses, NR);
		int fd = write_names(), err;

		CHECK_EQ(pwrite(fd, &spoils[i].value, spoils[i].size, (off_t)spoils[i].at),
			 spoils[i].size);
		CHECK_EQ(answer_seal(fd), 0);
		err = read_names(fd, reply);
		if (err != -EPROTO)
			test_report("spoil %zu is taken", i);
		for (size_t k = 0; k < NR; k++)
			CHECK(!reply->at[k].name);
		files_symbols_free(reply);
		close(fd);
	}
}

static void names_of_another_length_are_refused(void)
{
	for (off_t size = 0; size < (off_t)TEXT + 20; size++) {
		struct files_symbols *reply = reply_new(FILES_OK, addresses, NR);
		int fd = write_names();

		CHECK_EQ(ftruncate(fd, size), 0);
		CHECK_EQ(answer_seal(fd), 0);
		CHECK((read_names(fd, reply) == 0) == (size == (off_t)TEXT + 10));
		files_symbols_free(reply);
		close(fd);
	}
}

/* ---- tables */

/* This test's own, as words, so that each can be changed. */
static u32 *own_table(size_t *size)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = answer_new();
	struct unwind_table *table = NULL;
	u32 *words;

	CHECK_EQ(unwind_table_build(fd, &table, NULL), 0);
	CHECK_EQ(unwind_table_write(table, to), 0);
	unwind_table_free(table);
	*size = (size_t)lseek(to, 0, SEEK_END);
	words = xcalloc(1, *size);
	CHECK_EQ(pread(to, words, *size, 0), *size);
	return words;
}

static void *mapped(const void *bytes, size_t size)
{
	void *at = mmap(NULL, size + !size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);

	memcpy(at, bytes, size);
	return at;
}

static int adopt(const void *bytes, size_t size)
{
	struct unwind_table *table = NULL;
	void *at = mapped(bytes, size);
	int err = unwind_table_adopt(at, size, &table);

	CHECK(err || table);
	if (err)
		munmap(at, size + !size);
	unwind_table_free(table);
	return err;
}

static void a_table_is_the_same_in_another_process(void)
{
	_cleanup_close_ int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct unwind_table *built, *adopted = NULL;
	size_t size;
	_cleanup_free_ u32 *words = own_table(&size);
	u32 first, nr, same_first, same_nr;

	CHECK_EQ(unwind_table_build(fd, &built, NULL), 0);
	CHECK_EQ(unwind_table_adopt(mapped(words, size), size, &adopted), 0);
	unwind_table_segments(built, 20, &first, &nr);
	unwind_table_segments(adopted, 20, &same_first, &same_nr);
	CHECK_EQ(first, same_first);
	CHECK_EQ(nr, same_nr);
	for (u64 offset = 0; offset < 1 << 20; offset += 7) {
		u64 a = 0, b = 0;

		CHECK_EQ(unwind_table_function_start(built, offset, &a),
			 unwind_table_function_start(adopted, offset, &b));
		CHECK_EQ(a, b);
	}
	CHECK_EQ(unwind_table_size(adopted), size);
	unwind_table_free(built);
	unwind_table_free(adopted);
}

/* Where things are in an image. */
enum {
	SHAPE_FIRST,
	NR_BLOCKS,
	NR_ROWS,
	NR_SPECIALS,
	NR_WORDS,
	NR_HIGH,
	NR_FUNCTIONS,
	PYTHON = 8,
	DIRECTORY = PYTHON + sizeof(struct wick_python) / sizeof(u32)
};

/* A block of several rows, so that one of them can be out of order. */
static u32 full_block(const u32 *table, u32 blocks)
{
	u32 i = 0;

	while (i + 1 < blocks && table[DIRECTORY + i + 1] - table[DIRECTORY + i] < 2)
		i++;
	return i;
}

static void tables_that_lie_are_refused(void)
{
	size_t size;
	_cleanup_free_ u32 *good = own_table(&size);
	u32 blocks = good[NR_BLOCKS], rows = DIRECTORY + blocks + 1;
	u32 starts = DIRECTORY + good[NR_WORDS], lows = starts + good[NR_HIGH] + 1;
	const struct {
		u32 word, value;
	} spoils[] = {
		{SHAPE_FIRST, 1 << 22},
		{SHAPE_FIRST, UINT32_MAX},
		{NR_BLOCKS, blocks + 1},
		{NR_BLOCKS, UINT32_MAX},
		{NR_ROWS, good[NR_ROWS] - 1},
		{NR_SPECIALS, good[NR_SPECIALS] + 1},
		{NR_SPECIALS, UINT32_MAX / 6},
		{NR_WORDS, good[NR_WORDS] + 1},
		{NR_WORDS, UINT32_MAX},
		{NR_HIGH, UINT32_MAX},
		{NR_HIGH, 1 << 17},
		{NR_FUNCTIONS, good[NR_FUNCTIONS] + 2},
		{PYTHON + 1, 1},
		{DIRECTORY - 1, 1},
		{DIRECTORY, 1},
		{DIRECTORY + 1, UINT32_MAX},
		{DIRECTORY + blocks, good[NR_ROWS] + 1},
		{rows + good[DIRECTORY + full_block(good, blocks)], UINT32_MAX},
		{starts, 1},
		{starts + good[NR_HIGH], good[NR_FUNCTIONS] + 1},
		{lows, UINT32_MAX},
	};

	CHECK_EQ(adopt(good, size), 0);
	for (size_t i = 0; i < ARRAY_SIZE(spoils); i++) {
		_cleanup_free_ u32 *bad = xmemdup(good, size);

		bad[spoils[i].word] = spoils[i].value;
		if (adopt(bad, size) != -EPROTO)
			test_report("spoil %zu is taken", i);
	}
}

static void tables_of_another_length_are_refused(void)
{
	size_t size;
	_cleanup_free_ u32 *good = own_table(&size);

	for (size_t less = 1; less < 200; less++)
		CHECK_EQ(adopt(good, size - less), -EPROTO);
	for (size_t part = 0; part < 64; part++)
		CHECK_EQ(adopt(good, part), -EPROTO);
}

/* Any words: refused, or used without harm. */
static void random_tables_do_no_harm(void)
{
	size_t size;
	_cleanup_free_ u32 *good = own_table(&size);

	srand(1);
	for (int i = 0; i < 2000; i++) {
		_cleanup_free_ u32 *bad = xmemdup(good, size);
		struct unwind_table *table = NULL;
		u64 start;

		for (int k = 0; k < 3; k++)
			bad[(size_t)rand() % (k ? size / sizeof(u32) : 64)] =
				rand() % 2 ? (u32)rand() : (u32)rand() % 4096;
		if (unwind_table_adopt(mapped(bad, size), size, &table))
			continue;
		for (u64 offset = 0; offset < 1 << 20; offset += 509)
			unwind_table_function_start(table, offset, &start);
		unwind_table_free(table);
	}
}

int main(void)
{
	RUN(names_come_through);
	RUN(what_can_change_is_refused);
	RUN(names_that_lie_are_refused);
	RUN(names_of_another_length_are_refused);
	RUN(a_table_is_the_same_in_another_process);
	RUN(tables_that_lie_are_refused);
	RUN(tables_of_another_length_are_refused);
	RUN(random_tables_do_no_harm);
	return test_status();
}
