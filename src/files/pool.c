/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pool.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

enum {
	MAX_THREADS = 8,
	MAX_STUCK = 8,
	STACK_SIZE = 512 << 10,
	GRACE_MS = 200, /* for running jobs when the pool is freed */
	LONG_NS = 5 * 1000 * 1000,
	PATIENCE = 8, /* how many times its cost a job lets others overtake */
	LOOK_AGAIN_MS =
		50, /* a job may begin while its waiter sleeps, and then be over its limit */
};

/* One running thread. It belongs to the thread, and to the pool as long as that is not stuck. */
struct worker {
	struct pool *pool;
	struct job *job; /* NULL: idle */
	u64 began;
	bool left; /* it is stuck, and the pool goes on without it */
};

struct queue {
	struct job *first, **end;
};

struct pool {
	pthread_mutex_t lock;
	pthread_cond_t work, change;
	struct queue urgent, normal;
	struct worker *workers[MAX_THREADS];
	unsigned int max_workers, nr_workers, nr_idle, nr_stuck;
	unsigned int refs; /* the owner and each thread */
	bool closing;
};

void pool_lock(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
}

void pool_unlock(struct pool *pool)
{
	pthread_mutex_unlock(&pool->lock);
}

static void unref_job(struct job *job)
{
	if (--job->refs == 0)
		job->type->release(job);
}

static void end_job(struct pool *pool, struct job *job, enum job_state state)
{
	job->state = state;
	job->type->finish(job, state == JOB_GIVEN_UP);
	pthread_cond_broadcast(&pool->change);
}

static bool is_running(const struct pool *pool, u32 key)
{
	for (unsigned int i = 0; i < pool->nr_workers; i++)
		if (pool->workers[i]->job && pool->workers[i]->job->key == key)
			return true;
	return false;
}

static bool is_long(const struct job *job)
{
	return job->cost_ns >= LONG_NS;
}

/* Half of the threads are for what is short, and for what is not this user's. */
static bool may_begin(const struct pool *pool, const struct job *job)
{
	unsigned int nr_long = 0, nr_owned = 0, half = (pool->max_workers + 1) / 2;

	if (is_running(pool, job->key))
		return false;
	for (unsigned int i = 0; i < pool->nr_workers; i++) {
		const struct job *running = pool->workers[i]->job;

		nr_long += running && is_long(job) && is_long(running);
		nr_owned += running && job->owner && job->owner == running->owner;
	}
	return nr_long < half && nr_owned < half;
}

static void push(struct queue *queue, struct job *job)
{
	job->next = NULL;
	*queue->end = job;
	queue->end = &job->next;
}

static bool is_before(const struct job *first, const struct job *job, u32 key)
{
	for (; first != job; first = first->next)
		if (first->key == key)
			return true;
	return false;
}

static struct job *take_job(struct queue *queue, struct job **at)
{
	struct job *job = *at;

	*at = job->next;
	if (!*at)
		queue->end = at;
	return job;
}

/* Of the jobs that may begin, the one whose turn is first. */
static struct job *pop(struct pool *pool, struct queue *queue)
{
	struct job **best = NULL;

	/* Turns only grow after a short job, so the scan can stop there. */
	for (struct job **at = &queue->first; *at && !(best && !(*best)->cost_ns);
	     at = &(*at)->next)
		if ((!best || (*at)->turn_ns < (*best)->turn_ns) && may_begin(pool, *at) &&
		    !is_before(queue->first, *at, (*at)->key))
			best = at;
	return best ? take_job(queue, best) : NULL;
}

/* A job to run; those that are hopeless end here. */
static struct job *next_job(struct pool *pool)
{
	struct job *job;

	while ((job = pop(pool, &pool->urgent)) || (job = pop(pool, &pool->normal))) {
		if (job->type->prepare(job))
			return job;
		end_job(pool, job, JOB_GIVEN_UP);
		unref_job(job);
	}
	return NULL;
}

static void unref_pool(struct pool *pool)
{
	bool last = --pool->refs == 0;

	pthread_mutex_unlock(&pool->lock);
	if (!last)
		return;
	pthread_mutex_destroy(&pool->lock);
	pthread_cond_destroy(&pool->work);
	pthread_cond_destroy(&pool->change);
	free(pool);
}

static void remove_worker(struct pool *pool, struct worker *worker)
{
	for (unsigned int i = 0; i < pool->nr_workers; i++)
		if (pool->workers[i] == worker)
			pool->workers[i] = pool->workers[--pool->nr_workers];
}

/* Called and left with the lock held. */
static void run_job(struct worker *worker, struct job *job)
{
	struct pool *pool = worker->pool;

	job->state = JOB_RUNNING;
	worker->job = job;
	worker->began = monotonic_ns();
	pthread_mutex_unlock(&pool->lock);
	job->type->run(job);
	pthread_mutex_lock(&pool->lock);
	worker->job = NULL;
	if (!worker->left)
		end_job(pool, job, JOB_DONE);
	unref_job(job);
	/* What shares its key can run now. */
	if (pool->urgent.first || pool->normal.first)
		pthread_cond_broadcast(&pool->work);
}

static void *work(void *arg)
{
	struct worker *worker = arg;
	struct pool *pool = worker->pool;
	struct job *job;

	pthread_mutex_lock(&pool->lock);
	while (!worker->left && !pool->closing) {
		job = next_job(pool);
		if (job) {
			run_job(worker, job);
			continue;
		}
		pool->nr_idle++;
		pthread_cond_wait(&pool->work, &pool->lock);
		pool->nr_idle--;
	}
	if (worker->left)
		pool->nr_stuck--;
	else
		remove_worker(pool, worker);
	free(worker);
	pthread_cond_broadcast(&pool->change);
	unref_pool(pool);
	return NULL;
}

/*
 * Signals are the main thread's, but not those of a crash here: with one of them blocked, the
 * kernel ends the process at once.
 */
static int start_thread(struct worker *worker)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	pthread_attr_t attr;
	sigset_t all, before;
	pthread_t thread;
	int err;

	sigfillset(&all);
	for (size_t i = 0; i < ARRAY_SIZE(faults); i++)
		sigdelset(&all, faults[i]);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&thread, &attr, work, worker);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return err;
}

static void add_worker(struct pool *pool)
{
	struct worker *worker;

	if (pool->nr_workers == pool->max_workers || pool->nr_stuck > MAX_STUCK)
		return;
	worker = xcalloc(1, sizeof(*worker));
	worker->pool = pool;
	if (start_thread(worker)) {
		free(worker);
		return;
	}
	pool->refs++;
	pool->workers[pool->nr_workers++] = worker;
}

static void give_up_queue(struct pool *pool, struct queue *queue)
{
	struct job *job;

	while ((job = queue->first)) {
		take_job(queue, &queue->first);
		end_job(pool, job, JOB_GIVEN_UP);
		unref_job(job);
	}
}

/* No workers are left: fails the queued jobs, instead of letting their waiters block. */
static void give_up_queued(struct pool *pool)
{
	give_up_queue(pool, &pool->urgent);
	give_up_queue(pool, &pool->normal);
}

static void start_if_needed(struct pool *pool)
{
	if (!pool->nr_idle && (pool->urgent.first || pool->normal.first))
		add_worker(pool);
	if (!pool->nr_workers)
		give_up_queued(pool);
}

static void leave_worker(struct pool *pool, struct worker *worker)
{
	struct job *job = worker->job;

	worker->left = true;
	pool->nr_stuck++;
	remove_worker(pool, worker);
	if (job)
		end_job(pool, job, JOB_GIVEN_UP);
	/* Jobs with its key may be all that is queued: idle threads look again. */
	pthread_cond_broadcast(&pool->work);
}

/* Returns when the next running job will be over its limit. */
static u64 watch(struct pool *pool)
{
	u64 now = monotonic_ns(), next = now + LOOK_AGAIN_MS * NSEC_PER_MSEC;

	for (unsigned int i = 0; i < pool->nr_workers;) {
		struct worker *worker = pool->workers[i];
		u64 end = worker->job ? worker->began + worker->job->limit_ns : UINT64_MAX;

		next = min(next, max(end, now));
		if (end <= now)
			leave_worker(pool, worker);
		else
			i++;
	}
	start_if_needed(pool);
	return next;
}

void pool_watch(struct pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	watch(pool);
	pthread_mutex_unlock(&pool->lock);
}

void pool_add(struct pool *pool, struct job *job)
{
	job->state = JOB_QUEUED;
	job->refs = job->type->keeps ? 2 : 1;
	job->turn_ns = monotonic_ns() + PATIENCE * job->cost_ns;
	push(job->type->urgent ? &pool->urgent : &pool->normal, job);
	pthread_cond_signal(&pool->work);
	watch(pool);
}

static void wait_until(struct pool *pool, u64 ns)
{
	struct timespec ts = {(time_t)(ns / NSEC_PER_SEC), (long)(ns % NSEC_PER_SEC)};

	pthread_cond_timedwait(&pool->change, &pool->lock, &ts);
}

bool pool_wait(struct pool *pool, struct job *job)
{
	bool done;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		u64 next = watch(pool);

		if (job->state == JOB_DONE || job->state == JOB_GIVEN_UP)
			break;
		wait_until(pool, next);
	}
	done = job->state == JOB_DONE;
	pthread_mutex_unlock(&pool->lock);
	return done;
}

bool pool_is_over(struct pool *pool, struct job *job, u64 until_ns)
{
	bool over;

	pthread_mutex_lock(&pool->lock);
	for (;;) {
		u64 next = watch(pool);

		over = job->state == JOB_DONE || job->state == JOB_GIVEN_UP;
		if (over || monotonic_ns() >= until_ns)
			break;
		wait_until(pool, min(next, until_ns));
	}
	pthread_mutex_unlock(&pool->lock);
	return over;
}

void pool_forget(struct pool *pool, struct job *job)
{
	pthread_mutex_lock(&pool->lock);
	unref_job(job);
	pthread_mutex_unlock(&pool->lock);
}

struct pool *pool_new(unsigned int threads)
{
	struct pool *pool = xcalloc(1, sizeof(*pool));
	pthread_condattr_t attr;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_mutex_init(&pool->lock, NULL);
	pthread_cond_init(&pool->work, NULL);
	pthread_cond_init(&pool->change, &attr);
	pthread_condattr_destroy(&attr);
	pool->urgent.end = &pool->urgent.first;
	pool->normal.end = &pool->normal.first;
	pool->max_workers = min(max(threads, 1u), (unsigned int)MAX_THREADS);
	pool->refs = 1;
	return pool;
}

void pool_free(struct pool *pool)
{
	u64 end = monotonic_ns() + GRACE_MS * NSEC_PER_MSEC;

	pthread_mutex_lock(&pool->lock);
	pool->closing = true;
	pthread_cond_broadcast(&pool->work);
	while (pool->nr_workers && monotonic_ns() < end)
		wait_until(pool, end);
	while (pool->nr_workers)
		leave_worker(pool, pool->workers[0]);
	give_up_queued(pool);
	unref_pool(pool);
}
