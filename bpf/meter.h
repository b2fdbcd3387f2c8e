/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * meter.h: what our programs cost, measured in them. A run that walks a stack is timed each time.
 * Of the others one in METER_EVERY is, and stands for all: reading the clock once more would be a
 * tenth of what they cost. The number is odd, so that a ping-pong of two threads is timed on both
 * sides.
 *
 * A program is timed from its first reading of the clock to its end. What the kernel does to enter
 * it, 20 to 40 ns, is not in it.
 */
#ifndef METER_H
#define METER_H

#include "maps.h"

enum {
	METER_EVERY = 17,
	/* A longer run was interrupted, or the machine was not scheduled: it stands for this. */
	METER_LONGEST_NS = 200 * 1000,
};

/* A row a program. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WICK_NR_METERS);
	__type(key, u32);
	__type(value, struct wick_meter);
} meters __weak SEC(".maps");

static __always_inline u64 ns_since(u64 begin)
{
	u64 now = bpf_ktime_get_ns(), ns = now > begin ? now - begin : 0;

	return ns < METER_LONGEST_NS ? ns : METER_LONGEST_NS;
}

/* A run that did not walk, timed from `begin` on: for how many ns it stands. */
static __always_inline u64 meter_timed(struct wick_meter *m, u64 begin)
{
	u64 ns = ns_since(begin);

	m->untimed = METER_EVERY - 1;
	m->timed_runs++;
	m->timed_ns += ns;
	return ns * METER_EVERY;
}

/*
 * The end of a run that began at `begin`. Returns for how many ns, over all runs, this one stands:
 * 0 for one that was not timed.
 */
static __always_inline u64 meter_end(u32 which, bool walked, u64 begin)
{
	struct wick_meter *m = bpf_map_lookup_elem(&meters, &which);
	u64 ns;

	if (!m)
		return 0;
	if (walked) {
		ns = ns_since(begin);
		m->walks++;
		m->walk_ns += ns;
		return ns;
	}
	m->runs++;
	if (!m->untimed)
		return meter_timed(m, begin);
	m->untimed--;
	return 0;
}

/*
 * For a program that has no use for the time itself: the begin of a run, or 0 where it is not
 * timed. meter_end_begun() is its end, unless it walks.
 */
static __always_inline u64 meter_begin(u32 which)
{
	struct wick_meter *m = bpf_map_lookup_elem(&meters, &which);

	return m && !m->untimed ? bpf_ktime_get_ns() : 0;
}

static __always_inline u64 meter_end_begun(u32 which, u64 begin)
{
	struct wick_meter *m = bpf_map_lookup_elem(&meters, &which);

	if (!m)
		return 0;
	m->runs++;
	if (begin)
		return meter_timed(m, begin);
	if (m->untimed)
		m->untimed--;
	return 0;
}

#endif
