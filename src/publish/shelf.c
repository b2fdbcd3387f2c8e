/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "shelf.h"

#include "room.h"

enum {
	CLOCK_SHIFT = 26,		    /* 67 ms */
	IDLE = NSEC_PER_SEC >> CLOCK_SHIFT, /* not used for so long: may leave */
	CHUNK_BYTES = WICK_CHUNK_WORDS * sizeof(u32),
};

struct shelf {
	struct shelf_memory memory;
	struct room words, numbers; /* of rows; of regions */
	u32 max_chunks;
	u32 *chunks[WICK_CHUNKS];
	u32 sizes[WICK_REGIONS]; /* words that a region's rows take */
	/* Unlinked, and not to be given away yet. */
	VEC(struct room_span) leaving_words, leaving_numbers;
	VEC(u32) wanting; /* regions whose rows there was no room for */
	bool wants[WICK_REGIONS];
	u32 now;
	u64 nr_regions, nr_evicted;
};

struct shelf *shelf_new(const struct shelf_memory *memory, u64 max_bytes)
{
	struct shelf *s = xcalloc(1, sizeof(*s));

	s->memory = *memory;
	s->max_chunks = (u32)min(max(max_bytes / CHUNK_BYTES, (u64)1), (u64)WICK_CHUNKS);
	room_init(&s->words, WICK_CHUNK_WORDS);
	room_init(&s->numbers, WICK_REGIONS);
	room_grow(&s->numbers);
	return s;
}

void shelf_free(struct shelf *s)
{
	if (!s)
		return;
	room_release(&s->words);
	room_release(&s->numbers);
	vec_release(&s->leaving_words);
	vec_release(&s->leaving_numbers);
	vec_release(&s->wanting);
	free(s);
}

void shelf_tick(struct shelf *s, u64 now_ns)
{
	s->now = (u32)(now_ns >> CLOCK_SHIFT);
	if (*s->memory.clock != s->now)
		__atomic_store_n(s->memory.clock, s->now, __ATOMIC_RELAXED);
}

bool shelf_is_idle(const struct shelf *s, u32 used)
{
	return (s32)(s->now - used) > IDLE;
}

static u32 place_of(const struct wick_region *region)
{
	return region->place & ~WICK_ROWS_HERE;
}

bool shelf_has(const struct shelf *s, u32 region)
{
	return s->memory.regions[region].place & WICK_ROWS_HERE;
}

/* ---- files */

int shelf_add_file(struct shelf *s, const struct unwind_table *table, u32 first_segment, u32 nr,
		   u32 *first)
{
	u32 at;

	if (!room_take(&s->numbers, max(nr, 1u), &at))
		return -ENOSPC;
	for (u32 i = 0; i < max(nr, 1u); i++) {
		struct wick_region region = {.used = s->now, .met = s->now};

		s->sizes[at + i] = nr ? unwind_table_part(table, first_segment + i,
							  WICK_SEGMENT_BITS, &region.shape)
				      : 0;
		s->memory.regions[at + i] = region;
	}
	*first = at;
	return 0;
}

static void unlink_rows(struct shelf *s, u32 number)
{
	struct wick_region *region = &s->memory.regions[number];

	*vec_add(&s->leaving_words) =
		(struct room_span){.place = place_of(region), .nr = s->sizes[number]};
	__atomic_store_n(&region->place, 0, __ATOMIC_RELAXED);
	s->nr_regions--;
}

void shelf_remove_file(struct shelf *s, u32 first, u32 nr)
{
	nr = max(nr, 1u);
	for (u32 i = first; i < first + nr; i++)
		if (shelf_has(s, i))
			unlink_rows(s, i);
	*vec_add(&s->leaving_numbers) = (struct room_span){.place = first, .nr = nr};
}

u32 shelf_file_used(const struct shelf *s, u32 first, u32 nr)
{
	u32 last = s->memory.regions[first].met;

	for (u32 i = first; i < first + nr; i++)
		if ((s32)(s->memory.regions[i].used - last) > 0)
			last = s->memory.regions[i].used;
	return last;
}

/* ---- rows */

static int take_words(struct shelf *s, u32 nr, u32 *place)
{
	u32 number = s->words.nr_chunks;
	int err;

	if (room_take(&s->words, nr, place))
		return 0;
	if (number == s->max_chunks)
		return -ENOSPC;
	err = s->memory.add_chunk(s->memory.ctx, number, &s->chunks[number]);
	if (err == -EAGAIN)
		return err;
	if (err) {
		s->max_chunks = number;
		return -ENOSPC;
	}
	room_grow(&s->words);
	return room_take(&s->words, nr, place) ? 0 : -ENOSPC;
}

static void want_room(struct shelf *s, u32 number)
{
	if (!s->wants[number])
		*vec_add(&s->wanting) = number;
	s->wants[number] = true;
}

int shelf_put(struct shelf *s, u32 number, const struct unwind_table *table, u32 segment)
{
	struct wick_region *region = &s->memory.regions[number];
	u32 nr = s->sizes[number], place;
	struct wick_unwind_shape shape;
	int err;

	if (shelf_has(s, number))
		return 0;
	if (!nr || nr > WICK_CHUNK_WORDS ||
	    unwind_table_part(table, segment, WICK_SEGMENT_BITS, &shape) != nr ||
	    memcmp(&shape, &region->shape, sizeof(shape)))
		return -EFBIG;
	err = take_words(s, nr, &place);
	if (err == -ENOSPC)
		want_room(s, number);
	if (err)
		return err;
	unwind_table_cut(table, &shape,
			 s->chunks[place / WICK_CHUNK_WORDS] + place % WICK_CHUNK_WORDS);
	region->used = s->now;
	__atomic_store_n(&region->place, place | WICK_ROWS_HERE, __ATOMIC_RELEASE);
	s->nr_regions++;
	return 0;
}

/* ---- making room */

struct idle {
	u32 age, number;
};

struct idles {
	VEC_FIELDS(struct idle);
};

static int oldest_first(const void *a, const void *b)
{
	const struct idle *x = a, *y = b;

	return x->age != y->age ? (x->age < y->age ? 1 : -1)
				: (x->number < y->number ? -1 : x->number > y->number);
}

static void find_idle(const struct shelf *s, struct idles *idles)
{
	for (u32 i = 0; i < WICK_REGIONS; i++) {
		u32 used = s->memory.regions[i].used;

		if (shelf_has(s, i) && shelf_is_idle(s, used))
			*vec_add(idles) = (struct idle){.age = s->now - used, .number = i};
	}
	vec_sort(idles, oldest_first);
}

/*
 * Those that leave are no more than what wants to come needs, tried out on a copy of the accounts:
 * it has to be room in one piece.
 */
void shelf_make_room(struct shelf *s)
{
	struct room after;
	struct idles idles = {};
	size_t next = 0;
	u32 place;

	if (!s->wanting.nr)
		return;
	after = room_copy(&s->words);
	find_idle(s, &idles);
	vec_for_each (&s->leaving_words, span)
		room_give(&after, span->place, span->nr);
	vec_for_each (&s->wanting, wanted) {
		s->wants[*wanted] = false;
		while (s->sizes[*wanted] && !room_take(&after, s->sizes[*wanted], &place) &&
		       next < idles.nr) {
			u32 number = idles.at[next++].number;

			room_give(&after, place_of(&s->memory.regions[number]), s->sizes[number]);
			unlink_rows(s, number);
			s->nr_evicted++;
		}
	}
	s->wanting.nr = 0;
	vec_release(&idles);
	room_release(&after);
}

void shelf_reclaim(struct shelf *s)
{
	vec_for_each (&s->leaving_words, span)
		room_give(&s->words, span->place, span->nr);
	vec_for_each (&s->leaving_numbers, span)
		room_give(&s->numbers, span->place, span->nr);
	s->leaving_words.nr = s->leaving_numbers.nr = 0;
}

struct shelf_stats shelf_stats(const struct shelf *s)
{
	return (struct shelf_stats){
		.bytes = (u64)s->words.used * sizeof(u32),
		.max_bytes = (u64)s->max_chunks * CHUNK_BYTES,
		.nr_regions = s->nr_regions,
		.nr_evicted = s->nr_evicted,
	};
}
