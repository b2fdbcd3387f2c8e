/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * python.h: Python's own frames, as the interpreter keeps them (include/python.h), after a walk
 * that has met the interpreter's evaluator. They are written behind the native frames; user space
 * puts both together.
 *
 * A code object is sent the first time that it is met: names, file, line table. It is known by its
 * address and by what it says, since another one can come to lie in its place. So names are there
 * also of processes that are gone before anything else could look at them.
 *
 * All that is read is the process's to choose. Each read is of memory that may not be there, each
 * loop has a bound, and what is read leads to nothing but further reads of the same process.
 */
#ifndef PYTHON_H
#define PYTHON_H

#include "intern.h"
#include "pythons.h"

enum {
	PYTHON_THREADS = 1 << 12, /* whose thread states are remembered */
	PYTHON_STATES = 64,	  /* thread states that are looked at in one walk */
};

/* Where the thread state of a thread is; or, while it has not been found, where to look on. */
struct python_thread {
	u64 owner; /* hash of the thread */
	u64 state;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PYTHON_THREADS);
	__type(key, u32);
	__type(value, struct python_thread);
} python_threads __weak SEC(".maps");

struct python_code {
	struct wick_code_body head;
	char lines[WICK_PYTHON_LINES];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WICK_SCRATCH_LEVELS);
	__type(key, u32);
	__type(value, struct python_code);
} python_codes __weak SEC(".maps");

/* ---- the process's memory */

static __always_inline u64 python_word(u64 address)
{
	u64 word = 0;

	bpf_probe_read_user(&word, sizeof(word), (void *)address);
	return word;
}

static __always_inline u32 python_half(u64 address)
{
	u32 half = 0;

	bpf_probe_read_user(&half, sizeof(half), (void *)address);
	return half;
}

/*
 * All that is needed of an object is read at once: what lies side by side costs little. Members are
 * multiples of 4 bytes from its begin.
 */
enum { PYTHON_HALVES = WICK_PYTHON_OBJECT / sizeof(u32) };

static __always_inline bool python_read(u32 *halves, u64 address, u32 size)
{
	barrier_var(size);
	return size <= WICK_PYTHON_OBJECT && !bpf_probe_read_user(halves, size, (void *)address);
}

static __always_inline u32 python_member_half(const u32 *halves, u32 offset)
{
	offset /= sizeof(u32);
	barrier_var(offset);
	return halves[offset % PYTHON_HALVES];
}

static __always_inline u64 python_member(const u32 *halves, u32 offset)
{
	return python_member_half(halves, offset) |
	       (u64)python_member_half(halves, offset + sizeof(u32)) << 32;
}

/* ---- the thread's state */

/* Is this thread state the current thread's? */
static __always_inline bool python_is_own(const struct wick_python *python, u64 state, u64 self)
{
#if defined(__TARGET_ARCH_x86)
	return python_word(state + python->thread_id) == self;
#else
	return python->native_id != WICK_PYTHON_NO_MEMBER &&
	       python_word(state + python->native_id) == self;
#endif
}

/*
 * What the interpreter knows a thread by. pthread_self() is the thread pointer on x86-64; on arm64
 * it is so far below that as the C library likes, and the thread's number in its own namespace
 * serves.
 */
static __always_inline u64 python_self(struct task_struct *task)
{
#if defined(__TARGET_ARCH_x86)
	return BPF_CORE_READ(task, thread.fsbase);
#else
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	u32 level = BPF_CORE_READ(pid, level);
	int nr = 0;

	if (level < 32)
		bpf_core_read(&nr, sizeof(nr), &pid->numbers[level].nr);
	return (u64)nr;
#endif
}

/* Is it in its list still? The memory of one that is gone says the same for a while. */
static __always_inline bool python_is_linked(const struct wick_python *python, u64 state, u64 list)
{
	u64 before = python_word(state + python->previous);

	return before ? python_word(before + python->next) == state : list == state;
}

/*
 * The current thread's state into p->at; false: not found yet. Where there are very many threads,
 * the next walk goes on with the list.
 */
VERIFIED_ONCE int python_find_state(struct scratch *s, const struct wick_python *python)
{
	struct python_thread *known;
	u64 self, list, owner, state;
	u32 row;

	if (!s || !python)
		return false;
	self = python_self((void *)bpf_get_current_task());
	owner = hash_lane(hash_seed, (u64)s->leg.leg.tgid << 32 | s->leg.leg.tid,
			  s->leg.leg.start_ns ^ s->leg.leg.exec_id);
	row = (u32)owner % PYTHON_THREADS;
	known = bpf_map_lookup_elem(&python_threads, &row);
	if (!known || !self)
		return false;
	list = python_word(s->walk.python.base + python->runtime + python->interpreter);
	list = python_word(list + python->threads);
	state = known->owner == owner && known->state ? known->state : list;
	if (state != list && python_is_own(python, state, self) &&
	    !python_is_linked(python, state, list))
		state = list;
	for (u32 i = 0; i < PYTHON_STATES; i++) {
		if (!state || python_is_own(python, state, self))
			break;
		state = python_word(state + python->next);
	}
	known->owner = owner;
	known->state = state;
	s->walk.python.at = state;
	return state && python_is_own(python, state, self);
}

/* ---- code objects */

/* A str object. Of a long one, the end. */
VERIFIED_ONCE int python_text(struct wick_python_text *to, u64 object,
			      const struct wick_python *python)
{
	u32 state, kind, width, size;
	u64 length, from;

	if (!to || !python)
		return false;
	length = python_word(object + 16);
	state = python_half(object + 32) >> (python->kind_shift & 31);
	kind = state & 7;
	width = state >> 4 & 1 ? 1 : kind;
	from = object + (state >> 4 & 1 ? python->ascii_text : python->other_text);
	to->size = 0;
	to->width = state >> 4 & 1 ? 1 : kind;
	if (length > 1 << 20 || (width != 1 && width != 2 && width != 4))
		return false;
	length *= width;
	if (length > WICK_PYTHON_TEXT) {
		from += length - WICK_PYTHON_TEXT;
		length = WICK_PYTHON_TEXT;
	}
	size = (u32)length;
	barrier_var(size);
	if (size > WICK_PYTHON_TEXT || bpf_probe_read_user(to->bytes, size, (void *)from))
		return false;
	to->size = size;
	return true;
}

/* Sends the code object s->walk.python.code, whose id is not known yet. */
VERIFIED_ONCE int python_send(struct scratch *s, const struct wick_python *python,
			      struct wick_counters *tally)
{
	struct python_code *code;
	u32 slot, size;
	u64 at, lines;

	if (!s || !python || !tally)
		return 0;
	slot = s->slot;
	code = bpf_map_lookup_elem(&python_codes, &slot);
	if (!code)
		return 0;
	at = s->walk.python.code;
	if (!python_text(&code->head.name, python_word(at + python->code_name), python) ||
	    !python_text(&code->head.file, python_word(at + python->code_file), python))
		return 0;
	lines = python_word(at + python->code_lines);
	size = python_half(lines + 16);
	barrier_var(size);
	code->head.first_line = python_half(at + python->code_line);
	if (size > WICK_PYTHON_LINES ||
	    bpf_probe_read_user(code->lines, size, (void *)(lines + 32))) {
		size = 0;
		code->head.first_line = 0;
	}
	code->head.version = python->version;
	body_begin(&code->head.body, WICK_BODY_PYTHON_CODE, size, s->walk.python.id,
		   s->user.head.body.time);
	size += sizeof(code->head);
	intern(&code->head.body, size, size, tally);
	return 0;
}

/* The id of the code object s->walk.python.code, as it is now. */
VERIFIED_ONCE int python_code(struct scratch *s, const struct wick_python *python)
{
	const struct wick_leg *leg;
	struct hash_state h;
	const u32 *object;

	if (!s || !python)
		return 0;
	leg = &s->leg.leg;
	object = s->walk.python.object;
	hash_begin(&h, s->walk.python.code, leg->process_start_ns);
	h.lane[1] = hash_lane(h.lane[1], (u64)leg->tgid << 32 | leg->exec_id,
			      python_member_half(object, python->code_line));
	h.lane[2] = hash_lane(h.lane[2], python_member(object, python->code_name),
			      python_member(object, python->code_lines));
	h.lane[3] = hash_lane(h.lane[3], python_member(object, python->code_file),
			      WICK_BODY_PYTHON_CODE);
	s->walk.python.id = hash_end(&h);
	s->walk.python.is_new = !was_seen(s->walk.python.id);
	return 0;
}

/* ---- frames */

/*
 * Bytes from the code's first instruction to where the frame is; of a frame that has not begun, a
 * negative number. Its upper half is for flags.
 */
static __always_inline u32 python_place(const struct wick_python *python,
					const struct python_walk *p)
{
	if (python->code_begin == WICK_PYTHON_NO_MEMBER)
		return (u32)python_member_half(p->frame, python->frame_at) * python->at_unit;
	return (u32)(python_member(p->frame, python->frame_at) - p->code - python->code_begin);
}

/* Appends to the stack's words; false: there is no room. */
static __always_inline bool python_add(struct scratch *s, u64 code, u64 place)
{
	u32 at = s->walk.nr + s->walk.python.words;

	barrier_var(at);
	if (at > WICK_USER_FRAMES - 2)
		return false;
	s->user.frames[at] = code;
	s->user.frames[at + 1] = place;
	s->walk.python.words += 2;
	return true;
}

/* The last frame that was written is the outermost one of a C frame. */
static __always_inline void python_enter(struct scratch *s)
{
	u32 at = s->walk.nr + s->walk.python.words - 1;

	barrier_var(at);
	if (at < WICK_USER_FRAMES)
		s->user.frames[at] |= WICK_PYTHON_IS_ENTRY;
}

static __always_inline bool python_is_entry(const struct wick_python *python,
					    const struct python_walk *p)
{
	u32 at = python->frame_entry;
	u8 byte = (u8)(python_member_half(p->frame, at) >> 8 * (at & 3));

	if (python->entry_by == WICK_PYTHON_ENTRY_EACH)
		return true;
	return python->entry_by == WICK_PYTHON_ENTRY_FLAG ? byte : byte >= WICK_PYTHON_OWNER_C;
}

/* Is p->code one? It is read. The last one need not be read again. */
static __always_inline bool python_take_code(struct scratch *s, const struct wick_python *python,
					     u64 code)
{
	struct python_walk *p = &s->walk.python;

	if (code && code == p->code)
		return true;
	p->code = 0;
	if (!python_read(p->object, code, python->code_size) ||
	    python_member(p->object, 8) != p->base + python->code_type)
		return false;
	p->code = code;
	python_code(s, python);
	return true;
}

/* The frame at hand, then its caller; returns 1 at the end. */
VERIFIED_ONCE int python_step(struct scratch *s, const struct wick_python *python)
{
	struct python_walk *p;
	u64 back, code;
	bool is_entry, is_own;

	if (!s || !python)
		return 1;
	p = &s->walk.python;
	p->is_cut = !python_read(p->frame, p->at, python->frame_size);
	if (p->is_cut)
		return 1;
	back = python_member(p->frame, python->frame_back);
	code = python_member(p->frame, python->frame_code) & ~7ull; /* tagged since 3.14 */
	is_entry = python_is_entry(python, p);
	is_own = is_entry && python->entry_by == WICK_PYTHON_ENTRY_OWNER;
	if (is_own && p->open) {
		python_enter(s);
		p->open = 0;
	} else if (is_own && back) {
		/* A C frame that has no Python frame yet. */
		p->is_cut = !python_add(s, 0, WICK_PYTHON_IS_ENTRY);
	} else if (!is_own && python_take_code(s, python, code)) {
		p->is_cut = !python_add(s, p->id, python_place(python, p) & WICK_PYTHON_PLACE);
		p->open++;
		if (is_entry && !p->is_cut) {
			python_enter(s);
			p->open = 0;
		}
	}
	p->at = back;
	return !back || p->is_cut;
}

/* Of s->walk, which has met an evaluator: the frames into s->user.frames, behind the others. */
VERIFIED_ONCE int python_walk(struct scratch *s, struct wick_counters *tally)
{
	const struct wick_python *python;
	struct python_walk *p;

	if (!s || !tally)
		return 0;
	p = &s->walk.python;
	python = python_of(p);
	if (!python || !python_find_state(s, python))
		return 0;
	p->at = python_word(p->at + python->current);
	if (python->cframe != WICK_PYTHON_NO_MEMBER)
		p->at = python_word(p->at + python->cframe);
	if (!p->at)
		return 0;
	p->open = 0;
	p->code = 0;
	for (u32 i = 0; i < WICK_PYTHON_FRAMES; i++) {
		bool is_last = python_step(s, python);

		if (p->is_new)
			python_send(s, python, tally);
		p->is_new = false;
		if (is_last)
			return 0;
	}
	p->is_cut = true;
	return 0;
}

#endif
