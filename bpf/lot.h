/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lot.h: which of a thread's stretches off-CPU are charged, and with how much: plain arithmetic,
 * which tests/unit/lot.c tries.
 *
 * A stretch of T or longer is charged its own time. Shorter ones add up in an account. When the sum
 * passes a sampling point, the stretch that crossed it is charged the distance between two points;
 * the rest stays in the account. So a stretch is met with a probability that is proportional to its
 * length, and sums are exact. The distance is drawn anew each time, between T / 2 and 3 T / 2, so
 * that periodic work cannot alias.
 *
 * When T falls, an account has more than comes together under the new one, of stretches which may
 * all have been longer than that. So it is charged to one of those that follow, of any length, by
 * lot: to charge it to the next that is shorter than T would charge the long ones' time to those.
 */
#ifndef LOT_H
#define LOT_H

/* What a thread remembers of lengths is in units of 64 ns. */
enum { UNIT_BITS = 6 };

/* Draws the distance to the next sampling point, ns; `above` keeps it. */
static __always_inline u64 draw_point(u32 *above, u64 t_now)
{
	*above = (u32)((t_now / 2 + (t_now * (bpf_get_prandom_u32() >> 8) >> 24)) >> UNIT_BITS);
	return (u64)*above << UNIT_BITS;
}

/* True with a probability of length / all. */
static __always_inline bool falls_on(u64 length, u64 all)
{
	return (all >> UNIT_BITS) * (bpf_get_prandom_u32() >> 8) >> 24 < length >> UNIT_BITS;
}

/* As draw_charge(), of an account with what a higher T has left. */
static __always_inline u64 draw_left(u32 *above, u64 *account, u64 length, bool is_long, u64 t_now)
{
	u64 sum = *account + length, charge;

	if (falls_on(length, *account)) {
		*account = 0;
		return sum;
	}
	if (is_long)
		return length;
	charge = draw_point(above, t_now);
	if (!falls_on(length, charge)) {
		*account = sum;
		return 0;
	}
	*account = sum - charge;
	return charge;
}

/*
 * What a stretch of `length` is charged, ns; 0: it went into the account. `is_long`: it is to be
 * charged in any case. `above` is where the account's next point is; 0: not drawn yet.
 */
static __always_inline u64 draw_charge(u32 *above, u64 *account, u64 length, bool is_long,
				       u64 t_now)
{
	u64 sum = *account + length, charge = (u64)*above << UNIT_BITS, next;

	if (*account > 2 * t_now)
		return draw_left(above, account, length, is_long, t_now);
	if (is_long)
		return length;
	if (!charge || charge > 2 * t_now) /* T has fallen since it was drawn */
		charge = draw_point(above, t_now);
	if (sum < charge) {
		*account = sum;
		return 0;
	}
	next = draw_point(above, t_now);
	/* The next point may be in the same stretch. */
	if (sum - charge >= next) {
		charge += next;
		draw_point(above, t_now);
	}
	*account = sum - charge;
	return charge;
}

#endif
