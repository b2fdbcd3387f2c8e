/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * intern.h: bodies are hashed to 64 bits, sent once, and counted by id from then on.
 *
 * The hash has four lanes of xor and multiply, eight words a step: the lanes hide the multiplier's
 * latency, which makes it three times as fast as one lane over 127 frames. The run's seed goes
 * into each lane again after every word, because with a seed at the start alone chosen bit flips
 * cancel out.
 *
 * `seen` is a cache, not a table: each id has two slots, found by its low and its high bits, and a
 * stranger in them means only that the body is sent once more. So it is never full, needs no lock,
 * and works in NMI. A slot is marked after the body went out, never before: what the ring refused
 * is sent the next time its id comes up. The window's epoch is part of what is stored, so that a
 * new epoch forgets everything at once.
 */
#ifndef INTERN_H
#define INTERN_H

#include "share.h"

enum { HASH_STEP = 8 }; /* words; what is hashed is padded with zeros to a multiple of it */

static __always_inline u64 hash_lane(u64 lane, u64 a, u64 b)
{
	lane = (lane ^ a) * 0x9e3779b97f4a7c15ull;
	lane ^= lane >> 32;
	lane += hash_seed;
	lane = (lane ^ b) * 0xd6e8feb86659fd93ull;
	lane ^= lane >> 29;
	return lane + hash_seed;
}

struct hash_state {
	u64 lane[4];
};

static __always_inline void hash_begin(struct hash_state *h, u64 a, u64 b)
{
	h->lane[0] = hash_lane(hash_seed, a, b);
	h->lane[1] = hash_seed ^ 0xa0761d6478bd642full;
	h->lane[2] = hash_seed ^ 0xe7037ed1a0b428dbull;
	h->lane[3] = hash_seed ^ 0x8ebc6af09c88c6e3ull;
}

static __always_inline void hash_step(struct hash_state *h, const u64 *words)
{
	h->lane[0] = hash_lane(h->lane[0], words[0], words[1]);
	h->lane[1] = hash_lane(h->lane[1], words[2], words[3]);
	h->lane[2] = hash_lane(h->lane[2], words[4], words[5]);
	h->lane[3] = hash_lane(h->lane[3], words[6], words[7]);
}

/* Never 0, which stands for "none", nor WICK_LOST_STACK. */
static __always_inline u64 hash_end(const struct hash_state *h)
{
	u64 id = hash_lane(h->lane[0], h->lane[1], h->lane[2]);

	id = hash_lane(id, h->lane[3], id >> 31);
	return id > WICK_LOST_STACK ? id : id + WICK_LOST_STACK + 1;
}

/*
 * A stack, as it is sent; after the last frame there is room for what pads it to a step of the
 * hash.
 */
struct stack {
	struct wick_stack_body head;
	u64 frames[WICK_USER_FRAMES + HASH_STEP];
};

/* The step that begins at word `at`. */
VERIFIED_ONCE int hash_frames(struct hash_state *h, const struct stack *stack, u32 at)
{
	if (h && stack && at <= WICK_USER_FRAMES)
		hash_step(h, stack->frames + at);
	return 0;
}

/* Its frames, and two words that tell whose they are. */
VERIFIED_ONCE u64 stack_hash(const struct stack *stack, u32 nr, u64 a, u64 b)
{
	struct hash_state h;

	if (!stack)
		return 0;
	hash_begin(&h, a ^ nr, b);
	for (u32 at = 0; at <= WICK_USER_FRAMES; at += HASH_STEP) {
		if (at >= nr)
			break;
		hash_frames(&h, stack, at);
	}
	return hash_end(&h);
}

static __always_inline u64 seen_mark(u64 id)
{
	return id + window.epoch * 0x9e3779b97f4a7c15ull;
}

/* Whether the body of an id has been sent in this epoch, as far as the cache still knows. */
static __always_inline bool was_seen(u64 id)
{
	u32 low = id % WICK_SEEN_SLOTS, high = (id >> 40) % WICK_SEEN_SLOTS;
	u64 *a = bpf_map_lookup_elem(&seen, &low), *b = bpf_map_lookup_elem(&seen, &high);
	u64 mark = seen_mark(id);

	return a && b && (*a == mark || *b == mark);
}

/*
 * The last quarter of the ring is not for what is sent each time: a program can send that without
 * end.
 */
static __always_inline bool ring_is_nearly_full(void)
{
	u64 size = bpf_ringbuf_query(&bodies, BPF_RB_RING_SIZE);

	return bpf_ringbuf_query(&bodies, BPF_RB_AVAIL_DATA) > size - size / 4;
}

static __always_inline u64 wakeup_flag(void)
{
	u64 size = bpf_ringbuf_query(&bodies, BPF_RB_RING_SIZE);

	/* User space looks in regularly; it is woken only when the ring fills faster than that. */
	return bpf_ringbuf_query(&bodies, BPF_RB_AVAIL_DATA) > size / 4 ? BPF_RB_FORCE_WAKEUP
									: BPF_RB_NO_WAKEUP;
}

static __always_inline void body_begin(struct wick_body *body, u32 type, u32 nr, u64 id, u64 time)
{
	body->type = type;
	body->nr = nr;
	body->id = id;
	body->time = time;
}

/*
 * Sends the body, of `size` bytes, if this epoch has not seen its id. False where that would be
 * `charge` bytes more than the share has room for; `charge` 0: it is sent in any case.
 */
static __always_inline bool intern(struct wick_body *body, u32 size, u32 charge,
				   struct wick_counters *tally)
{
	u32 low = body->id % WICK_SEEN_SLOTS, high = (body->id >> 40) % WICK_SEEN_SLOTS;
	u64 *a = bpf_map_lookup_elem(&seen, &low), *b = bpf_map_lookup_elem(&seen, &high);
	u64 mark = seen_mark(body->id);

	if (!a || !b || *a == mark || *b == mark)
		return true;
	if (charge && !within_share(charge, body->time)) {
		tally->at[WICK_LOST_SHARE]++;
		return false;
	}
	if (bpf_ringbuf_output(&bodies, body, size, wakeup_flag())) {
		tally->at[WICK_LOST_BODY]++;
		return true;
	}
	/* The newest id goes into the first slot and pushes the previous one to the second. */
	*b = *a;
	*a = mark;
	return true;
}

/*
 * Hashes a stack, with two words that tell whose it is, and sends it if it is new. Its head has
 * type, number of frames, time and all but the id, which is returned: WICK_LOST_STACK where it is
 * more than the share has room for.
 */
VERIFIED_ONCE u64 stack_intern(struct stack *stack, struct wick_counters *tally, u64 a, u64 b)
{
	u32 nr, size;

	if (!stack || !tally)
		return 0;
	nr = stack->head.body.nr;
	if (nr > WICK_USER_FRAMES)
		return 0;
	/* What an earlier capture left is not hashed. */
	for (u32 i = 0; i < HASH_STEP; i++)
		stack->frames[nr + i] = 0;
	stack->head.body.id = stack_hash(stack, nr, a ^ stack->head.body.type, b);
	size = sizeof(stack->head) + nr * sizeof(u64);
	return intern(&stack->head.body, size, size, tally) ? stack->head.body.id : WICK_LOST_STACK;
}

#endif
