/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/jitdump.h"

#include "base/strbuf.h"
#include "fixture.h"

enum { LOAD, MOVE, DEBUG };

static void add_head(struct strbuf *b)
{
	const struct {
		u32 magic, version, size, machine, padding, pid;
		u64 time, flags;
	} head = {.magic = 0x4a695444, .version = 1, .size = sizeof(head)};

	strbuf_add(b, &head, sizeof(head));
}

static void add_indexed(struct strbuf *b, u32 id, u64 index, u64 address, u64 size,
			const char *name)
{
	const struct {
		u32 id, size;
		u64 time;
		u32 pid, tid;
		u64 vma, address, code_size, index;
	} record = {.id = id,
		    .size = (u32)(sizeof(record) + strlen(name) + 1 + 16),
		    .address = address,
		    .code_size = size,
		    .index = index};
	const char code[16] = {};

	strbuf_add(b, &record, sizeof(record));
	strbuf_add(b, name, strlen(name) + 1);
	strbuf_add(b, code, sizeof(code));
}

static void add_record(struct strbuf *b, u32 id, u64 address, u64 size, const char *name)
{
	add_indexed(b, id, 0, address, size, name);
}

/* Of `size` bytes: 64 is a whole one. */
static void add_move(struct strbuf *b, u64 index, u64 from, u64 to, u64 code_size, u32 size)
{
	const struct {
		u32 id, size;
		u64 time;
		u32 pid, tid;
		u64 vma, old_address, address, code_size, index;
	} record = {.id = MOVE,
		    .size = size,
		    .old_address = from,
		    .address = to,
		    .code_size = code_size,
		    .index = index};

	strbuf_add(b, &record, size);
}

static void expect(const struct strbuf *b, size_t size, u64 address, const char *want)
{
	struct files_symbols *reply = reply_new(FILES_OK, &address, 1);
	struct bytes bytes = bytes_of_memory(b->s, size);

	CHECK_EQ(jitdump_name(&bytes, reply), want ? 1 : 0);
	if (want)
		CHECK_STR(reply->at[0].name, want);
	else
		CHECK(!reply->at[0].name);
	files_symbols_free(reply);
}

static void later_code_takes_the_place_of_earlier(void)
{
	_cleanup_strbuf_ struct strbuf b = {};

	add_head(&b);
	add_record(&b, LOAD, 0x1000, 0x100, "first");
	add_record(&b, DEBUG, 0x1000, 0x100, "no code");
	add_record(&b, LOAD, 0x1080, 0x10, "second");
	expect(&b, b.size, 0xfff, NULL);
	expect(&b, b.size, 0x1000, "first");
	expect(&b, b.size, 0x1080, "second");
	expect(&b, b.size, 0x1090, "first");
	expect(&b, b.size, 0x1100, NULL);
}

static void what_is_not_ended_is_left_out(void)
{
	_cleanup_strbuf_ struct strbuf b = {};
	size_t whole;

	add_head(&b);
	add_record(&b, LOAD, 0x1000, 0x100, "first");
	whole = b.size;
	add_record(&b, LOAD, 0x1000, 0x100, "second");
	for (size_t size = 0; size < b.size; size++)
		expect(&b, size, 0x1000, size < whole ? NULL : "first");
	expect(&b, b.size, 0x1000, "second");
}

static void moved_code_keeps_its_name(void)
{
	_cleanup_strbuf_ struct strbuf b = {};

	add_head(&b);
	add_indexed(&b, LOAD, 7, 0x1000, 0x100, "first");
	add_indexed(&b, LOAD, 3, 0x2000, 0x100, "second");
	add_indexed(&b, LOAD, 9, 0x5000, 0x100, "third");
	add_move(&b, 3, 0x2000, 0x3000, 0x80, 64);
	add_move(&b, 7, 0x1000, 0x2000, 0x40, 64);
	add_move(&b, 3, 0x3000, 0x4000, 0x100, 64);
	expect(&b, b.size, 0x1000, "first");
	expect(&b, b.size, 0x2000, "first");
	expect(&b, b.size, 0x2040, "second");
	expect(&b, b.size, 0x307f, "second");
	expect(&b, b.size, 0x3080, NULL);
	expect(&b, b.size, 0x40ff, "second");
	expect(&b, b.size, 0x4100, NULL);
	expect(&b, b.size, 0x5000, "third");
}

static void an_index_may_be_used_again(void)
{
	_cleanup_strbuf_ struct strbuf b = {};

	add_head(&b);
	add_indexed(&b, LOAD, 5, 0x1000, 0x10, "first");
	add_move(&b, 5, 0x1000, 0x2000, 0x10, 64);
	add_indexed(&b, LOAD, 5, 0x3000, 0x10, "second");
	add_move(&b, 5, 0x3000, 0x4000, 0x10, 64);
	expect(&b, b.size, 0x2000, "first");
	expect(&b, b.size, 0x4000, "second");
}

static void moves_without_code_name_nothing(void)
{
	_cleanup_strbuf_ struct strbuf b = {};
	/* The next record's id and size, where the index of a move that is too short would be. */
	const u64 behind = DEBUG | 73ULL << 32;

	add_head(&b);
	add_move(&b, 2, 0x1000, 0x2000, 0x10, 64);
	add_indexed(&b, LOAD, 2, 0x1000, 0x10, "later");
	add_indexed(&b, LOAD, behind, 0x1100, 0x10, "other");
	add_move(&b, 3, 0x1000, 0x3000, 0x10, 64);
	add_move(&b, UINT64_MAX, 0x1000, 0x3000, 0x10, 64);
	add_move(&b, 2, 0x1000, 0x3000, 0x10, 56);
	add_record(&b, DEBUG, 0, 0, "");
	expect(&b, b.size, 0x2000, NULL);
	expect(&b, b.size, 0x3000, NULL);
	expect(&b, b.size, 0x1000, "later");
}

/* It ends, and each address is named once. */
static void many_moves_of_one_code(void)
{
	_cleanup_strbuf_ struct strbuf b = {};

	add_head(&b);
	for (u32 i = 0; i < 20000; i++) {
		add_indexed(&b, LOAD, 1, 0x1000, UINT64_MAX, "everywhere");
		add_move(&b, 1, 0x1000, 0x1000 + i, UINT64_MAX, 64);
	}
	expect(&b, b.size, 0, NULL);
	expect(&b, b.size, 0x1000, "everywhere");
	expect(&b, b.size, UINT64_MAX, "everywhere");
}

static void another_file_names_nothing(void)
{
	_cleanup_strbuf_ struct strbuf b = {};

	strbuf_adds(&b, "JITD\1, and more that is no dump at all, and longer than its head");
	expect(&b, b.size, 0, NULL);
}

static void records_without_size_end_it(void)
{
	_cleanup_strbuf_ struct strbuf b = {};
	const u32 record[4] = {LOAD, 0};

	add_head(&b);
	strbuf_add(&b, record, sizeof(record));
	add_record(&b, LOAD, 0, 1, "behind");
	expect(&b, b.size, 0, NULL);
}

static void names_of_files(void)
{
	CHECK(jitdump_is_name("/tmp/jit-12.dump", 12));
	CHECK(!jitdump_is_name("/tmp/jit-123.dump", 12));
	CHECK(!jitdump_is_name("/tmp/xjit-12.dump", 12));
	CHECK(!jitdump_is_name("jit-12.dump", 12));
}

int main(void)
{
	RUN(later_code_takes_the_place_of_earlier);
	RUN(what_is_not_ended_is_left_out);
	RUN(moved_code_keeps_its_name);
	RUN(an_index_may_be_used_again);
	RUN(moves_without_code_name_nothing);
	RUN(many_moves_of_one_code);
	RUN(another_file_names_nothing);
	RUN(records_without_size_end_it);
	RUN(names_of_files);
	return test_status();
}
