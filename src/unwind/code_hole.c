/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "code_hole.h"

enum {
	MAX_STATES = CODE_INSIDE - 1,
	WORK_OF_BYTE = 16,
	WORK_AT_LEAST = 4096,
	FUNCTION_ALIGN = 16, /* after what made no sense, the next that is tried */
};

bool code_hole_init(struct code_hole *hole, const struct elf_eh *elf,
		    const struct code_machine *machine, u64 begin, u64 end)
{
	u32 size = (u32)(end - begin);

	*hole = (struct code_hole){
		.machine = machine,
		.begin = begin,
		.size = size,
		.code = xcalloc(1, size),
		.state = xcalloc(size, sizeof(*hole->state)),
		.starts = xcalloc(1, size),
		.work = WORK_AT_LEAST + (u64)WORK_OF_BYTE * size,
	};
	if (elf_eh_read(elf, begin, hole->code, size))
		return true;
	code_hole_release(hole);
	return false;
}

void code_hole_release(struct code_hole *hole)
{
	free(hole->code);
	free(hole->state);
	free(hole->starts);
	vec_release(&hole->states);
	table_release(&hole->known);
	vec_release(&hole->left);
	vec_release(&hole->seen);
	vec_release(&hole->called);
	vec_release(&hole->indirect);
	vec_release(&hole->calls);
}

void code_hole_start(struct code_hole *hole, u64 offset)
{
	if (offset % hole->machine->align == 0)
		hole->starts[offset - hole->begin] = true;
}

/* ---- following */

/* 1 + the number of a state, which joins the known ones. CODE_NOT_SEEN: there are too many. */
static u16 number_of(struct code_hole *hole, const struct frame_state *state)
{
	u64 hash = hash_bytes(state, sizeof(*state));
	struct table_probe probe = table_probe(&hole->known, hash);

	while (table_next(&probe))
		if (!memcmp(&hole->states.at[probe.ref], state, sizeof(*state)))
			return (u16)(probe.ref + 1);
	if (hole->states.nr == MAX_STATES)
		return CODE_NOT_SEEN;
	table_insert(&hole->known, hash, (u32)hole->states.nr);
	*vec_add(&hole->states) = *state;
	return (u16)hole->states.nr;
}

static const struct frame_state *state_of(const struct code_hole *hole, u16 number)
{
	return &hole->states.at[number - 1];
}

/* Marks an instruction. False: another one lies there already. */
static bool mark(struct code_hole *hole, u32 at, u32 size, u16 number)
{
	for (u32 i = 0; i < size; i++)
		if (hole->state[at + i] != CODE_NOT_SEEN || (i && hole->starts[at + i]))
			return false;
	hole->state[at] = number;
	for (u32 i = 1; i < size; i++)
		hole->state[at + i] = CODE_INSIDE;
	*vec_add(&hole->seen) = at;
	return true;
}

static bool target_in(const struct code_hole *hole, u32 at, const struct code_step *step,
		      u32 *target)
{
	s64 to = (s64)at + step->target;

	if (!step->has_target || to < 0 || to >= hole->size)
		return false;
	*target = (u32)to;
	return true;
}

/* A return address that lies elsewhere than at the stack pointer: this was another function. */
static bool returns_well(const struct code_hole *hole, const struct frame_state *state)
{
	return state->outermost || (!state->lost && state->depth == hole->machine->entry.depth);
}

/* Where the code goes on, other than to the next instruction. False: this makes no sense. */
static bool note_flow(struct code_hole *hole, u32 at, const struct code_step *step,
		      const struct frame_state *before, u16 number)
{
	u32 target;

	switch (step->flow) {
	case CODE_RETURN:
		hole->returned = true;
		return returns_well(hole, before);
	case CODE_INDIRECT:
		*vec_add(&hole->indirect) = (struct code_visit){.at = at, .state = number};
		return true;
	case CODE_CALL:
		if (target_in(hole, at, step, &target))
			*vec_add(&hole->called) = target;
		return true;
	case CODE_JUMP:
	case CODE_BRANCH:
		if (target_in(hole, at, step, &target))
			*vec_add(&hole->left) = (struct code_visit){.at = target, .state = number};
		return true;
	case CODE_NEXT:
	case CODE_STOP:
		return true;
	}
	return false;
}

static bool goes_on(enum code_flow flow)
{
	return flow == CODE_NEXT || flow == CODE_BRANCH || flow == CODE_CALL;
}

static void forget_since(struct code_hole *hole, size_t nr)
{
	for (size_t i = nr; i < hole->seen.nr; i++) {
		u32 at = hole->seen.at[i];

		hole->state[at] = CODE_NOT_SEEN;
		while (++at < hole->size && hole->state[at] == CODE_INSIDE)
			hole->state[at] = CODE_NOT_SEEN;
	}
	hole->seen.nr = nr;
}

static void note_call(struct code_hole *hole, s32 depth)
{
	*vec_add(&hole->calls) = (struct code_call){
		.depth = depth,
		.seen = hole->seen.nr,
		.left = hole->left.nr,
		.called = hole->called.nr,
		.indirect = hole->indirect.nr,
	};
}

static void end_at(struct code_hole *hole, const struct code_call *call)
{
	forget_since(hole, call->seen);
	hole->left.nr = call->left;
	hole->called.nr = call->called;
	hole->indirect.nr = call->indirect;
}

/*
 * A way that makes no sense in the end may have left its function: by a call that never returns,
 * behind which the next function lies. If that one returned, the stack pointer was as far off as at
 * that call. True where the way ends at such a call now.
 */
static bool end_earlier(struct code_hole *hole, bool returned, s32 depth)
{
	for (size_t i = hole->calls.nr; i-- > 0;) {
		if (returned && hole->calls.at[i].depth != depth)
			continue;
		end_at(hole, &hole->calls.at[i]);
		return true;
	}
	return false;
}

/*
 * One way through the code, until it ends or meets what was seen. Another function's start is an
 * end: a call that never returns, or a jump in place of a call and a return.
 */
static bool follow_way(struct code_hole *hole, struct code_visit visit, u32 origin)
{
	struct frame_state before = *state_of(hole, visit.state), state = before;
	u16 number = visit.state;
	struct code_step step;

	hole->calls.nr = 0;
	for (u32 at = visit.at;; at += step.size) {
		if (at >= hole->size || (hole->starts[at] && at != origin) ||
		    hole->state[at] == number)
			return true;
		if (!hole->work)
			return false;
		hole->work--;
		if (hole->state[at] != CODE_NOT_SEEN ||
		    !hole->machine->step(hole->code + at, hole->size - at, &state, &step) ||
		    !mark(hole, at, step.size, number))
			return end_earlier(hole, false, 0);
		if (memcmp(&state, &before, sizeof(state)))
			number = number_of(hole, &state);
		if (!number)
			return false;
		if (!note_flow(hole, at, &step, &before, number))
			return end_earlier(hole, true, before.depth);
		if (!goes_on(step.flow))
			return true;
		if (step.flow == CODE_CALL)
			note_call(hole, state.depth);
		before = state;
	}
}

/* All ways from `at` on. False where one of them makes no sense; the others are followed all the
 * same. */
static bool follow(struct code_hole *hole, u32 at, u16 number)
{
	bool sensible = true;

	hole->left.nr = 0;
	*vec_add(&hole->left) = (struct code_visit){.at = at, .state = number};
	while (hole->left.nr) {
		struct code_visit next = hole->left.at[--hole->left.nr];

		sensible &= follow_way(hole, next, at);
	}
	return sensible;
}

/* ---- functions */

static u16 entry_of(struct code_hole *hole)
{
	return number_of(hole, &hole->machine->entry);
}

/* Follows the code from `at` on if that makes sense; else all is as it was. */
static bool try_from(struct code_hole *hole, u32 at, u16 number)
{
	size_t seen = hole->seen.nr, called = hole->called.nr, indirect = hole->indirect.nr;

	if (follow(hole, at, number))
		return true;
	forget_since(hole, seen);
	hole->called.nr = called;
	hole->indirect.nr = indirect;
	return false;
}

static void follow_called(struct code_hole *hole)
{
	while (hole->called.nr) {
		u32 at = hole->called.at[--hole->called.nr];

		if (hole->starts[at] || hole->state[at] == CODE_INSIDE || at % hole->machine->align)
			continue;
		hole->starts[at] = true;
		if (hole->state[at] == CODE_NOT_SEEN)
			try_from(hole, at, entry_of(hole));
	}
}

/* The state at the nearest indirect jump before `at`, from `from` on; 0: there is none. */
static u16 state_at_jump(const struct code_hole *hole, u32 from, u32 at)
{
	const struct code_visit *nearest = NULL;

	vec_for_each (&hole->indirect, jump)
		if (jump->at >= from && jump->at < at && (!nearest || jump->at > nearest->at))
			nearest = jump;
	return nearest ? nearest->state : CODE_NOT_SEEN;
}

/* Whether the code begins as functions do: it takes some stack, or is a target of calls. */
static bool begins_well(const struct code_hole *hole, u32 at)
{
	struct frame_state state = hole->machine->entry;
	struct code_step step;

	return hole->machine->step(hole->code + at, hole->size - at, &state, &step) &&
	       (step.entry || state.depth > hole->machine->entry.depth);
}

/*
 * What no known way leads to: the rest of a switch, or a function of its own. Code that never
 * returns may be a part of a function elsewhere (.cold), which some way leads to that is followed
 * later: `doubtful` ones come last, and only such as begin well.
 */
static bool try_unknown(struct code_hole *hole, u32 from, u32 at, bool doubtful)
{
	u16 entry = entry_of(hole), jump = state_at_jump(hole, from, at);
	size_t seen = hole->seen.nr;

	if (jump && jump != entry && try_from(hole, at, jump))
		return true;
	hole->returned = false;
	if ((doubtful && !begins_well(hole, at)) || !try_from(hole, at, entry))
		return false;
	if (!doubtful && !hole->returned) {
		forget_since(hole, seen);
		hole->called.nr = 0;
		return false;
	}
	hole->starts[at] = true;
	return true;
}

static u32 skip_padding(const struct code_hole *hole, u32 at)
{
	size_t size;

	while (at < hole->size && hole->state[at] == CODE_NOT_SEEN && !hole->starts[at] &&
	       (size = hole->machine->padding(hole->code + at, hole->size - at)))
		at += (u32)min(size, (size_t)(hole->size - at));
	return at;
}

static void sweep(struct code_hole *hole, bool doubtful)
{
	u32 from = 0;

	for (u32 at = 0; at < hole->size && hole->work;) {
		if (hole->starts[at])
			from = at;
		if (hole->state[at] != CODE_NOT_SEEN) {
			at++;
			continue;
		}
		at = skip_padding(hole, at);
		if (at >= hole->size || hole->state[at] != CODE_NOT_SEEN || hole->starts[at])
			at += at < hole->size && hole->starts[at] &&
			      hole->state[at] == CODE_NOT_SEEN;
		else if (try_unknown(hole, from, at, doubtful))
			follow_called(hole);
		else
			at = (at / FUNCTION_ALIGN + 1) * FUNCTION_ALIGN;
	}
}

static void follow_all(struct code_hole *hole)
{
	forget_since(hole, 0);
	hole->indirect.nr = 0;
	for (u32 at = 0; at < hole->size; at++)
		if (hole->starts[at] && hole->state[at] == CODE_NOT_SEEN) {
			try_from(hole, at, entry_of(hole));
			follow_called(hole);
		}
	sweep(hole, false);
	sweep(hole, true);
}

void code_hole_follow(struct code_hole *hole)
{
	u64 second = hole->work / 2;

	hole->work -= second;
	follow_all(hole);
	hole->work += second;
	follow_all(hole);
}
