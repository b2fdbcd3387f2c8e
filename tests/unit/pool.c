/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/pool.h"

#include "test.h"

struct sleep_job {
	struct job job;
	unsigned int ms;
	int *order; /* shared count of jobs that ended */
	int ended;  /* its place among them; -1: given up */
};

static bool prepare(struct job *job)
{
	(void)job;
	return true;
}

static void run(struct job *job)
{
	usleep(((struct sleep_job *)job)->ms * 1000);
}

static void finish(struct job *job, bool given_up)
{
	struct sleep_job *s = (struct sleep_job *)job;

	s->ended = given_up ? -1 : ++*s->order;
}

static void release(struct job *job)
{
	free(job);
}

static const struct job_type normal = {
	.prepare = prepare, .run = run, .finish = finish, .release = release, .keeps = true};
static const struct job_type urgent = {.prepare = prepare,
				       .run = run,
				       .finish = finish,
				       .release = release,
				       .keeps = true,
				       .urgent = true};

static struct sleep_job *add(struct pool *pool, const struct job_type *type, u32 key,
			     unsigned int ms, int *order)
{
	struct sleep_job *s = xcalloc(1, sizeof(*s));

	*s = (struct sleep_job){.job = {.type = type, .key = key, .limit_ns = 100 * NSEC_PER_MSEC},
				.ms = ms,
				.order = order};
	pool_lock(pool);
	pool_add(pool, &s->job);
	pool_unlock(pool);
	return s;
}

static void jobs_of_a_key_keep_their_order(void)
{
	struct pool *pool = pool_new(4);
	struct sleep_job *jobs[10];
	int order = 0;

	for (int i = 0; i < 10; i++)
		jobs[i] = add(pool, &urgent, 1, 2, &order);
	for (int i = 0; i < 10; i++) {
		CHECK(pool_wait(pool, &jobs[i]->job));
		CHECK_EQ(jobs[i]->ended, i + 1);
		pool_forget(pool, &jobs[i]->job);
	}
	pool_free(pool);
}

static void urgent_jobs_come_first(void)
{
	struct pool *pool = pool_new(1);
	int order = 0;
	struct sleep_job *first = add(pool, &normal, 1, 30, &order);
	struct sleep_job *last = add(pool, &normal, 2, 0, &order);
	struct sleep_job *soon = add(pool, &urgent, 3, 0, &order);

	usleep(5000);
	CHECK(pool_wait(pool, &last->job));
	CHECK(soon->ended < last->ended);
	CHECK(pool_wait(pool, &first->job));
	pool_forget(pool, &first->job);
	pool_forget(pool, &last->job);
	pool_forget(pool, &soon->job);
	pool_free(pool);
}

static struct sleep_job *add_costly(struct pool *pool, u32 key, unsigned int ms, int *order)
{
	struct sleep_job *s = xcalloc(1, sizeof(*s));

	*s = (struct sleep_job){.job = {.type = &normal,
					.key = key,
					.limit_ns = NSEC_PER_SEC,
					.cost_ns = ms * NSEC_PER_MSEC},
				.ms = ms,
				.order = order};
	pool_lock(pool);
	pool_add(pool, &s->job);
	pool_unlock(pool);
	return s;
}

static void one_user_has_half_of_the_threads(void)
{
	enum { NR = 4, OTHER = NR };
	struct pool *pool = pool_new(4);
	struct sleep_job *jobs[NR + 1];
	int order = 0;

	for (u32 i = 0; i <= NR; i++) {
		jobs[i] = xcalloc(1, sizeof(*jobs[i]));
		*jobs[i] = (struct sleep_job){.job = {.type = &normal,
						      .key = i,
						      .limit_ns = 10 * NSEC_PER_SEC,
						      .owner = i == OTHER ? 1001 : 1000},
					      .ms = i == OTHER ? 0 : 300,
					      .order = &order};
		pool_lock(pool);
		pool_add(pool, &jobs[i]->job);
		pool_unlock(pool);
	}
	CHECK(pool_wait(pool, &jobs[OTHER]->job));
	CHECK_EQ(jobs[OTHER]->ended, 1);
	for (u32 i = 0; i < NR; i++)
		CHECK(pool_wait(pool, &jobs[i]->job));
	for (u32 i = 0; i <= NR; i++)
		pool_forget(pool, &jobs[i]->job);
	pool_free(pool);
}

static void short_jobs_overtake_long_ones(void)
{
	enum { NR = 6, SHORT = NR };
	struct pool *pool = pool_new(4);
	struct sleep_job *jobs[NR + 1];
	int order = 0;

	for (u32 i = 0; i < NR; i++)
		jobs[i] = add_costly(pool, i, 60, &order);
	usleep(5000);
	jobs[SHORT] = add_costly(pool, SHORT, 1, &order);
	for (u32 i = 0; i <= NR; i++)
		CHECK(pool_wait(pool, &jobs[i]->job));
	CHECK_EQ(jobs[SHORT]->ended, 1);
	for (u32 i = 0; i <= NR; i++)
		pool_forget(pool, &jobs[i]->job);
	pool_free(pool);
}

/* A long job among short ones that never end has its turn nevertheless. */
static void long_jobs_do_not_starve(void)
{
	enum { NR = 100 };
	struct pool *pool = pool_new(1);
	struct sleep_job *first, *jobs[NR];
	int order = 0;

	first = add_costly(pool, 1001, 10, &order);
	for (u32 i = 0; i < NR; i++) {
		jobs[i] = add_costly(pool, i, 2, &order);
		usleep(1500);
	}
	CHECK(pool_wait(pool, &first->job));
	for (u32 i = 0; i < NR; i++)
		CHECK(pool_wait(pool, &jobs[i]->job));
	CHECK(first->ended < NR);
	for (u32 i = 0; i < NR; i++)
		pool_forget(pool, &jobs[i]->job);
	pool_forget(pool, &first->job);
	pool_free(pool);
}

/* The second thread is idle, since all that is queued has the stuck job's key. */
static void what_waits_for_a_stuck_job_runs_when_it_is_given_up(void)
{
	struct pool *pool = pool_new(2);
	int order = 0, ignored = 0;
	struct sleep_job *idle = add(pool, &normal, 2, 20, &ignored);
	struct sleep_job *stuck = add(pool, &normal, 1, 600, &ignored);
	struct sleep_job *after;
	u64 begin = monotonic_ns();

	CHECK(pool_wait(pool, &idle->job));
	usleep(20000);
	after = add(pool, &normal, 1, 0, &order);
	CHECK(!pool_wait(pool, &stuck->job));
	CHECK(pool_wait(pool, &after->job));
	CHECK(monotonic_ns() - begin < 500 * NSEC_PER_MSEC);
	CHECK_EQ(stuck->ended, -1);
	CHECK_EQ(after->ended, 1);
	pool_forget(pool, &idle->job);
	pool_forget(pool, &stuck->job);
	pool_forget(pool, &after->job);
	pool_free(pool);
	usleep(700000); /* the thread that was left comes back */
}

static void too_many_stuck_jobs_end_the_pool(void)
{
	enum { NR = 40 };
	struct pool *pool = pool_new(4);
	struct sleep_job *jobs[NR];
	int order = 0, given_up = 0;
	u64 begin = monotonic_ns();

	for (u32 i = 0; i < NR; i++)
		jobs[i] = add(pool, &normal, i, 1500, &order);
	for (u32 i = 0; i < NR; i++) {
		given_up += !pool_wait(pool, &jobs[i]->job);
		pool_forget(pool, &jobs[i]->job);
	}
	CHECK_EQ(given_up, NR);
	CHECK(monotonic_ns() - begin < NSEC_PER_SEC);
	pool_free(pool);
	usleep(1700000);
}

int main(void)
{
	RUN(jobs_of_a_key_keep_their_order);
	RUN(urgent_jobs_come_first);
	RUN(one_user_has_half_of_the_threads);
	RUN(short_jobs_overtake_long_ones);
	RUN(long_jobs_do_not_starve);
	RUN(what_waits_for_a_stuck_job_runs_when_it_is_given_up);
	RUN(too_many_stuck_jobs_end_the_pool);
	return test_status();
}
