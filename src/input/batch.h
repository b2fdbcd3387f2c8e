/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch.h: folded stacks, or such as unsorted.c codes, to be taken in the order of their bytes.
 *
 * A stack that comes after its neighbor shares most of its frames with it, so that their nodes need
 * not be looked up. To sort a batch costs less than these lookups, which miss the caches.
 */
#ifndef INPUT_BATCH_H
#define INPUT_BATCH_H

#include "base/strings.h"
#include "base/vec.h"

/* Zero-initialized is empty. */
struct batch {
	VEC(char) text; /* each stack's counts and bytes; with room for a word behind it */
	struct batch_stacks {
		VEC_FIELDS(struct batch_stack);
	} stacks;
	bool unsorted;
	size_t most; /* bytes; 0: it is not known what comes */
};

/* Small, since the sort moves them: the rest is beside the bytes. */
struct batch_stack {
	u64 word; /* the sort's own */
	u32 at;	  /* of its bytes, in text */
	u32 size;
};

struct batch_counts {
	u64 value;
	u64 before;  /* of a differential: its first count */
	u32 callers; /* unsorted.c's own: how many are coded */
};

void batch_release(struct batch *b);
/* Empty again; keeps the memory. */
void batch_clear(struct batch *b);
bool batch_is_full(const struct batch *b);
/*
 * For an input of so many bytes, before the first stack. Of large ones more is sorted at once, so
 * that stacks come to the same nodes less often; of others less, for the memory.
 */
void batch_expect(struct batch *b, size_t size);
/* Copies the stack. */
void batch_add(struct batch *b, struct string stack, struct batch_counts counts);
/* By their bytes; where those differ in NULs at their ends only, in any order. */
void batch_sort(struct batch *b);

/* How many bytes both begin with. */
size_t common_bytes(const char *a, const char *b, size_t size);

static inline struct string batch_text(const struct batch *b, const struct batch_stack *stack)
{
	return (struct string){b->text.at + stack->at, stack->size};
}

/* For who takes them some time later. */
static inline void batch_prefetch(const struct batch *b, const struct batch_stack *stack)
{
	enum { LINE = 64, MOST = 12 * LINE };
	const char *at = b->text.at + stack->at - sizeof(struct batch_counts);
	size_t size = stack->size + sizeof(struct batch_counts);

	for (size_t i = 0; i < size && i < MOST; i += LINE)
		__builtin_prefetch(at + i);
}

static inline struct batch_counts batch_counts(const struct batch *b,
					       const struct batch_stack *stack)
{
	struct batch_counts counts;

	memcpy(&counts, b->text.at + stack->at - sizeof(counts), sizeof(counts));
	return counts;
}

#endif
