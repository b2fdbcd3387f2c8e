/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "intake.h"

#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>

#include "base/lock.h"
#include "collect/host/privileges.h"
#include "wick.h"

enum {
	SPARE = 4 << 20,	/* room that is kept from one call to the next, at most */
	SPARE_PART = 4,		/* ... and so much of what may be pending */
	PAUSE_NS = 1000 * 1000, /* of the thread, so that it does not run for each body */
	PRIORITY = 1,		/* the lowest one above all normal threads */
};

/* Bodies one after another, each after its size, at multiples of 8 bytes. */
struct bodies_taken {
	VEC_FIELDS(char);
};

/*
 * The thread writes into memory that is there: for a new page it could have to wait for a lock that
 * another thread holds, which gets no CPU.
 */
struct intake {
	struct ring_buffer *buffer;
	struct sideband *sideband;
	pthread_mutex_t lock; /* of the buffer and of `pending` */
	struct bodies_taken pending, spare;
	u64 max_pending; /* bytes; then bodies stay in the ring */
	u64 ring_size;
	u64 to_take;	/* bytes of the ring, until this emptying of it ends */
	int epoll;	/* what wakes the thread */
	int woken, end; /* eventfds */
	pthread_t thread;
	bool has_thread;
};

/* For a copy of a stack, room for the largest is reserved. */
static size_t used_size(const void *bytes, size_t size)
{
	const struct wick_body *body = bytes;

	if (size < sizeof(*body) || body->type != WICK_BODY_STACK_COPY)
		return size;
	return min(size, sizeof(struct wick_copy_body) + body->nr);
}

/* libbpf has counted a body as taken by now: it is kept also where it is the last one. */
static int keep(void *ctx, void *body, size_t size)
{
	struct intake *in = ctx;
	struct bodies_taken *pending = &in->pending;
	size_t aligned;
	u64 header;

	in->to_take -= min(in->to_take, (u64)size + BPF_RINGBUF_HDR_SZ);
	size = used_size(body, size);
	aligned = (size + 7) & ~(size_t)7;
	header = size;

	vec_reserve(pending, sizeof(header) + aligned);
	memcpy(pending->at + pending->nr, &header, sizeof(header));
	memcpy(pending->at + pending->nr + sizeof(header), body, size);
	pending->nr += sizeof(header) + aligned;
	return in->to_take && pending->nr < in->max_pending ? 0 : -ENOSPC;
}

/*
 * A ring that is filled as fast as it is emptied is never empty. When as much as the ring holds has
 * been taken, that is all that was there at the begin, and more.
 */
static void empty(struct intake *in)
{
	in->to_take = in->ring_size;
	if (in->buffer && in->pending.nr < in->max_pending)
		ring_buffer__consume(in->buffer);
}

/* ---- the thread */

static void raise_priority(void)
{
	struct sched_param priority = {.sched_priority = PRIORITY};

	/* Where it may not, it has what the process has: nice -20, or less. */
	sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &priority);
}

static void *keep_empty(void *ctx)
{
	struct intake *in = ctx;
	eventfd_t ends;

	raise_priority();
	privileges_drop();
	for (;;) {
		struct epoll_event event;

		if (epoll_wait(in->epoll, &event, 1, -1) < 0 && errno != EINTR)
			return NULL;
		if (!eventfd_read(in->end, &ends))
			return NULL;
		pthread_mutex_lock(&in->lock);
		empty(in);
		pthread_mutex_unlock(&in->lock);
		sideband_save(in->sideband);
		eventfd_write(in->woken, 1);
		nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
	}
}

/* ---- all of it */

static int watch(const struct intake *in, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};

	return epoll_ctl(in->epoll, EPOLL_CTL_ADD, fd, &event) ? -errno : 0;
}

static int watch_all(struct intake *in)
{
	int err;

	in->epoll = epoll_create1(EPOLL_CLOEXEC);
	in->woken = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	in->end = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (in->epoll < 0 || in->woken < 0 || in->end < 0)
		return -errno;
	err = watch(in, in->end);
	return err ? err : sideband_watch(in->sideband, in->epoll);
}

int intake_open(struct intake **out, struct sideband *sideband, u64 max_pending,
		struct error *error)
{
	struct intake *in = xcalloc(1, sizeof(*in));
	int err;

	*in = (struct intake){.sideband = sideband,
			      .max_pending = max_pending,
			      .epoll = -1,
			      .woken = -1,
			      .end = -1};
	lock_init(&in->lock);
	err = watch_all(in);
	if (err) {
		err = fail(error, err, "cannot watch the perf ring buffers: %s", strerror(-err));
		intake_close(in);
		return err;
	}
	/* Without it, the rings are emptied when bodies are taken. */
	in->has_thread = !pthread_create(&in->thread, NULL, keep_empty, in);
	*out = in;
	return 0;
}

int intake_add_ring(struct intake *in, int map, u32 size, struct error *error)
{
	struct ring_buffer *buffer = ring_buffer__new(map, keep, in, NULL);
	int err;

	if (!buffer)
		return fail(error, -errno, "cannot map the BPF ring buffer: %s", strerror(errno));
	pthread_mutex_lock(&in->lock);
	in->buffer = buffer;
	in->ring_size = size;
	pthread_mutex_unlock(&in->lock);
	err = watch(in, ring_buffer__epoll_fd(buffer));
	return err ? fail(error, err, "epoll_ctl: %s", strerror(-err)) : 0;
}

int intake_fd(const struct intake *in)
{
	return in->woken;
}

/* Touched, so that its pages are there. */
static void keep_room(struct bodies_taken *spare, u64 max_pending)
{
	size_t size = min(max_pending / SPARE_PART, (u64)SPARE);

	if (spare->room > 2 * size)
		vec_release(spare);
	if (spare->room >= size)
		return;
	vec_reserve(spare, size);
	memset(spare->at, 0, spare->room);
}

void intake_take(struct intake *in, void (*take)(void *ctx, const void *body, size_t size),
		 void *ctx)
{
	struct bodies_taken taken;
	eventfd_t wakeups;
	u64 size;

	eventfd_read(in->woken, &wakeups);
	pthread_mutex_lock(&in->lock);
	empty(in);
	taken = in->pending;
	in->pending = in->spare;
	in->spare = (struct bodies_taken){};
	pthread_mutex_unlock(&in->lock);
	for (size_t at = 0; at < taken.nr; at += sizeof(size) + ((size + 7) & ~(u64)7)) {
		memcpy(&size, taken.at + at, sizeof(size));
		take(ctx, taken.at + at + sizeof(size), size);
	}
	taken.nr = 0;
	keep_room(&taken, in->max_pending);
	in->spare = taken;
}

void intake_close(struct intake *in)
{
	if (!in)
		return;
	if (in->has_thread) {
		eventfd_write(in->end, 1);
		pthread_join(in->thread, NULL);
	}
	ring_buffer__free(in->buffer);
	pthread_mutex_destroy(&in->lock);
	vec_release(&in->pending);
	vec_release(&in->spare);
	if (in->epoll >= 0)
		close(in->epoll);
	if (in->woken >= 0)
		close(in->woken);
	if (in->end >= 0)
		close(in->end);
	free(in);
}
