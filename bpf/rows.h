/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rows.h: the unwind rows that user space has put where programs can read them (include/unwind.h has their
 * format). They lie in chunks of 1 MB, which are made when they are needed; each region, a part of a
 * file, has its rows in one of them.
 */
#ifndef ROWS_H
#define ROWS_H

#include "mappings.h"
#include "unwind.h"

/* Sizes, since libbpf 1.1 does not resolve the types of an inner map's members. User space makes the maps. */
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
	__type(key, u32);
	__type(value, struct wick_region);
} regions __weak SEC(".maps");

/* A region's words. */
struct rows {
	const u32 *chunk;
	u32 first;
};

static __always_inline __u32 rows_word(const void *words, __u32 at)
{
	const struct rows *rows = words;

	at += rows->first;
	asm volatile("" : "+r"(at)); /* the test below shall not be folded into the callers' */
	return at < WICK_CHUNK_WORDS ? rows->chunk[at] : 0;
}

/* The region of a file that has the rows for an offset; NULL: it has none there. */
static __always_inline struct wick_region *region_of(const struct wick_file *file, u64 offset)
{
	u64 segment = (offset >> WICK_SEGMENT_BITS) - file->first_segment;
	u32 region = file->first_region + (u32)segment;

	if (segment >= file->nr_segments)
		return NULL;
	return bpf_map_lookup_elem(&regions, &region);
}

static __always_inline const u32 *chunk_of(const struct wick_region *region)
{
	u32 chunk = region->chunk, zero = 0;
	void *map = bpf_map_lookup_elem(&chunks, &chunk);

	return map ? bpf_map_lookup_elem(map, &zero) : NULL;
}

#endif
