/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Python's frames of blocked threads, from memory that is made here: an honest one, and lies. */
#include "files/python_stacks.h"

#include "test.h"
#include "wick.h"

/* Addresses of a little process, which are offsets in its memory. */
enum {
	RUNTIME = 0x100,
	INTERPRETER = 0x200,
	STATE = 0x300, /* of thread i: 0x100 further */
	CFRAME = 0x800,
	FRAME = 0x1000, /* the innermost is the last one */
	CODE = 0x2000,
	NAME = 0x3000,
	LINES = 0x3100,
	CODE_TYPE = 0x3200,
	STACK = 0x4000,
	STACK_SIZE = 0x200,
	BYTES = 0x5000,
	NR_FRAMES = 4,
	SELF = 0x7700,
};

static u64 memory[BYTES / sizeof(u64)];

/* Offsets of 3.11. */
static const struct wick_python layout = {
	.version = 0x030b,
	.entry_by = WICK_PYTHON_ENTRY_FLAG,
	.runtime = RUNTIME,
	.code_type = CODE_TYPE,
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
};

static void put(u64 at, u64 value)
{
	memcpy((char *)memory + at, &value, sizeof(value));
}

static u64 frame(int i)
{
	return FRAME + (u64)i * 0x100;
}

static u64 code(int i)
{
	return CODE + (u64)i * 0x100;
}

/* Four functions, of which the outer two are in one C frame, and the inner two in another. */
static void make_honest(void)
{
	memset(memory, 0, sizeof(memory));
	put(RUNTIME + 48, INTERPRETER);
	put(INTERPRETER + 16, STATE);
	put(STATE + 8, STATE + 0x100);
	for (u64 i = 0; i < 2; i++) { /* the other one is of no thread that is asked for */
		u64 state = STATE + i * 0x100;

		put(state + layout.thread_id, SELF + !i);
		put(state + layout.native_id, SELF + !i);
		put(state + 56, CFRAME);
	}
	put(CFRAME + 8, frame(NR_FRAMES - 1));
	put(NAME + 16, 6);		 /* characters */
	put(NAME + 32, 1 << 2 | 3 << 5); /* one byte each, compact, ASCII */
	memcpy((char *)memory + NAME + 48, "honest", 6);
	put(LINES + 16, 2);
	for (int i = 0; i < NR_FRAMES; i++) {
		put(frame(i) + 32, code(i));
		put(frame(i) + 48, i ? frame(i - 1) : 0);
		put(frame(i) + 56, code(i) + 184 + 4 + (u64)i);
		put(code(i) + 8, CODE_TYPE);
		put(code(i) + 72, 10 + (u64)i);
		put(code(i) + 112, NAME);
		put(code(i) + 128, NAME);
		put(code(i) + 136, LINES);
	}
	put(frame(0) + 68, 1);
	put(frame(2) + 68, 1);
	for (u64 at = STACK; at < STACK + STACK_SIZE; at += 8)
		put(at, at * 3);
}

static struct files_python_thread asked(void)
{
	return (struct files_python_thread){
		.self = SELF,
		.stack = STACK,
		.size = STACK_SIZE,
		.hash = files_python_hash((char *)memory + STACK, STACK_SIZE),
	};
}

static void write_answer(const struct wick_python *python,
			 const struct files_python_thread *threads, size_t nr,
			 struct strbuf *answer)
{
	const struct bytes bytes = bytes_of_memory(memory, sizeof(memory));
	_cleanup_free_ struct python_question *question =
		python_question_new(python, 0, threads, nr);

	CHECK(python_stacks_read(&bytes, question, python_question_words(nr), answer));
}

static struct files_python *found_by(const struct wick_python *python,
				     const struct files_python_thread *threads, size_t nr)
{
	_cleanup_strbuf_ struct strbuf answer = {};
	struct files_python *found;

	write_answer(python, threads, nr, &answer);
	found = python_stacks_check(answer.s, answer.size, nr);
	CHECK(found);
	return found;
}

static struct files_python *found(void)
{
	const struct files_python_thread thread = asked();

	return found_by(&layout, &thread, 1);
}

static void frames_are_innermost_first(void)
{
	static const bool entries[] = {false, true, false, true};
	struct files_python *f;

	make_honest();
	f = found();
	CHECK_EQ(f->stacks[0].nr, NR_FRAMES);
	CHECK_EQ(f->stacks[0].cut, 0);
	CHECK_EQ(f->nr_codes, NR_FRAMES);
	for (u32 i = 0; i < f->stacks[0].nr; i++) {
		const struct wick_python_frame *at = &f->frames[f->stacks[0].first + i];

		CHECK_EQ(at->place & WICK_PYTHON_PLACE, 4 + NR_FRAMES - 1 - i);
		CHECK_EQ(!!(at->place & WICK_PYTHON_IS_ENTRY), entries[i]);
		CHECK_EQ(f->codes[at->code - 1]->first_line, 10 + NR_FRAMES - 1 - i);
		CHECK_EQ(f->codes[at->code - 1]->body.nr, 2);
		CHECK_EQ(f->codes[at->code - 1]->version, 0x030b);
		CHECK(!memcmp(f->codes[at->code - 1]->name.bytes, "honest", 6));
	}
	files_python_free(f);
}

/* Since 3.12, a frame of the evaluator's own is between; and one that has no Python frame yet. */
static void evaluators_frames_say_where_c_frames_begin(void)
{
	struct wick_python python = layout;
	const struct files_python_thread thread = asked();
	struct files_python *f;

	python.entry_by = WICK_PYTHON_ENTRY_OWNER;
	make_honest();
	put(frame(0) + 68, 0);
	put(frame(1) + 68, WICK_PYTHON_OWNER_C);
	put(frame(2) + 68, 0);
	f = found_by(&python, &thread, 1);
	CHECK_EQ(f->stacks[0].nr, 3);
	CHECK_EQ(f->frames[0].place >> 32, 0);
	CHECK_EQ(f->frames[1].place >> 32, 1);
	CHECK_EQ(f->frames[2].place & WICK_PYTHON_PLACE, 4);
	files_python_free(f);
	put(frame(3) + 68, WICK_PYTHON_OWNER_C);
	put(frame(1) + 68, 0);
	f = found_by(&python, &thread, 1);
	CHECK_EQ(f->frames[0].code, 0);
	CHECK_EQ(f->frames[0].place, WICK_PYTHON_IS_ENTRY);
	files_python_free(f);
}

static void what_has_run_since_is_not_shown(void)
{
	struct files_python_thread threads[3];
	struct files_python *f;

	make_honest();
	threads[0] = threads[1] = threads[2] = asked();
	threads[1].hash++;
	threads[2].size = 0;
	f = found_by(&layout, threads, 3);
	CHECK_EQ(f->stacks[0].nr, NR_FRAMES);
	CHECK_EQ(f->stacks[1].nr, 0);
	CHECK_EQ(f->stacks[2].nr, 0);
	CHECK_EQ(f->nr_frames, NR_FRAMES);
	files_python_free(f);
	threads[0].stack = 1ull << 62;
	threads[1] = asked();
	threads[1].self++;
	threads[2] = asked();
	threads[2].self = 1;
	f = found_by(&layout, threads, 3);
	CHECK_EQ(f->stacks[0].nr, 0);
	CHECK_EQ(f->stacks[1].nr, NR_FRAMES); /* the other thread, which has the same frames here */
	CHECK_EQ(f->stacks[2].nr, 0);
	files_python_free(f);
}

static const struct {
	const char *what;
	u64 at, value;
	u32 nr_frames; /* that come */
	bool cut;
} lies[] = {
	{"a cycle of frames", FRAME + 48, FRAME + 0x300, WICK_PYTHON_FRAMES, true},
	{"a frame that is its own caller", FRAME + 0x300 + 48, FRAME + 0x300, WICK_PYTHON_FRAMES,
	 true},
	{"a cycle of threads", STATE + 8, STATE, 0, false},
	{"a length of 2^63", NAME + 16, 1ull << 63, 0, false},
	{"lines without end", LINES + 16, UINT64_MAX, NR_FRAMES, false},
	{"an odd kind of text", NAME + 32, 7 << 2, 0, false},
	{"a code object that is none", CODE + 8, 1, NR_FRAMES - 1, false},
	{"a name in the kernel", CODE + 128, 0xffffffff81000000, NR_FRAMES - 1, false},
	{"a caller in the kernel", FRAME + 0x300 + 48, 0xffff888000000000, 1, false},
	{"no interpreter", RUNTIME + 48, UINT64_MAX, 0, false},
	{"no frame", CFRAME + 8, 0, 0, false},
};

static void lies_end(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
		struct files_python *f;

		make_honest();
		put(lies[i].at, lies[i].value);
		f = found();
		if (f->stacks[0].nr != lies[i].nr_frames || f->stacks[0].cut != lies[i].cut)
			test_report("%s: %u frames, cut %u", lies[i].what, f->stacks[0].nr,
				    f->stacks[0].cut);
		files_python_free(f);
	}
}

static void questions_are_checked(void)
{
	const struct bytes bytes = bytes_of_memory(memory, sizeof(memory));
	const struct files_python_thread thread = asked();
	_cleanup_free_ struct python_question *question =
		python_question_new(&layout, 0, &thread, 1);
	_cleanup_strbuf_ struct strbuf answer = {};

	CHECK(!python_stacks_read(&bytes, question, python_question_words(1) - 1, &answer));
	CHECK(!python_stacks_read(&bytes, question, 1, &answer));
	question->nr = 1ull << 60;
	CHECK(!python_stacks_read(&bytes, question, python_question_words(1), &answer));
	CHECK_EQ(answer.size, 0);
}

/* Where a word of an answer is, and what makes it refused. */
static void spoiled_answers_are_refused(void)
{
	const size_t stacks = sizeof(struct python_head),
		     frames = stacks + sizeof(struct files_python_stack),
		     codes = frames + NR_FRAMES * sizeof(struct wick_python_frame);
	const struct {
		size_t at;
		u32 value;
	} spoils[] = {
		{offsetof(struct python_head, nr_stacks), 2},
		{offsetof(struct python_head, nr_frames), NR_FRAMES - 1},
		{offsetof(struct python_head, nr_frames), UINT32_MAX},
		{offsetof(struct python_head, nr_codes), NR_FRAMES + 1},
		{offsetof(struct python_head, nr_codes), UINT32_MAX},
		{stacks + offsetof(struct files_python_stack, first), 1},
		{stacks + offsetof(struct files_python_stack, first), UINT32_MAX},
		{stacks + offsetof(struct files_python_stack, nr), NR_FRAMES + 1},
		{frames, NR_FRAMES + 1},			   /* no such code */
		{frames + sizeof(u64) + sizeof(u32), 2},	   /* a flag that there is not */
		{codes + offsetof(struct wick_body, nr), 1 << 20}, /* lines */
	};
	const struct files_python_thread thread = asked();
	_cleanup_strbuf_ struct strbuf sound = {};

	make_honest();
	write_answer(&layout, &thread, 1, &sound);
	for (size_t i = 0; i < ARRAY_SIZE(spoils); i++) {
		_cleanup_free_ char *copy = xmemdup(sound.s, sound.size);
		struct files_python *f;

		memcpy(copy + spoils[i].at, &spoils[i].value, sizeof(u32));
		f = python_stacks_check(copy, sound.size, 1);
		if (f)
			test_report("spoil %zu was taken", i);
		files_python_free(f);
	}
	for (size_t size = 0; size < sound.size; size++)
		CHECK(!python_stacks_check(sound.s, size, 1));
}

int main(void)
{
	RUN(frames_are_innermost_first);
	RUN(evaluators_frames_say_where_c_frames_begin);
	RUN(what_has_run_since_is_not_shown);
	RUN(lies_end);
	RUN(questions_are_checked);
	RUN(spoiled_answers_are_refused);
	return test_status();
}
