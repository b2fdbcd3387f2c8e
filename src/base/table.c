/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table.h"

#include <sys/random.h>

static u64 hash_key(void)
{
	static u64 key;

	/* GRND_NONBLOCK: early at boot a weaker key is better than waiting. */
	if (!key && getrandom(&key, sizeof(key), GRND_NONBLOCK) != sizeof(key))
		key = monotonic_ns();
	key |= 1;
	return key;
}

/*
 * The finalizer of MurmurHash3 (Appleby, public domain): every input bit reaches every output bit.
 */
static u64 mix(u64 x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdull;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ull;
	return x ^ x >> 33;
}

u64 hash_u64(u64 value)
{
	return mix(value ^ hash_key());
}

/*
 * 16 bytes a step, by the 128-bit product of two words (the step of wyhash, Wang Yi, public
 * domain). Both factors have a half of the key in them: without the key, words cannot be chosen
 * that make one of them zero, or bit flips that cancel out.
 */
static u64 fold(u64 a, u64 b)
{
	unsigned __int128 product = (unsigned __int128)a * b;

	return (u64)product ^ (u64)(product >> 64);
}

static u64 word_at(const char *at)
{
	u64 word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static u64 half_word_at(const char *at)
{
	u32 word;

	memcpy(&word, at, sizeof(word));
	return word;
}

u64 hash_bytes(const void *bytes, size_t size)
{
	const char *at = bytes, *end = at + size;
	const unsigned char *u = bytes;
	u64 key = hash_key(), other = mix(key), h = key ^ size, a = 0, b = 0;

	for (; end - at > 16; at += 16)
		h = fold(word_at(at) ^ other, word_at(at + 8) ^ h);
	/* The last words overlap with those before them where they have to. */
	if (size >= 16) {
		a = word_at(end - 16);
		b = word_at(end - 8);
	} else if (size >= 8) {
		a = word_at(at);
		b = word_at(end - 8);
	} else if (size >= 4) {
		a = half_word_at(at);
		b = half_word_at(end - 4);
	} else if (size) {
		a = (u64)u[0] << 16 | (u64)u[size / 2] << 8 | u[size - 1];
	}
	return mix(fold(a ^ other, b ^ h) ^ key);
}

void table_prefetch(const struct table *t, u64 hash)
{
	if (t->slots)
		__builtin_prefetch(&t->slots[table_tag(hash) >> 1 & t->mask]);
}

static void place(struct table_slot *slots, size_t mask, struct table_slot slot)
{
	size_t at = slot.tag >> 1 & mask;

	while (slots[at].tag)
		at = (at + 1) & mask;
	slots[at] = slot;
}

enum { LARGE = 1 << 19 }; /* slots */

/* A slot keeps enough of its hash to be placed anew. */
static void grow(struct table *t)
{
	size_t mask = t->mask ? t->mask * 2 + 1 : 63;
	struct table_slot *slots;

	if (mask > UINT32_MAX)
		out_of_memory();
	slots = xcalloc(mask + 1, sizeof(*slots));
	if (mask >= LARGE)
		prefer_huge_pages(slots, (mask + 1) * sizeof(*slots));
	for (size_t i = 0; t->slots && i <= t->mask; i++)
		if (t->slots[i].tag)
			place(slots, mask, t->slots[i]);
	free(t->slots);
	t->slots = slots;
	t->mask = mask;
}

void table_insert(struct table *t, u64 hash, u32 ref)
{
	if (!t->slots || t->nr + 1 > t->mask / 4 * 3)
		grow(t);
	place(t->slots, t->mask, (struct table_slot){.tag = table_tag(hash), .ref = ref});
	t->nr++;
}

void table_release(struct table *t)
{
	free(t->slots);
	*t = (struct table){};
}
