/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "visit_threads.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pthread.h>
#include <time.h>

#include "wick.h"
#include "wick.skel.h"

/*
 * The kernel visits as many threads as fill what is read; each of them can send a stack of 64 KB
 * through the ring, which is emptied in between. Where it is full all the same, the read ends with
 * -EAGAIN, and the next one begins with the thread that found it full. If it is full after so many
 * times that it was emptied, others fill it faster than that: then the pass goes on without.
 */
enum { THREADS_AT_ONCE = 32, FRUITLESS_READS = 100 };

/*
 * A read that does not return: for the first pass, because a thread's memory does not answer; for
 * the second, because we get no CPU.
 */
static const u64 STUCK_NS = 2 * NSEC_PER_SEC, STARVED_NS = 10 * NSEC_PER_SEC;

/* The kernel's buffer has 8 pages: bpf_seq_read(). What does not fit would be visited twice. */
_Static_assert(THREADS_AT_ONCE * sizeof(struct wick_thread_body) < 8 * 4096, "one read");

/*
 * A visit reads the thread's stack, and that can be memory which another process serves. If it does
 * not, the kernel waits for ever. So the visits are made by a thread of their own, which is left to
 * itself when that happens; it ends with the process.
 */
struct pass {
	pthread_mutex_t lock;
	pthread_cond_t change;
	int fd;	      /* the iterator's */
	ssize_t size; /* that the last read returned */
	struct wick_thread_body accounts[THREADS_AT_ONCE];
	bool wanted, done; /* a read is wanted, and is done */
	bool left;	   /* its result is not wanted any more */
	u32 references;
};

static void pass_put(struct pass *p)
{
	bool last;

	pthread_mutex_lock(&p->lock);
	last = --p->references == 0;
	pthread_mutex_unlock(&p->lock);
	if (!last)
		return;
	pthread_mutex_destroy(&p->lock);
	pthread_cond_destroy(&p->change);
	close(p->fd);
	free(p);
}

static ssize_t visit_some(struct pass *p)
{
	ssize_t size;

	do
		size = read(p->fd, p->accounts, sizeof(p->accounts));
	while (size < 0 && errno == EINTR);
	return size < 0 ? -errno : size;
}

/* Has it come to an end, or failed? */
static bool is_over(ssize_t size)
{
	return size <= 0 && size != -EAGAIN;
}

static void *run_visits(void *ctx)
{
	struct pass *p = ctx;
	ssize_t size = 1;

	pthread_mutex_lock(&p->lock);
	while (!is_over(size)) {
		while (!p->wanted && !p->left)
			pthread_cond_wait(&p->change, &p->lock);
		if (p->left)
			break;
		p->wanted = false;
		pthread_mutex_unlock(&p->lock);
		size = visit_some(p);
		pthread_mutex_lock(&p->lock);
		p->size = size;
		p->done = true;
		pthread_cond_signal(&p->change);
	}
	pthread_mutex_unlock(&p->lock);
	pass_put(p);
	return NULL;
}

static struct timespec time_of(u64 ns)
{
	return (struct timespec){.tv_sec = (time_t)(ns / NSEC_PER_SEC),
				 .tv_nsec = (long)(ns % NSEC_PER_SEC)};
}

/* One read by the other thread; -ETIMEDOUT. */
static ssize_t wait_for_some(struct pass *p, u64 deadline_ns)
{
	struct timespec deadline = time_of(deadline_ns);
	ssize_t size = -ETIMEDOUT;

	pthread_mutex_lock(&p->lock);
	p->wanted = true;
	p->done = false;
	pthread_cond_broadcast(&p->change);
	while (!p->done && monotonic_ns() < deadline_ns)
		pthread_cond_timedwait(&p->change, &p->lock, &deadline);
	if (p->done)
		size = p->size;
	pthread_mutex_unlock(&p->lock);
	return size;
}

static void leave(struct pass *p)
{
	pthread_mutex_lock(&p->lock);
	p->left = true;
	pthread_cond_broadcast(&p->change);
	pthread_mutex_unlock(&p->lock);
	pass_put(p);
}

static int begin(struct wick_bpf *skeleton, struct pass **out)
{
	struct bpf_link *link = skeleton->links.wick_visit;
	int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	pthread_condattr_t clock;
	struct pass *p;
	pthread_t thread;

	if (fd < 0)
		return link ? -errno : -ENOENT;
	p = xcalloc(1, sizeof(*p));
	p->fd = fd;
	p->references = 2;
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&p->change, &clock);
	pthread_condattr_destroy(&clock);
	if (pthread_create(&thread, NULL, run_visits, p)) {
		p->references = 1;
		pass_put(p);
		return -EAGAIN;
	}
	pthread_detach(thread);
	*out = p;
	return 0;
}

/* The ring first: it has the legs that the accounts are of. */
static void take_accounts(const struct pass *p, ssize_t size, const struct pass_sink *sink)
{
	sink->drain(sink->ctx);
	for (ssize_t i = 0; i < size / (ssize_t)sizeof(*p->accounts); i++)
		if (p->accounts[i].body.type == WICK_BODY_THREAD)
			sink->account(sink->ctx, &p->accounts[i]);
}

static int run_one(struct wick_bpf *skeleton, u64 stuck_ns, const struct pass_sink *sink)
{
	struct wick_sched_control *control = &skeleton->bss->control;
	struct pass *p = NULL;
	u32 fruitless = 0;
	ssize_t size;
	int err = begin(skeleton, &p);

	if (err)
		return err;
	control->retry = 1;
	do {
		control->read++;
		size = wait_for_some(p, monotonic_ns() + stuck_ns);
		take_accounts(p, size, sink);
		fruitless = size == -EAGAIN ? fruitless + 1 : 0;
		if (fruitless == FRUITLESS_READS)
			control->retry = 0;
	} while (!is_over(size));
	leave(p);
	return (int)size;
}

int pass_run(struct wick_bpf *skeleton, u64 walk_ns, const struct pass_sink *sink)
{
	struct wick_sched_control *control = &skeleton->bss->control;
	int err;

	control->walk_until = monotonic_ns() + walk_ns;
	control->read = 1;
	err = run_one(skeleton, STUCK_NS, sink);
	if (err != -ETIMEDOUT)
		return err;
	/*
	 * The memory of a thread does not answer, or we got no CPU. Another pass, which looks at no
	 * memory and leaves out the threads that are done; but it sends the accounts that the read
	 * which we left would have brought.
	 */
	control->walk_until = 0;
	control->unread = control->read;
	__atomic_store_n(&control->pass, 1, __ATOMIC_RELEASE);
	return run_one(skeleton, STARVED_NS, sink);
}
