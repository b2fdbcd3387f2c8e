/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "python_stacks.h"

#include "base/table.h"
#include "base/vec.h"
#include "vm_memory.h"
#include "wick.h"

enum {
	MAX_STATES = 1 << 12, /* of threads, that are looked at */
	MAX_CODES = 1 << 11,  /* in an answer */
	MAX_LENGTH = 1 << 20, /* characters of a str */
	OBJECT_TYPE = 8,
	STR_LENGTH = 16,
	STR_STATE = 32,
	BYTES_SIZE = 16,
	BYTES_BEGIN = 32,
};

/* ---- what is asked */

_Static_assert(sizeof(struct python_question) % sizeof(u64) == 0, "it is sent as words");

size_t python_question_words(size_t nr_threads)
{
	return (sizeof(struct python_question) + nr_threads * sizeof(struct files_python_thread)) /
	       sizeof(u64);
}

struct python_question *python_question_new(const struct wick_python *python, u64 base,
					    const struct files_python_thread *threads, size_t nr)
{
	struct python_question *question = xcalloc(python_question_words(nr), sizeof(u64));

	question->python = *python;
	question->base = base;
	question->nr = nr;
	memcpy(question->threads, threads, nr * sizeof(*threads));
	return question;
}

/* FNV-1a's step, for words: it has to be the same in all processes. */
u64 files_python_hash(const void *stack, size_t size)
{
	const u64 prime = 0x100000001b3;
	u64 hash = 0xcbf29ce484222325, word;

	for (size_t at = 0; at + sizeof(word) <= size; at += sizeof(word)) {
		memcpy(&word, (const char *)stack + at, sizeof(word));
		hash = (hash ^ word) * prime;
		hash ^= hash >> 32;
	}
	return hash;
}

/* ---- in a parser */

struct reader {
	const struct bytes *bytes;
	struct vm_memory *memory;
	const struct wick_python *python;
	u64 base;
	VEC(struct files_python_stack) stacks;
	VEC(struct wick_python_frame) frames;
	VEC(u64) codes; /* addresses */
	struct table by_address;
	struct strbuf bodies;
	bool tried[FILES_PYTHON_MAX_THREADS];
	u8 stack[FILES_PYTHON_MAX_BYTES];
};

static void reader_free(struct reader **r)
{
	free((*r)->memory);
	vec_release(&(*r)->stacks);
	vec_release(&(*r)->frames);
	vec_release(&(*r)->codes);
	table_release(&(*r)->by_address);
	strbuf_release(&(*r)->bodies);
	free(*r);
}

/* 0 where there is none, as in bpf/python.h. */
static u64 word_at(struct reader *r, u64 address)
{
	u64 word;

	return vm_read_u64(r->memory, address, &word) ? word : 0;
}

static u32 half_at(struct reader *r, u64 address)
{
	u64 half;

	return vm_read_u32(r->memory, address, &half) ? (u32)half : 0;
}

/* A str object. Of a long one, the end. */
static bool read_text(struct reader *r, u64 object, struct wick_python_text *to)
{
	u32 state = half_at(r, object + STR_STATE) >> r->python->kind_shift;
	bool is_ascii = state >> 4 & 1;
	u64 from = object + (is_ascii ? r->python->ascii_text : r->python->other_text);
	u64 size = word_at(r, object + STR_LENGTH);

	to->width = is_ascii ? 1 : state & 7;
	if (size > MAX_LENGTH || (to->width != 1 && to->width != 2 && to->width != 4))
		return false;
	size *= to->width;
	if (size > WICK_PYTHON_TEXT) {
		from += size - WICK_PYTHON_TEXT;
		size = WICK_PYTHON_TEXT;
	}
	to->size = (u32)size;
	return vm_read(r->memory, from, to->bytes, size);
}

static size_t padded(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

static bool add_code(struct reader *r, u64 code)
{
	const struct wick_python *python = r->python;
	u64 lines = word_at(r, code + python->code_lines);
	struct wick_code_body body = {
		.body.type = WICK_BODY_PYTHON_CODE,
		.version = python->version,
		.first_line = half_at(r, code + python->code_line),
	};
	char table[WICK_PYTHON_LINES] = {};
	u32 size = half_at(r, lines + BYTES_SIZE);

	if (!read_text(r, word_at(r, code + python->code_name), &body.name) ||
	    !read_text(r, word_at(r, code + python->code_file), &body.file))
		return false;
	if (size > sizeof(table) || !vm_read(r->memory, lines + BYTES_BEGIN, table, size))
		size = body.first_line = 0;
	body.body.nr = size;
	strbuf_add(&r->bodies, &body, sizeof(body));
	strbuf_add(&r->bodies, table, padded(size));
	return true;
}

/* 1 + which of the codes the object is; 0: it is none. */
static u32 code_at(struct reader *r, u64 address)
{
	struct table_probe probe = table_probe(&r->by_address, hash_u64(address));

	while (table_next(&probe))
		if (r->codes.at[probe.ref] == address)
			return probe.ref + 1;
	if (word_at(r, address + OBJECT_TYPE) != r->base + r->python->code_type ||
	    r->codes.nr == MAX_CODES || !add_code(r, address))
		return 0;
	table_insert(&r->by_address, hash_u64(address), (u32)r->codes.nr);
	*vec_add(&r->codes) = address;
	return (u32)r->codes.nr;
}

/* As in bpf/python.h. */
static u32 place_of(struct reader *r, u64 frame, u64 code)
{
	const struct wick_python *python = r->python;

	if (python->code_begin == WICK_PYTHON_NO_MEMBER)
		return half_at(r, frame + python->frame_at) * python->at_unit;
	return (u32)(word_at(r, frame + python->frame_at) - code - python->code_begin);
}

static bool is_entry(struct reader *r, u64 frame)
{
	u64 byte = 0;

	if (r->python->entry_by == WICK_PYTHON_ENTRY_EACH)
		return true;
	vm_read_u8(r->memory, frame + r->python->frame_entry, &byte);
	return r->python->entry_by == WICK_PYTHON_ENTRY_FLAG ? byte : byte >= WICK_PYTHON_OWNER_C;
}

static void add_frame(struct reader *r, u32 code, u64 place)
{
	*vec_add(&r->frames) = (struct wick_python_frame){code, place};
}

/* The last frame is the outermost one of a C frame. */
static void enter(struct reader *r)
{
	r->frames.at[r->frames.nr - 1].place |= WICK_PYTHON_IS_ENTRY;
}

/* *open: of the C frame at hand, there is a Python frame already. */
static void take_frame(struct reader *r, u64 frame, u64 back, bool *open)
{
	bool entry = is_entry(r, frame);
	bool own = entry && r->python->entry_by == WICK_PYTHON_ENTRY_OWNER;
	u64 address = word_at(r, frame + r->python->frame_code) & ~7ull; /* tagged since 3.14 */
	u32 code;

	if (own) {
		if (*open)
			enter(r);
		else if (back)
			add_frame(r, 0, WICK_PYTHON_IS_ENTRY);
		*open = false;
		return;
	}
	code = code_at(r, address);
	if (!code)
		return;
	add_frame(r, code, place_of(r, frame, address));
	*open = !entry;
	if (entry)
		enter(r);
}

static void read_frames(struct reader *r, u64 state, struct files_python_stack *stack)
{
	u64 frame = word_at(r, state + r->python->current), back;
	bool open = false;

	if (r->python->cframe != WICK_PYTHON_NO_MEMBER)
		frame = word_at(r, frame + r->python->cframe);
	for (u32 i = 0; frame; i++, frame = back) {
		stack->cut = i == WICK_PYTHON_FRAMES;
		if (stack->cut)
			return;
		back = word_at(r, frame + r->python->frame_back);
		take_frame(r, frame, back, &open);
	}
}

/* Not from the pages that are kept. */
static bool is_as_it_was(struct reader *r, const struct files_python_thread *thread)
{
	return thread->size && thread->size <= sizeof(r->stack) &&
	       bytes_read(r->bytes, thread->stack, r->stack, thread->size) &&
	       files_python_hash(r->stack, thread->size) == thread->hash;
}

static void read_stack(struct reader *r, u64 state, const struct files_python_thread *thread,
		       size_t t)
{
	struct files_python_stack *stack = &r->stacks.at[t];

	r->tried[t] = true;
	stack->first = (u32)r->frames.nr;
	read_frames(r, state, stack);
	if (!is_as_it_was(r, thread))
		r->frames.nr = stack->first;
	stack->nr = (u32)r->frames.nr - stack->first;
}

/* What the interpreter knows a thread by: python_self() in bpf/python.h. */
static u64 self_of(struct reader *r, u64 state)
{
#if defined(__x86_64__)
	return word_at(r, state + r->python->thread_id);
#else
	return r->python->native_id == WICK_PYTHON_NO_MEMBER
		       ? 0
		       : word_at(r, state + r->python->native_id);
#endif
}

static void read_states(struct reader *r, const struct python_question *question)
{
	u64 state = word_at(r, r->base + r->python->runtime + r->python->interpreter);

	state = word_at(r, state + r->python->threads);
	for (u32 i = 0; state && i < MAX_STATES; i++) {
		u64 self = self_of(r, state);

		for (size_t t = 0; self && t < question->nr; t++)
			if (question->threads[t].self == self && !r->tried[t])
				read_stack(r, state, &question->threads[t], t);
		state = word_at(r, state + r->python->next);
	}
}

bool python_stacks_read(const struct bytes *memory, const struct python_question *question,
			size_t words, struct strbuf *answer)
{
	_cleanup_(reader_free) struct reader *r = xcalloc(1, sizeof(*r));
	struct python_head head = {};

	if (words < python_question_words(0) || question->nr > FILES_PYTHON_MAX_THREADS ||
	    words != python_question_words(question->nr))
		return false;
	r->bytes = memory;
	r->memory = vm_memory_new(memory);
	r->python = &question->python;
	r->base = question->base;
	for (size_t t = 0; t < question->nr; t++)
		vec_add(&r->stacks);
	read_states(r, question);
	head.nr_stacks = (u32)r->stacks.nr;
	head.nr_frames = (u32)r->frames.nr;
	head.nr_codes = (u32)r->codes.nr;
	strbuf_add(answer, &head, sizeof(head));
	strbuf_add(answer, r->stacks.at, r->stacks.nr * sizeof(*r->stacks.at));
	strbuf_add(answer, r->frames.at, r->frames.nr * sizeof(*r->frames.at));
	strbuf_add(answer, r->bodies.s, r->bodies.size);
	return true;
}

/* ---- in wick */

static bool stacks_are_sound(const struct files_python *p)
{
	for (u32 i = 0; i < p->nr_stacks; i++)
		if (p->stacks[i].nr > WICK_PYTHON_FRAMES || p->stacks[i].first > p->nr_frames ||
		    p->stacks[i].nr > p->nr_frames - p->stacks[i].first)
			return false;
	for (u32 i = 0; i < p->nr_frames; i++)
		if (p->frames[i].code > p->nr_codes ||
		    p->frames[i].place & ~(WICK_PYTHON_PLACE | WICK_PYTHON_IS_ENTRY))
			return false;
	return true;
}

/* Texts and line tables may be anything (python_codes.h). */
static bool find_codes(struct files_python *p, char *at, size_t size)
{
	for (u32 i = 0; i < p->nr_codes; i++) {
		struct wick_code_body *body = (void *)at;
		size_t whole;

		if (size < sizeof(*body) || body->body.nr > WICK_PYTHON_LINES)
			return false;
		whole = sizeof(*body) + padded(body->body.nr);
		if (size < whole)
			return false;
		p->codes[i] = body;
		at += whole;
		size -= whole;
	}
	return !size;
}

static bool find_parts(struct files_python *p, size_t size)
{
	const struct python_head *head = p->bytes;
	size_t fixed = sizeof(*head) + p->nr_stacks * sizeof(*p->stacks) +
		       p->nr_frames * sizeof(*p->frames);

	if (size < fixed)
		return false;
	p->stacks = (const void *)(head + 1);
	p->frames = (const void *)(p->stacks + p->nr_stacks);
	p->codes = xcalloc(p->nr_codes, sizeof(struct wick_code_body *));
	return stacks_are_sound(p) && find_codes(p, (char *)p->bytes + fixed, size - fixed);
}

struct files_python *python_stacks_check(const void *answer, size_t size, size_t nr_threads)
{
	const struct python_head *head = answer;
	struct files_python *p;

	if (size < sizeof(*head) || head->nr_stacks != nr_threads || head->nr_codes > MAX_CODES ||
	    head->nr_frames > nr_threads * WICK_PYTHON_FRAMES)
		return NULL;
	p = xcalloc(1, sizeof(*p));
	p->nr_stacks = head->nr_stacks;
	p->nr_frames = head->nr_frames;
	p->nr_codes = head->nr_codes;
	p->bytes = xmemdup(answer, size);
	if (find_parts(p, size))
		return p;
	files_python_free(p);
	return NULL;
}

void files_python_free(struct files_python *python)
{
	if (!python)
		return;
	free(python->codes);
	free(python->bytes);
	free(python);
}
