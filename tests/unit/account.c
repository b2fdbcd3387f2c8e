/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/kernel/account.h"

#include "test.h"

/* The value of a loss by its cause; 0: there is none of that name, or it is 0. */
static u64 loss(const struct profile *p, const char *cause)
{
	vec_for_each (&p->losses, loss)
		if (!strcmp(loss->cause, cause))
			return loss->value;
	return 0;
}

static const struct wick_counters counters = {
	.at = {[WICK_RAN] = 1000,
	       [WICK_KEPT] = 250,
	       [WICK_FILTERED] = 750,
	       [WICK_LOST_BODY] = 50053,
	       [WICK_LOST_ACCOUNT] = 7,
	       [WICK_LOST_THREAD] = 3},
};

static void what_was_missed_before_the_filters_is_of_the_whole_host(void)
{
	struct account a = {.sum = counters, .filtered = true};
	struct profile p;

	profile_init(&p);
	account_close_fault(&a, 1884, &p);
	CHECK_EQ(loss(&p, "faults that the kernel skipped"), 0);
	CHECK_EQ(loss(&p, "faults of the whole host that the kernel skipped"), 884);
	CHECK_EQ(loss(&p, "faults, of the whole host, of threads without state"), 3);
	account_close(&a, 40, &p);
	CHECK_EQ(loss(&p, "samples of the whole host that the kernel skipped"), 40);
	CHECK_EQ(p.expected, 260);
	profile_release(&p);
}

static void without_filters_everything_was_wanted(void)
{
	struct account a = {.sum = counters};
	struct profile p;

	a.sum.at[WICK_FILTERED] = 0;
	profile_init(&p);
	account_close_fault(&a, 1884, &p);
	CHECK_EQ(loss(&p, "faults that the kernel skipped"), 884);
	account_close(&a, 40, &p);
	CHECK_EQ(loss(&p, "samples that the kernel skipped"), 40);
	CHECK_EQ(p.expected, 290);
	profile_release(&p);
}

/* A body that the ring refused is sent the next time: it is no loss unless it never came. */
static void refusals_are_no_losses(void)
{
	struct account a = {.sum = counters};
	struct profile p;

	profile_init(&p);
	account_close_sched(&a, &p);
	vec_for_each (&p.losses, loss)
		CHECK(loss->value != 50053);
	CHECK_EQ(loss(&p, "accounts of threads that ended while the ring was full"), 7);
	profile_release(&p);
}

int main(void)
{
	RUN(what_was_missed_before_the_filters_is_of_the_whole_host);
	RUN(without_filters_everything_was_wanted);
	RUN(refusals_are_no_losses);
	return test_status();
}
