/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind_rows.h: the unwind rows that user space has put where programs can read them
 * (include/unwind.h has their format). They lie in chunks of 1 MB, which are made when they are
 * needed; each region, a part of a file, has its rows in one of them, or has none at the moment.
 * User space takes away what was not used for longest, and gives the room to others when no program
 * that might read there is running any more.
 */
#ifndef UNWIND_ROWS_H
#define UNWIND_ROWS_H

#include "maps.h"
#include "unwind.h"

/*
 * Sizes, since libbpf 1.1 does not resolve the types of an inner map's members. User space makes
 * the maps.
 */
struct chunk_map {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(u32));
	__uint(value_size, WICK_CHUNK_WORDS * sizeof(u32));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, WICK_CHUNKS);
	__type(key, u32);
	__array(values, struct chunk_map);
} chunks __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WICK_REGIONS);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, u32);
	__type(value, struct wick_region);
} regions __weak SEC(".maps");

/* A coarse time, which user space sets. */
u32 rows_clock __weak = 0;

/* Most find the time noted already. */
static __always_inline void note_use(u32 *when)
{
	u32 now = rows_clock;

	if (*when != now)
		*when = now;
}

/* A region's words. */
struct rows {
	const u32 *chunk;
	u32 first;
};

static __always_inline __u32 rows_word(const void *words, __u32 at)
{
	const struct rows *rows = words;

	at += rows->first;
	asm volatile("" : "+r"(at)); /* keeps the test below apart from the callers' */
	return at < WICK_CHUNK_WORDS ? rows->chunk[at] : 0;
}

/* Which region of a file has the rows for an offset; WICK_REGIONS: none has. */
static __always_inline u32 region_of(const struct wick_file *file, u64 offset)
{
	u64 segment = (offset >> WICK_SEGMENT_BITS) - file->first_segment;

	return segment < file->nr_segments ? file->first_region + (u32)segment : WICK_REGIONS;
}

/* False where there are none at the moment. */
static __always_inline bool rows_find(struct rows *rows, const struct wick_region *region)
{
	u32 place = *(const volatile u32 *)&region->place, zero = 0;
	u32 chunk = (place & ~WICK_ROWS_HERE) >> WICK_CHUNK_BITS;
	void *map;

	if (!(place & WICK_ROWS_HERE))
		return false;
	map = bpf_map_lookup_elem(&chunks, &chunk);
	if (!map)
		return false;
	rows->first = place & (WICK_CHUNK_WORDS - 1);
	rows->chunk = bpf_map_lookup_elem(map, &zero);
	return rows->chunk;
}

#endif
