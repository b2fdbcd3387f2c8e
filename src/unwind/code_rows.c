/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code_rows.c: rows of what was found in a hole. */
#include "code_hole.h"

/* What lies below the stack pointer was restored, however that was done. */
static void set_place(struct cfa_place *place, const struct frame_state *state, s32 below)
{
	if (below && (state->lost || below <= state->depth))
		*place = (struct cfa_place){.where = CFA_AT_CFA, .value = -below};
}

/*
 * A frame pointer that points at the caller's leads more surely than a sum of pushes and pops; one
 * that does not may be any register.
 */
static u32 rule_of(struct rows *rows, const struct frame_state *state)
{
	const u8 *number = rows->machine->number;
	struct cfa_rule rule = {.kind = CFA_REGISTER};

	if (state->outermost)
		return wick_rule_outermost();
	if (state->has_frame && (state->lost || state->frame == state->fp_at)) {
		rule.base = number[CFA_FP];
		rule.offset = state->frame;
	} else if (!state->lost) {
		rule.base = number[CFA_SP];
		rule.offset = state->depth;
	} else {
		return wick_rule(WICK_RULE_NONE, 0);
	}
	if (rule.offset < 0 || (rule.offset == 0 && state->ra_at))
		return wick_rule(WICK_RULE_NONE, 0);
	rule.column[CFA_RA] = (struct cfa_place){.where = CFA_IN_REGISTER, .reg = number[CFA_RA]};
	set_place(&rule.column[CFA_RA], state, state->ra_at);
	set_place(&rule.column[CFA_FP], state, state->fp_at);
	set_place(&rule.column[CFA_BX], state, state->bx_at);
	return rows_rule(rows, &rule);
}

/* How many bytes from `at` on nothing is known of, before `end`. */
static u32 unknown_from(const struct code_hole *hole, u32 at, u32 end)
{
	u32 next = at;

	while (next < end && hole->state[next] == CODE_NOT_SEEN)
		next++;
	return next - at;
}

static void add_function(const struct code_hole *hole, u32 start, u32 end, bool outermost,
			 const u32 *rules, struct rows *rows)
{
	u32 unknown;

	while (end > start && hole->state[end - 1] == CODE_NOT_SEEN)
		end--;
	if (!rows_begin(rows, hole->begin + start, hole->begin + end))
		return;
	for (u32 at = start; at < end; at += unknown ? unknown : 1) {
		u16 state = hole->state[at];

		unknown = unknown_from(hole, at, end);
		if (unknown)
			rows_add(rows, hole->begin + at, wick_rule(WICK_RULE_NONE, 0));
		else if (state != CODE_INSIDE)
			rows_add(rows, hole->begin + at,
				 outermost ? wick_rule_outermost() : rules[state - 1]);
	}
}

/*
 * The return from a signal handler is returned to, and looked up by one byte less (x86-64): mov
 * $15,%rax; syscall.
 */
static void add_sigreturns(const struct code_hole *hole, struct rows *rows)
{
	static const char code[] = "\x48\xc7\xc0\x0f\0\0\0\x0f\x05";
	const size_t size = sizeof(code) - 1;
	const u8 *at = hole->code;

	while (rows->machine == cfa_machine(EM_X86_64) &&
	       (at = memmem(at, hole->size - (size_t)(at - hole->code), code, size))) {
		u64 start = hole->begin + (u64)(at - hole->code);

		if (at > hole->code && rows_begin(rows, start - 1, start + size))
			rows_add(rows, start - 1, wick_rule(WICK_RULE_ODD, WICK_SIGNAL));
		at += size;
	}
}

void code_hole_rows(const struct code_hole *hole, u64 entry, struct rows *rows)
{
	_cleanup_free_ u32 *rules = xcalloc(hole->states.nr, sizeof(*rules));
	u32 start = 0;

	for (size_t i = 0; i < hole->states.nr; i++)
		rules[i] = rule_of(rows, &hole->states.at[i]);
	while (start < hole->size && !hole->starts[start])
		start++;
	while (start < hole->size) {
		u32 end = start + 1;

		while (end < hole->size && !hole->starts[end])
			end++;
		add_function(hole, start, end, hole->begin + start == entry, rules, rows);
		start = end;
	}
	add_sigreturns(hole, rows);
}
