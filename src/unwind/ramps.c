/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ramps.h"

#include "unwind.h"

#define RULE(row)   ((row) & ((1u << WICK_RULE_BITS) - 1))
#define OFFSET(row) ((row) >> WICK_RULE_BITS)

static u32 n_of(u32 row)
{
	return RULE(row) & WICK_RULE_N_MAX;
}

static u32 places_of(u32 row)
{
	return RULE(row) >> WICK_RULE_FP_SHIFT & 077;
}

static bool is_sp(u32 row)
{
	return wick_rule_kind(RULE(row)) == WICK_RULE_SP;
}

/*
 * How many rows from the first on are `step` of n apart and no further than `span` bytes from it.
 */
static u32 run_length(const u32 *rows, u32 nr, u32 step, u32 span)
{
	u32 run = 1;

	while (run < nr && is_sp(rows[run]) && n_of(rows[run]) == n_of(rows[run - 1]) + step &&
	       OFFSET(rows[run]) - OFFSET(rows[0]) <= span)
		run++;
	return run;
}

/* A bit for each byte after the first row at which a further one begins. */
static u32 steps_of(const u32 *rows, u32 run)
{
	u32 steps = 0;

	for (u32 i = 1; i < run; i++)
		steps |= 1u << (OFFSET(rows[i]) - OFFSET(rows[0]) - 1);
	return steps;
}

static bool expands_to(u32 packed, const u32 *rows, u32 run)
{
	for (u32 i = 0; i < run; i++)
		if (wick_unwind_ramp(packed, OFFSET(rows[i]) - OFFSET(rows[0])) != RULE(rows[i]))
			return false;
	return true;
}

/* Down to n = 1, where `ret` is. Returns how many rows *packed stands for; 1: none. */
static u32 pack_pops(const u32 *rows, u32 nr, u32 *packed)
{
	u32 n = n_of(rows[0]);
	u32 run = run_length(rows, min(nr, n), -1u, WICK_POPS_SPAN);

	if (run < 2 || run != n)
		return 1;
	*packed = wick_rule(WICK_RULE_POPS,
			    places_of(rows[0]) << WICK_RULE_FP_SHIFT | steps_of(rows, run));
	return expands_to(*packed, rows, run) ? run : 1;
}

/* The places are those of the last row; each holds from the push on that makes it. */
static u32 pack_pushes(const u32 *rows, u32 nr, u32 *packed)
{
	u32 n = n_of(rows[0]);
	u32 run = run_length(rows, nr, 1, WICK_PUSHES_SPAN);

	if (n < 1 || n > WICK_PUSHES_START_MAX)
		return 1;
	for (; run > 1; run--) {
		*packed = wick_rule(WICK_RULE_PUSHES,
				    places_of(rows[run - 1]) << WICK_RULE_FP_SHIFT |
					    (n - 1) << WICK_PUSHES_SPAN | steps_of(rows, run));
		if (expands_to(*packed, rows, run))
			return run;
	}
	return 1;
}

u32 ramps_pack(u32 *rows, u32 nr)
{
	u32 left = 0, run;

	for (u32 i = 0; i < nr; i += run) {
		u32 packed = RULE(rows[i]), at = OFFSET(rows[i]);

		run = 1;
		if (is_sp(rows[i]))
			run = pack_pops(&rows[i], nr - i, &packed);
		if (is_sp(rows[i]) && run == 1)
			run = pack_pushes(&rows[i], nr - i, &packed);
		if (run == 1)
			packed = RULE(rows[i]);
		rows[left++] = at << WICK_RULE_BITS | packed;
	}
	return left;
}
