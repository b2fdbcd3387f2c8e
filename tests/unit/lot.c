/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is charged of stretches off-CPU is on average what they took. The bounds have room for chance:
 * the shortest ones are charged for many others, now and then.
 */
#include "test.h"

static u32 seed = 1;

static u32 bpf_get_prandom_u32(void)
{
	seed = seed * 1103515245 + 12345;
	return seed ^ seed >> 16;
}

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif
#include "../../bpf/lot.h"

enum { ROUNDS = 200000, NR = 3 };

static const u64 ms = 1000000;

struct waiting {
	u32 above;
	u64 account;
	u64 took[NR], charged[NR];
};

static void wait_for(struct waiting *t, u32 which, u64 length, u64 t_now)
{
	t->took[which] += length;
	t->charged[which] += draw_charge(&t->above, &t->account, length, length >= t_now, t_now);
}

/* Waits of these lengths, always in that order, while T goes up and falls. */
static struct waiting run(const u64 lengths[NR], u32 levels, u32 rounds_of_level)
{
	struct waiting t = {};

	for (u32 i = 0; i < ROUNDS; i++)
		for (u32 which = 0; which < NR; which++)
			wait_for(&t, which, lengths[which], ms << i / rounds_of_level % levels);
	return t;
}

static double share(const struct waiting *t, u32 which)
{
	return (double)t->charged[which] / (double)t->took[which];
}

static void check_shares(const struct waiting *t)
{
	u64 took = 0, charged = t->account;

	for (u32 i = 0; i < NR; i++) {
		took += t->took[i];
		charged += t->charged[i];
		CHECK(share(t, i) > 0.7 && share(t, i) < 1.3);
	}
	CHECK_EQ(charged, took);
}

static const u64 far_apart[NR] = {20000000, 200000, 20000};

static void short_waits_are_charged_what_they_took(void)
{
	const struct waiting t = run((const u64[NR]){900000, 200000, 20000}, 1, 1);

	check_shares(&t);
}

static void long_ones_are_charged_to_no_short_ones_while_t_changes(void)
{
	const struct waiting t = run(far_apart, 7, 10);

	check_shares(&t);
}

static void nor_while_t_stays_for_long(void)
{
	const struct waiting t = run(far_apart, 7, 1000);

	check_shares(&t);
}

int main(void)
{
	RUN(short_waits_are_charged_what_they_took);
	RUN(long_ones_are_charged_to_no_short_ones_while_t_changes);
	RUN(nor_while_t_stays_for_long);
	return test_status();
}
