/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "counts.h"

#include <bpf/bpf.h>
#include <time.h>

enum {
	BATCH = 4096,
	TRIES = 5, /* of a bucket that is locked, with a pause before each but the first */
	PAUSE_NS = 1000 * 1000,
	MAX_LOCKED = 16, /* buckets; each try can take the kernel a quarter of a second */
};

int counts_init(struct counts *c, int outer_fd, u32 max_keys, struct error *error)
{
	u32 slot = 0;

	*c = (struct counts){
		.outer = outer_fd,
		.inner = {-1, -1},
		.max_keys = max_keys,
		.batch_room = BATCH,
	};
	for (int i = 0; i < 2; i++) {
		c->inner[i] =
			bpf_map_create(BPF_MAP_TYPE_HASH, "wick_counts", sizeof(struct wick_key),
				       sizeof(struct wick_columns), max_keys, NULL);
		if (c->inner[i] < 0)
			return fail(error, -errno, "cannot create a BPF map of %u counts: %s",
				    max_keys, strerror(errno));
	}
	if (bpf_map_update_elem(outer_fd, &slot, &c->inner[0], BPF_ANY))
		return fail(error, -errno, "cannot set the BPF map of counts: %s", strerror(errno));
	c->keys = xcalloc(c->batch_room, sizeof(*c->keys));
	c->columns = xcalloc(c->batch_room, sizeof(*c->columns));
	return 0;
}

int counts_flip(struct counts *c)
{
	u32 slot = 0, next = !c->active;

	if (bpf_map_update_elem(c->outer, &slot, &c->inner[next], BPF_ANY)) {
		c->left[c->active] = 1;
		return -errno;
	}
	c->active = next;
	return 0;
}

/* A bucket holds more than a batch has room for: the kernel asks for a larger one. */
static void grow_batch(struct counts *c)
{
	c->batch_room *= 2;
	c->keys = xrealloc(c->keys, c->batch_room, sizeof(*c->keys));
	c->columns = xrealloc(c->columns, c->batch_room, sizeof(*c->columns));
}

static void pause_for_lock(void)
{
	nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
}

/* With any other error, the kernel has not said how many entries it returned. */
static bool is_after_entries(int err)
{
	return !err || err == -ENOENT || err == -ETIMEDOUT || err == -EDEADLK || err == -EBUSY;
}

/*
 * One batch, from *position on: a bucket's number. 0, -ENOENT at the end, or why the bucket at
 * *position could not be read. What came before it has been handed on.
 */
static int take_batch(struct counts *c, int map, u32 *position, counts_sink *count, void *ctx)
{
	LIBBPF_OPTS(bpf_map_batch_opts, options);
	u32 nr = c->batch_room;
	int err = bpf_map_lookup_and_delete_batch(map, position, position, c->keys, c->columns, &nr,
						  &options)
			  ? -errno
			  : 0;

	for (u32 i = 0; is_after_entries(err) && i < nr; i++)
		count(ctx, &c->keys[i], &c->columns[i]);
	return err;
}

u32 counts_drain(struct counts *c, counts_sink *count, void *ctx)
{
	u32 which = !c->active, position = 0, at = 0, tries = 0, left = 0;

	while (left < MAX_LOCKED) {
		int err = take_batch(c, c->inner[which], &position, count, ctx);

		if (err == -ENOENT)
			break;
		if (err == -ENOSPC && c->batch_room <= c->max_keys) {
			grow_batch(c);
			continue;
		}
		if (!err)
			continue;
		tries = position == at ? tries + 1 : 1;
		at = position;
		if (tries < TRIES) {
			pause_for_lock();
			continue;
		}
		left++;
		position++;
	}
	c->left[which] = left;
	return left;
}

u32 counts_left(const struct counts *c)
{
	return c->left[0] + c->left[1];
}

void counts_release(struct counts *c)
{
	for (int i = 0; i < 2; i++)
		if (c->inner[i] > 0)
			close(c->inner[i]);
	free(c->keys);
	free(c->columns);
	*c = (struct counts){.inner = {-1, -1}};
}
