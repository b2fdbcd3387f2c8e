/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * count.h: adds columns to the count of a key, or to the overflow cell when the key finds no place.
 */
#ifndef COUNT_H
#define COUNT_H

#include "slots.h"

/*
 * The counts of the two generations: programs count in one, user space reads and empties the other
 * (src/collect/kernel/counts.h). A program that counts has a slot: see slots.h. Those that visit
 * threads have none, since user space runs them itself. User space sets the sizes.
 */
struct counts_map {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct wick_key);
	__type(value, struct wick_columns);
};

struct counts_map counts_0 __weak SEC(".maps");
struct counts_map counts_1 __weak SEC(".maps");

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

static __always_inline struct wick_columns *columns_in(void *map, const struct wick_key *key)
{
	struct wick_columns none = {}, *found = bpf_map_lookup_elem(map, key);

	if (found)
		return found;
	/* Another CPU may insert it first; then its entry serves, whatever this call returns. */
	if (!bpf_map_update_elem(map, key, &none, BPF_NOEXIST))
		__sync_fetch_and_add(&keys_made, 1);
	return bpf_map_lookup_elem(map, key);
}

static __always_inline struct wick_columns *columns_of(const struct wick_key *key)
{
	return *(volatile u32 *)&generation ? columns_in(&counts_1, key)
					    : columns_in(&counts_0, key);
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
