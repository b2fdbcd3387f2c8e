/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "counts.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>
#include <time.h>

enum {
	BATCH = 4096,
	TRIES = 5, /* of a bucket that is locked, with a pause before each but the first */
	PAUSE_NS = 1000 * 1000,
	MAX_LOCKED = 16, /* buckets; each try can take the kernel a quarter of a second */
	/* A program takes microseconds, more where its CPU or virtual CPU is taken away. */
	LOOKS = 10,
	LOOK_EVERY_NS = 100 * 1000,
};

static int map_slots(struct counts *c, int fd)
{
	size_t size = c->nr_slots * sizeof(*c->slots);
	void *memory = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (memory == MAP_FAILED)
		return -errno;
	c->slots = memory;
	return 0;
}

void counts_set_sizes(struct counts_maps maps, u32 max_keys)
{
	for (int i = 0; i < 2; i++)
		bpf_map__set_max_entries(maps.counts[i], max_keys);
	bpf_map__set_max_entries(maps.slots, (u32)max(libbpf_num_possible_cpus(), 1));
}

int counts_init(struct counts *c, struct counts_maps maps, u32 *generation, struct error *error)
{
	int err;

	*c = (struct counts){
		.map = {bpf_map__fd(maps.counts[0]), bpf_map__fd(maps.counts[1])},
		.generation = generation,
		.nr_slots = bpf_map__max_entries(maps.slots),
		.max_keys = bpf_map__max_entries(maps.counts[0]),
		.batch_room = BATCH,
	};
	err = map_slots(c, bpf_map__fd(maps.slots));
	if (err)
		return fail(error, err, "cannot map a BPF map of slots: %s", strerror(-err));
	c->keys = xcalloc(c->batch_room, sizeof(*c->keys));
	c->columns = xcalloc(c->batch_room, sizeof(*c->columns));
	return 0;
}

static void pause_for(long ns)
{
	nanosleep(&(struct timespec){.tv_nsec = ns}, NULL);
}

u32 counts_used(const struct counts *c)
{
	u32 old = WICK_SLOT_USED + !*c->generation, nr = 0;

	for (u32 cpu = 0; cpu < c->nr_slots; cpu++)
		for (u32 i = 0; i < WICK_SCRATCH_LEVELS; i++) {
			u32 use = __atomic_load_n(&c->slots[cpu].used[i], __ATOMIC_ACQUIRE);

			nr += use == WICK_SLOT_TAKEN || use == old;
		}
	return nr;
}

bool counts_wait(const struct counts *c)
{
	return c->is_waiting;
}

int counts_flip(struct counts *c)
{
	if (!c->is_waiting)
		__atomic_store_n(c->generation, !*c->generation, __ATOMIC_SEQ_CST);
	c->is_waiting = true;
	/*
	 * Pauses before the first look and after the last one: longer than a store takes to be seen
	 * where the processor keeps no order, and a program cannot ask for it (arm64 before 5.18).
	 */
	for (u32 i = 0; i < LOOKS && c->is_waiting; i++) {
		pause_for(LOOK_EVERY_NS);
		c->is_waiting = counts_used(c) != 0;
	}
	pause_for(LOOK_EVERY_NS);
	return c->is_waiting ? -EAGAIN : 0;
}

/* A bucket holds more than a batch has room for: the kernel asks for a larger one. */
static void grow_batch(struct counts *c)
{
	c->batch_room *= 2;
	c->keys = xrealloc(c->keys, c->batch_room, sizeof(*c->keys));
	c->columns = xrealloc(c->columns, c->batch_room, sizeof(*c->columns));
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
	u32 which = !*c->generation, position = 0, at = 0, tries = 0, left = 0;

	while (left < MAX_LOCKED) {
		int err = take_batch(c, c->map[which], &position, count, ctx);

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
			pause_for(PAUSE_NS);
			continue;
		}
		left++;
		position++;
	}
	c->is_waiting = false;
	c->left[which] = left;
	return left;
}

u32 counts_left(const struct counts *c)
{
	return c->left[0] + c->left[1];
}

void counts_release(struct counts *c)
{
	if (c->slots)
		munmap((void *)c->slots, c->nr_slots * sizeof(*c->slots));
	free(c->keys);
	free(c->columns);
	*c = (struct counts){};
}
