/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A ring that is filled as fast as it is emptied: the library's side of it is made by this test. */
#include "collect/kernel/intake.h"

#include <bpf/libbpf.h>
#include <sys/eventfd.h>

#include "test.h"
#include "wick.h"

enum { RING = 1 << 16, ENDLESS = 1 << 20 };

static struct {
	ring_buffer_sample_fn take;
	void *ctx;
	int fd;
	struct {
		struct wick_copy_body copy;
		char stack[WICK_COPY_PAGE * 4];
	} body;
	u32 size;   /* of the bodies */
	u32 filled; /* so many are there */
	u32 taken;
} ring;

struct ring_buffer *ring_buffer__new(int map, ring_buffer_sample_fn take, void *ctx,
				     const struct ring_buffer_opts *options)
{
	(void)map;
	(void)options;
	ring.take = take;
	ring.ctx = ctx;
	ring.fd = eventfd(0, EFD_CLOEXEC);
	return (struct ring_buffer *)&ring;
}

int ring_buffer__epoll_fd(const struct ring_buffer *r)
{
	(void)r;
	return ring.fd;
}

void ring_buffer__free(struct ring_buffer *r)
{
	if (r)
		close(ring.fd);
}

int ring_buffer__consume(struct ring_buffer *r)
{
	(void)r;
	for (; ring.filled; ring.filled--) {
		int err = ring.take(ring.ctx, &ring.body, ring.size);

		ring.taken++;
		if (err < 0) {
			ring.filled--;
			return err;
		}
	}
	return 0;
}

static struct sideband *sideband;
static u32 handed_on;
static size_t last_size;

static void count(void *ctx, const void *body, size_t size)
{
	(void)ctx;
	CHECK(!memcmp(body, &ring.body, size));
	handed_on++;
	last_size = size;
}

static struct intake *intake_of(u32 type, u32 size, u32 filled, u64 max_pending)
{
	struct intake *in = NULL;

	memset(&ring, 0, sizeof(ring));
	ring.body.copy.body.type = type;
	ring.size = size;
	ring.filled = filled;
	handed_on = 0;
	sideband = sideband_none();
	CHECK_EQ(intake_open(&in, sideband, max_pending, NULL), 0);
	CHECK_EQ(intake_add_ring(in, 0, RING, NULL), 0);
	return in;
}

static void end(struct intake *in)
{
	intake_close(in);
	sideband_close(sideband);
}

static void takes_all_that_was_there(void)
{
	struct intake *in = intake_of(WICK_BODY_HOP, 56, RING / 64, UINT64_MAX);

	intake_take(in, count, NULL);
	CHECK_EQ(handed_on, RING / 64);
	CHECK_EQ(ring.filled, 0);
	end(in);
}

static void a_ring_without_end_is_left_when_as_much_as_it_holds_is_taken(void)
{
	struct intake *in = intake_of(WICK_BODY_HOP, 56, ENDLESS, UINT64_MAX);

	intake_take(in, count, NULL);
	CHECK_EQ(handed_on, RING / 64);
	intake_take(in, count, NULL);
	CHECK_EQ(handed_on, 2 * RING / 64);
	CHECK_EQ(ring.taken, handed_on); /* what is counted as taken is handed on */
	end(in);
}

static void what_may_not_wait_stays_in_the_ring(void)
{
	struct intake *in = intake_of(WICK_BODY_HOP, 56, ENDLESS, 640);

	intake_take(in, count, NULL);
	CHECK_EQ(handed_on, 10);
	CHECK_EQ(ring.taken, handed_on);
	end(in);
}

static void of_a_copy_what_was_read_is_kept(void)
{
	struct intake *in = intake_of(WICK_BODY_STACK_COPY, sizeof(ring.body), 1, UINT64_MAX);

	ring.body.copy.body.nr = WICK_COPY_PAGE;
	intake_take(in, count, NULL);
	CHECK_EQ(handed_on, 1);
	CHECK_EQ(last_size, sizeof(struct wick_copy_body) + WICK_COPY_PAGE);
	end(in);
}

int main(void)
{
	RUN(takes_all_that_was_there);
	RUN(a_ring_without_end_is_left_when_as_much_as_it_holds_is_taken);
	RUN(what_may_not_wait_stays_in_the_ring);
	RUN(of_a_copy_what_was_read_is_kept);
	return test_status();
}
