/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "room.h"

void room_init(struct room *r, u32 chunk_size)
{
	*r = (struct room){.chunk_size = chunk_size};
}

void room_release(struct room *r)
{
	vec_release(r);
}

struct room room_copy(const struct room *r)
{
	struct room copy = *r;

	copy.at = xmemdup(r->at, r->nr * sizeof(*r->at));
	copy.room = r->nr;
	return copy;
}

/* How many holes lie before a place. */
static size_t nr_before(const struct room *r, u32 place)
{
	size_t low = 0, high = r->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (r->at[middle].place < place)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void remove_at(struct room *r, size_t i)
{
	memmove(r->at + i, r->at + i + 1, (r->nr - i - 1) * sizeof(*r->at));
	r->nr--;
}

static void insert_at(struct room *r, size_t i, u32 place, u32 nr)
{
	vec_reserve(r, 1);
	memmove(r->at + i + 1, r->at + i, (r->nr - i) * sizeof(*r->at));
	r->at[i] = (struct room_span){.place = place, .nr = nr};
	r->nr++;
}

/* Do they touch, in one chunk? */
static bool is_beside(const struct room *r, const struct room_span *left, u32 place)
{
	return left->place + left->nr == place && place % r->chunk_size;
}

static void add_hole(struct room *r, u32 place, u32 nr)
{
	size_t i = nr_before(r, place);

	/* A part that is free already: leaving it alone can only waste it. */
	if (bug(i < r->nr && place + nr > r->at[i].place) ||
	    bug(i && r->at[i - 1].place + r->at[i - 1].nr > place))
		return;
	if (i < r->nr && place + nr == r->at[i].place && (place + nr) % r->chunk_size) {
		nr += r->at[i].nr;
		remove_at(r, i);
	}
	if (i && is_beside(r, &r->at[i - 1], place))
		r->at[i - 1].nr += nr;
	else
		insert_at(r, i, place, nr);
}

void room_grow(struct room *r)
{
	add_hole(r, r->nr_chunks++ * r->chunk_size, r->chunk_size);
}

bool room_take(struct room *r, u32 nr, u32 *place)
{
	struct room_span *best = NULL;

	if (bug(!nr))
		return false;
	vec_for_each (r, hole)
		if (hole->nr >= nr && (!best || hole->nr < best->nr))
			best = hole;
	if (!best)
		return false;
	*place = best->place;
	best->place += nr;
	best->nr -= nr;
	r->used += nr;
	if (!best->nr)
		remove_at(r, (size_t)(best - r->at));
	return true;
}

void room_give(struct room *r, u32 place, u32 nr)
{
	if (bug(nr > r->used))
		return;
	add_hole(r, place, nr);
	r->used -= nr;
}
