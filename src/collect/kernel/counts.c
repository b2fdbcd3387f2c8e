/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "counts.h"

#include <bpf/bpf.h>

enum { BATCH = 4096 };

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

	if (bpf_map_update_elem(c->outer, &slot, &c->inner[next], BPF_ANY))
		return -errno;
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

int counts_drain(struct counts *c,
		 void (*count)(void *ctx, const struct wick_key *key,
			       const struct wick_columns *columns),
		 void *ctx)
{
	LIBBPF_OPTS(bpf_map_batch_opts, options);
	int old = c->inner[!c->active];
	u32 position = 0;
	bool first = true;

	for (;;) {
		u32 nr = c->batch_room;
		int err = bpf_map_lookup_and_delete_batch(old, first ? NULL : &position, &position,
							  c->keys, c->columns, &nr, &options);

		if (err && errno == ENOSPC && c->batch_room <= c->max_keys) {
			grow_batch(c);
			continue;
		}
		if (err && errno != ENOENT)
			return -errno;
		for (u32 i = 0; i < nr; i++)
			count(ctx, &c->keys[i], &c->columns[i]);
		if (err)
			return 0;
		first = false;
	}
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
