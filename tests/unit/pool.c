/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/pool.h"

#include <semaphore.h>

#include "test.h"

/* No busy host keeps a thread from a CPU for so long. */
#define PATIENT_NS (60 * NSEC_PER_SEC)
#define STUCK_NS   (100 * NSEC_PER_MSEC)

struct sleep_job {
	struct job job;
	unsigned int ms;
	sem_t *gate;	     /* it waits for that instead; NULL: it does not */
	sem_t *begun, *over; /* posted when it runs, and when it has run; may be NULL */
	int *order;	     /* shared count of jobs that ended */
	int ended;	     /* its place among them; -1: given up */
};

static bool prepare(struct job *job)
{
	(void)job;
	return true;
}

static void run(struct job *job)
{
	struct sleep_job *s = (struct sleep_job *)job;

	if (s->begun)
		sem_post(s->begun);
	if (s->gate)
		while (sem_wait(s->gate))
			;
	else
		usleep(s->ms * 1000);
	if (s->over)
		sem_post(s->over);
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

/* Adds a job that is like this one. */
static struct sleep_job *add(struct pool *pool, struct sleep_job like)
{
	struct sleep_job *s = xcalloc(1, sizeof(*s));

	*s = like;
	s->job.type = s->job.type ? s->job.type : &normal;
	s->job.limit_ns = s->job.limit_ns ? s->job.limit_ns : PATIENT_NS;
	pool_lock(pool);
	pool_add(pool, &s->job);
	pool_unlock(pool);
	return s;
}

static void wait_for(sem_t *sem, int times)
{
	for (int i = 0; i < times; i++)
		while (sem_wait(sem))
			;
}

static void open_gate(sem_t *gate, int jobs)
{
	for (int i = 0; i < jobs; i++)
		sem_post(gate);
}

static void jobs_of_a_key_keep_their_order(void)
{
	struct pool *pool = pool_new(4);
	struct sleep_job *jobs[10];
	int order = 0;

	for (int i = 0; i < 10; i++)
		jobs[i] = add(pool, (struct sleep_job){.job = {.type = &urgent, .key = 1},
						       .ms = 2,
						       .order = &order});
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
	struct sleep_job *first, *last, *soon;
	int order = 0;
	sem_t gate;

	sem_init(&gate, 0, 0);
	first = add(pool, (struct sleep_job){.job = {.key = 1}, .gate = &gate, .order = &order});
	last = add(pool, (struct sleep_job){.job = {.key = 2}, .order = &order});
	soon = add(pool, (struct sleep_job){.job = {.type = &urgent, .key = 3}, .order = &order});
	open_gate(&gate, 1);
	CHECK(pool_wait(pool, &last->job));
	CHECK(pool_wait(pool, &soon->job));
	CHECK(soon->ended < last->ended);
	CHECK(pool_wait(pool, &first->job));
	pool_forget(pool, &first->job);
	pool_forget(pool, &last->job);
	pool_forget(pool, &soon->job);
	pool_free(pool);
}

static void one_user_has_half_of_the_threads(void)
{
	enum { NR = 4, OTHER = NR };
	struct pool *pool = pool_new(4);
	struct sleep_job *jobs[NR + 1];
	int order = 0;
	sem_t gate;

	sem_init(&gate, 0, 0);
	for (u32 i = 0; i <= NR; i++)
		jobs[i] = add(pool, (struct sleep_job){
					    .job = {.key = i, .owner = i == OTHER ? 1001 : 1000},
					    .gate = i == OTHER ? NULL : &gate,
					    .order = &order});
	CHECK(pool_wait(pool, &jobs[OTHER]->job));
	CHECK_EQ(jobs[OTHER]->ended, 1);
	open_gate(&gate, NR);
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
	sem_t gate;

	sem_init(&gate, 0, 0);
	for (u32 i = 0; i < NR; i++)
		jobs[i] = add(pool,
			      (struct sleep_job){.job = {.key = i, .cost_ns = 60 * NSEC_PER_MSEC},
						 .gate = &gate,
						 .order = &order});
	jobs[SHORT] = add(pool, (struct sleep_job){.job = {.key = SHORT, .cost_ns = NSEC_PER_MSEC},
						   .ms = 1,
						   .order = &order});
	CHECK(pool_wait(pool, &jobs[SHORT]->job));
	CHECK_EQ(jobs[SHORT]->ended, 1);
	open_gate(&gate, NR);
	for (u32 i = 0; i < NR; i++)
		CHECK(pool_wait(pool, &jobs[i]->job));
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

	first = add(pool, (struct sleep_job){.job = {.key = 1001, .cost_ns = 10 * NSEC_PER_MSEC},
					     .ms = 10,
					     .order = &order});
	for (u32 i = 0; i < NR; i++) {
		jobs[i] = add(pool,
			      (struct sleep_job){.job = {.key = i, .cost_ns = 2 * NSEC_PER_MSEC},
						 .ms = 2,
						 .order = &order});
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
	struct sleep_job *idle, *stuck, *after;
	int order = 0, ignored = 0;
	sem_t gate, over;

	sem_init(&gate, 0, 0);
	sem_init(&over, 0, 0);
	idle = add(pool, (struct sleep_job){.job = {.key = 2}, .ms = 20, .order = &ignored});
	stuck = add(pool, (struct sleep_job){.job = {.key = 1, .limit_ns = STUCK_NS},
					     .gate = &gate,
					     .over = &over,
					     .order = &ignored});
	after = add(pool, (struct sleep_job){.job = {.key = 1}, .order = &order});
	CHECK(pool_wait(pool, &idle->job));
	CHECK(!pool_wait(pool, &stuck->job));
	CHECK(pool_wait(pool, &after->job));
	CHECK_EQ(stuck->ended, -1);
	CHECK_EQ(after->ended, 1);
	pool_forget(pool, &idle->job);
	pool_forget(pool, &stuck->job);
	pool_forget(pool, &after->job);
	pool_free(pool);
	open_gate(&gate, 1);
	wait_for(&over, 1); /* the thread that was left comes back */
	usleep(50000);
}

/* A thread is left for each that is stuck; when there are too many, the rest is not begun. */
static void too_many_stuck_jobs_end_the_pool(void)
{
	enum { NR = 40, MOST = 20 };
	struct pool *pool = pool_new(4);
	struct sleep_job *jobs[NR];
	int order = 0, given_up = 0, nr_begun = 0;
	sem_t gate, begun, over;

	sem_init(&gate, 0, 0);
	sem_init(&begun, 0, 0);
	sem_init(&over, 0, 0);
	for (u32 i = 0; i < NR; i++)
		jobs[i] = add(pool, (struct sleep_job){.job = {.key = i, .limit_ns = STUCK_NS},
						       .gate = &gate,
						       .begun = &begun,
						       .over = &over,
						       .order = &order});
	for (u32 i = 0; i < NR; i++) {
		given_up += !pool_wait(pool, &jobs[i]->job);
		pool_forget(pool, &jobs[i]->job);
	}
	CHECK_EQ(given_up, NR);
	sem_getvalue(&begun, &nr_begun);
	CHECK(nr_begun >= 4 && nr_begun <= MOST);
	pool_free(pool);
	open_gate(&gate, NR);
	sem_getvalue(&begun, &nr_begun);
	wait_for(&over, nr_begun);
	usleep(50000);
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
