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

u64 hash_bytes(const void *bytes, size_t size)
{
	const char *at = bytes;
	u64 key = hash_key(), h = key ^ size, word;

	/*
	 * The key goes in again with each word: a seed alone does not keep chosen bit flips apart.
	 */
	for (; size >= sizeof(word); at += sizeof(word), size -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		h = mix(h ^ word) + key;
	}
	word = 0;
	if (size)
		memcpy(&word, at, size);
	return mix(h ^ word);
}

static u32 tag_of(u64 hash)
{
	return (u32)(hash >> 32) | 1;
}

struct table_probe table_probe(const struct table *t, u64 hash)
{
	return (struct table_probe){
		.table = t, .tag = tag_of(hash), .at = tag_of(hash) >> 1 & t->mask};
}

bool table_next(struct table_probe *p)
{
	const struct table *t = p->table;

	while (t->slots && t->slots[p->at].tag) {
		struct table_slot slot = t->slots[p->at];

		p->at = (p->at + 1) & t->mask;
		if (slot.tag == p->tag) {
			p->ref = slot.ref;
			return true;
		}
	}
	return false;
}

static void place(struct table_slot *slots, size_t mask, struct table_slot slot)
{
	size_t at = slot.tag >> 1 & mask;

	while (slots[at].tag)
		at = (at + 1) & mask;
	slots[at] = slot;
}

/* A slot keeps enough of its hash to be placed anew. */
static void grow(struct table *t)
{
	size_t mask = t->mask ? t->mask * 2 + 1 : 63;
	struct table_slot *slots;

	if (mask > UINT32_MAX)
		out_of_memory();
	slots = xcalloc(mask + 1, sizeof(*slots));
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
	place(t->slots, t->mask, (struct table_slot){.tag = tag_of(hash), .ref = ref});
	t->nr++;
}

void table_release(struct table *t)
{
	free(t->slots);
	*t = (struct table){};
}
