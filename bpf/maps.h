/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps.h: the maps and settings that all instruments share. The objects are linked into one, where
 * definitions that are __weak and equal become one.
 *
 * Every map is bounded. Sizes that depend on the host are set by user space before loading.
 */
#ifndef MAPS_H
#define MAPS_H

#include "vmlinux.h"
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include "wick_glob.h"
#include "wick.h"

/*
 * A function that the verifier reads once, and not again at each call. So it takes numbers, and
 * pointers that can be NULL to memory of known size.
 */
#define VERIFIED_ONCE __weak __noinline

/*
 * A function with a frame of its own, so that its caller has a small one while it walks. Before
 * Linux 6.13 (x86-64; arm64: 6.17) all frames of a chain of calls share 512 bytes. tools/check-bpf
 * adds them up.
 */
#define OWN_FRAME static __noinline __attribute__((unused))

/*
 * Settings: constants by the time the verifier reads the programs, so that unused branches go away.
 */
const volatile struct wick_filter filter __weak = {};
const volatile struct wick_glob glob __weak = {};
const volatile struct wick_glob process_glob __weak = {};
const volatile u64 hash_seed __weak = 0;
const volatile u64 budget_ns __weak = 0; /* that programs may take of WICK_PERIOD_NS of a CPU */

/* The one window: written by user space through the mapped .bss, read by every program. */
struct wick_window window __weak = {};

/* Bodies of what is counted by id. */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} bodies __weak SEC(".maps");

/* Which ids have been sent: a cache, see intern.h. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, WICK_SEEN_SLOTS);
	__type(key, u32);
	__type(value, u64);
} seen __weak SEC(".maps");

/* A row a kind. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, WICK_NR_KINDS);
	__type(key, u32);
	__type(value, struct wick_counters);
} counters __weak SEC(".maps");

/* Members of the filters: id -> whatever. */
struct id_set {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, u32);
	__type(value, u64);
};

struct id_set pids __weak SEC(".maps");
struct id_set tids __weak SEC(".maps");
struct id_set cpus __weak SEC(".maps");

static __always_inline bool in_window(u64 now)
{
	return now >= window.begin && now < window.end;
}

/*
 * Sets a word to 1, and returns what it was. On arm64 atomic operations return a value since 5.18.
 * Programs of those before are not preempted, so for a word of this CPU's own two plain steps are
 * as good.
 */
static __always_inline u32 take_word(u32 *word)
{
	u32 was;

	if (!filter.no_exchange)
		return __sync_lock_test_and_set(word, 1);
	was = *(volatile u32 *)word;
	*(volatile u32 *)word = 1;
	return was;
}

static __always_inline struct wick_counters *counters_of(u32 kind)
{
	return bpf_map_lookup_elem(&counters, &kind);
}

#endif
