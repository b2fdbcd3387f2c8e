/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * share.h: how much that is new each process and each user may have sent, so that none can use up
 * what there is for all: a program can make new stacks and new names without end, and each of them
 * has to be carried, kept and drawn.
 *
 * A share is a bucket that leaks: what is sent is poured in, and what does not fit is refused. A
 * process begins with an empty one, so what it does for the first time is sent, and what it goes on
 * doing is known by then. All processes of a user share another one, since a process costs its user
 * little. A process that comes to the row of another one takes it over; users that come to the same
 * row share it. Which row that is depends on the seed of the run.
 *
 * User space sets sizes and rates, and lowers the rates when wick itself takes too much:
 * src/collect/run/own_cost.c. What is refused is counted, and drawn as [lost stack], [lost name].
 */
#ifndef SHARE_H
#define SHARE_H

#include "maps.h"

enum {
	PROCESS_SHARES = 4096,
	USER_SHARES = 1024,
	SHARE_TICK_BITS = 20, /* a rate is of about a millisecond */
};

struct wick_limits limits __weak = {};

struct used_share {
	u64 owner;
	u64 bytes;
	u64 changes; /* bytes of struct wick_mapping_body */
	u64 at;	     /* when it leaked last */
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, PROCESS_SHARES);
	__type(key, u32);
	__type(value, struct used_share);
} process_shares __weak SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, USER_SHARES);
	__type(key, u32);
	__type(value, struct used_share);
} user_shares __weak SEC(".maps");

static __always_inline u32 share_row(u64 owner)
{
	return ((owner ^ hash_seed) * 0x9e3779b97f4a7c15ull) >> 40;
}

static __always_inline u64 leaked(u64 bytes, u64 ticks, u64 rate)
{
	u64 gone = ticks * rate;

	return bytes > gone ? bytes - gone : 0;
}

static __always_inline void leak(struct used_share *s, u64 now, u64 rate)
{
	u64 ticks = now > s->at ? (now - s->at) >> SHARE_TICK_BITS : 0;

	if (!ticks)
		return;
	s->at = now;
	s->bytes = leaked(s->bytes, ticks, rate);
	s->changes = leaked(s->changes, ticks, limits.change_rate);
}

static __always_inline bool pour(u64 *into, u64 bytes, u64 size)
{
	if (*into + bytes > size)
		return false;
	__sync_fetch_and_add(into, bytes);
	return true;
}

/* The current process's, as it is now. */
static __always_inline struct used_share *process_share(u64 now)
{
	u64 owner = bpf_get_current_pid_tgid() >> 32;
	u32 row = share_row(owner) % PROCESS_SHARES;
	struct used_share *s = bpf_map_lookup_elem(&process_shares, &row);

	if (!s)
		return NULL;
	if (s->owner != owner)
		*s = (struct used_share){.owner = owner, .at = now};
	leak(s, now, limits.process_rate);
	return s;
}

static __always_inline struct used_share *user_share(u64 now)
{
	u32 row = share_row((u32)bpf_get_current_uid_gid()) % USER_SHARES;
	struct used_share *s = bpf_map_lookup_elem(&user_shares, &row);

	if (s)
		leak(s, now, limits.user_rate);
	return s;
}

/*
 * May `bytes` more be sent for the current process? After the window wick looks at the others:
 * that is its own doing.
 */
VERIFIED_ONCE int within_share(u64 bytes, u64 now)
{
	struct used_share *process, *user;

	if (!limits.process_size || now >= window.end)
		return true;
	process = process_share(now);
	if (!process || !pour(&process->bytes, bytes, limits.process_size))
		return false;
	user = user_share(now);
	return user && pour(&user->bytes, bytes, limits.user_size);
}

/* The same of a struct wick_mapping_body, which is sent each time. */
VERIFIED_ONCE int within_change_share(u64 bytes, u64 now)
{
	struct used_share *process;

	if (!limits.change_size)
		return true;
	process = process_share(now);
	return process && pour(&process->changes, bytes, limits.change_size);
}

#endif
