/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h: adds columns to the count of a key, or to the overflow cell when the key finds no place.
 */
#ifndef COUNT_H
#define COUNT_H

#include "maps.h"

/*
 * The counts. Slot 0 holds the map that programs count in; user space swaps it for an empty one,
 * and the system call returns when no program uses the old one any more (kernel/bpf/syscall.c,
 * maybe_wait_bpf_programs()), which can then be read and cleared without losing an increment. (The
 * inner map given here is a template, as large as it must be: user space makes the real ones. It
 * gives sizes, since libbpf 1.1 does not resolve the types of an inner map's members.)
 */
struct counts_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(struct wick_key));
	__uint(value_size, sizeof(struct wick_columns));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, 1);
	__type(key, u32);
	__array(values, struct counts_map);
} counts __weak SEC(".maps");

/* Keys that were made so far: user space drains the counts before they are full. */
u64 keys_made __weak = 0;

/*
 * Adds to a sum, which stays at its largest value once it is beyond half of that: what other CPUs
 * add at the same time, each less than 2^57, is too little for the other half.
 */
static __always_inline void sum_add(__u64 *sum, u64 value)
{
	if (!value)
		return;
	if (*(volatile __u64 *)sum >> 63)
		*(volatile __u64 *)sum = WICK_LARGEST_SUM;
	else
		__sync_fetch_and_add(sum, value);
}

static __always_inline void columns_add(struct wick_columns *to, const struct wick_columns *from,
					u32 kind)
{
	for (int i = 0; i < 2; i++)
		sum_add(&to->column[i], from->column[i]);
	if (kind != WICK_SCHED)
		sum_add(&to->column[2], from->column[2]);
	/* The longest: two CPUs at once may keep the shorter one. No sum depends on it. */
	else if (from->column[2] > to->column[2])
		to->column[2] = from->column[2];
}

static __always_inline struct wick_columns *columns_of(const struct wick_key *key)
{
	struct wick_columns none = {}, *found;
	u32 zero = 0;
	void *map = bpf_map_lookup_elem(&counts, &zero);

	if (!map)
		return NULL;
	found = bpf_map_lookup_elem(map, key);
	if (found)
		return found;
	/* Another CPU may insert it first; then its entry serves, whatever this call returns. */
	if (!bpf_map_update_elem(map, key, &none, BPF_NOEXIST))
		__sync_fetch_and_add(&keys_made, 1);
	return bpf_map_lookup_elem(map, key);
}

OWN_FRAME void count(const struct wick_key *key, const struct wick_columns *columns,
		     struct wick_counters *tally)
{
	struct wick_columns *found = columns_of(key);

	if (!found) {
		tally->at[WICK_LOST_KEY]++;
		found = &tally->overflow;
	}
	columns_add(found, columns, key->kind);
	tally->at[WICK_KEPT]++;
}

#endif
