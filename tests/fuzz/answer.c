/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as the answer of a parser: names, lines, or an unwind table that is then used. */
#include <sys/mman.h>

#include "files/lines_answer.h"
#include "unwinder.h"

int LLVMFuzzerTestOneInput(const u8 *input, size_t size);

static void read_names(const u8 *input, size_t size)
{
	static const u64 addresses[] = {0x1000, 0x2000};
	struct files_symbols *reply = reply_new(FILES_PENDING, addresses, ARRAY_SIZE(addresses));

	if (!answer_read_names(&(struct answer){.bytes = input, .size = size}, reply))
		for (size_t i = 0; i < reply->nr; i++)
			assert(!reply->at[i].name ||
			       strlen(reply->at[i].name) == reply->at[i].name_size);
	files_symbols_free(reply);
}

/* A mapping of its own, which the lines take over. */
static void read_lines(const u8 *input, size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct files_lines *lines = xcalloc(1, sizeof(*lines));
	struct answer answer = {.bytes = at, .size = size};
	u64 sum = 0;

	memcpy(at, input, size);
	if (!lines_adopt(&answer, 2, lines)) {
		for (size_t i = 0; i < lines->nr; i++)
			for (u32 k = 0; k < lines->spans[i].nr; k++) {
				const struct files_line *line =
					&lines->lines[lines->spans[i].first + k];

				sum += lines->names[line->function].size +
				       lines->names[line->path].size;
			}
		for (size_t i = 0; i < lines->nr_names; i++)
			sum += strnlen(lines->text + lines->names[i].at, lines->names[i].size);
	}
	assert(sum < UINT64_MAX);
	answer_unmap(&answer);
	files_lines_free(lines);
}

static void use_part(const struct unwind_table *table, u32 segment)
{
	struct wick_unwind_shape shape;
	u32 nr = unwind_table_part(table, segment, 16, &shape);
	_cleanup_free_ u32 *words = xcalloc(nr + 1, sizeof(*words));

	if (nr)
		unwind_table_cut(table, &shape, words);
}

static void use_table(const u8 *input, size_t size)
{
	struct unwind_table *table = NULL;
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	u32 first, nr;
	u64 start;

	memcpy(at, input, size);
	if (unwind_table_adopt(at, size, &table)) {
		munmap(at, size);
		return;
	}
	for (u64 offset = 0; offset < 1 << 22; offset += 4093)
		unwind_table_function_start(table, offset, &start);
	unwind_table_segments(table, 16, &first, &nr);
	for (u32 i = 0; i < min(nr, 64u); i++)
		use_part(table, first + i);
	unwind_table_free(table);
}

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	/* Both begin at an aligned address, as what is mapped does. */
	_cleanup_free_ u8 *copy = size ? xmemdup(input, size) : NULL;

	if (!size)
		return 0;
	read_names(copy, size);
	read_lines(copy, size);
	use_table(copy, size);
	return 0;
}
