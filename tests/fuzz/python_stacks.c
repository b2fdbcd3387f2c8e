/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as the memory of a Python process, and as what a parser answers of it: what is read is
 * an answer that is taken, and what is taken has its parts within it.
 */
#include "files/python_stacks.h"
#include "wick.h"

int LLVMFuzzerTestOneInput(const u8 *input, size_t size);

enum { NR = 2, STACK = 0x400, STACK_SIZE = 64 };

/* crafted_python.py has the same. */
static const struct wick_python layouts[] = {
	{
		.version = 0x030b,
		.entry_by = WICK_PYTHON_ENTRY_FLAG,
		.code_type = 0x380,
		.interpreter = 48,
		.threads = 16,
		.next = 8,
		.thread_id = 152,
		.native_id = 160,
		.current = 56,
		.cframe = 8,
		.frame_code = 32,
		.frame_back = 48,
		.frame_at = 56,
		.frame_entry = 68,
		.code_file = 112,
		.code_name = 128,
		.code_line = 72,
		.code_lines = 136,
		.code_begin = 184,
		.ascii_text = 48,
		.other_text = 72,
		.kind_shift = 2,
	},
	{
		.version = 0x0308,
		.entry_by = WICK_PYTHON_ENTRY_EACH,
		.code_type = 0x380,
		.interpreter = 48,
		.threads = 16,
		.next = 8,
		.thread_id = 152,
		.native_id = 160,
		.current = 56,
		.cframe = WICK_PYTHON_NO_MEMBER,
		.frame_code = 32,
		.frame_back = 24,
		.frame_at = 104,
		.at_unit = 1,
		.code_file = 104,
		.code_name = 112,
		.code_line = 40,
		.code_lines = 120,
		.code_begin = WICK_PYTHON_NO_MEMBER,
		.ascii_text = 48,
		.other_text = 72,
		.kind_shift = 2,
	},
};

static void look_at(const struct files_python *p)
{
	u64 sum = 0;

	for (u32 s = 0; s < p->nr_stacks; s++)
		for (u32 i = 0; i < p->stacks[s].nr; i++)
			sum += p->frames[p->stacks[s].first + i].place;
	for (u32 i = 0; i < p->nr_codes; i++)
		sum += files_python_hash(p->codes[i] + 1, p->codes[i]->body.nr);
	for (u32 i = 0; i < p->nr_frames; i++)
		assert(p->frames[i].code <= p->nr_codes);
	assert(sum || !sum);
}

static void read_as(const struct wick_python *layout, const struct bytes *memory,
		    const struct files_python_thread *threads)
{
	_cleanup_free_ struct python_question *question =
		python_question_new(layout, 0, threads, NR);
	_cleanup_strbuf_ struct strbuf answer = {};
	struct files_python *found;

	assert(python_stacks_read(memory, question, python_question_words(NR), &answer));
	found = python_stacks_check(answer.s, answer.size, NR);
	assert(found);
	look_at(found);
	files_python_free(found);
}

int LLVMFuzzerTestOneInput(const u8 *input, size_t size)
{
	const struct bytes memory = bytes_of_memory(input, size);
	struct files_python_thread threads[NR] = {{.self = 1}, {.self = 2}};
	struct files_python *taken;

	for (size_t i = 0; i < NR; i++) {
		threads[i].stack = STACK;
		threads[i].size = size >= STACK + STACK_SIZE ? STACK_SIZE : 0;
		threads[i].hash =
			files_python_hash(input + min(size, (size_t)STACK), threads[i].size);
	}
	for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
		read_as(&layouts[i], &memory, threads);
	taken = python_stacks_check(input, size, NR);
	if (taken)
		look_at(taken);
	files_python_free(taken);
	return 0;
}
