/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * batch.c: multikey quicksort (Bentley and Sedgewick, "Fast Algorithms for Sorting and Searching
 * Strings", 1997), eight bytes at a time, which are kept beside each reference so that a comparison
 * does not touch the text.
 */
#include "batch.h"

#include "base/table.h"

#include <endian.h>

enum { LEAST = 2 << 20, MOST = 96 << 20, MOST_OF_UNKNOWN = 48 << 20 /* bytes */ };
/* A batch is full once it has that much: the stack that fills it goes beyond. */
enum { LAST_STACK = 1 << 20 /* bytes; longer ones move the text, which splits its huge pages */ };
enum { LARGE = 16 << 20 /* bytes: worth huge pages */ };
enum { FEW = 8 /* stacks */ };

void batch_release(struct batch *b)
{
	vec_release(&b->text);
	vec_release(&b->stacks);
}

void batch_clear(struct batch *b)
{
	b->text.nr = 0;
	b->stacks.nr = 0;
	b->unsorted = false;
}

bool batch_is_full(const struct batch *b)
{
	return b->text.nr >= (b->most ? b->most : MOST_OF_UNKNOWN);
}

void batch_expect(struct batch *b, size_t size)
{
	b->most = size ? min(max(size / 3, (size_t)LEAST), (size_t)MOST) : 0;
}

static int compare(const struct batch *b, const struct batch_stack *x, const struct batch_stack *y,
		   size_t from)
{
	struct string s = batch_text(b, x), t = batch_text(b, y);
	size_t both = min(s.size, t.size);
	int order = both > from ? memcmp(s.s + from, t.s + from, both - from) : 0;

	return order ? order : (s.size > t.size) - (s.size < t.size);
}

/* Of the room for all of it only what is used takes memory; the sort reads anywhere in it. */
static void reserve_text(struct batch *b)
{
	vec_reserve(&b->text, (b->most ? b->most : MOST_OF_UNKNOWN) + (size_t)LAST_STACK);
	if (b->text.room >= LARGE)
		prefer_huge_pages(b->text.at, b->text.room);
}

static u32 add_text(struct batch *b, struct string stack, struct batch_counts counts)
{
	size_t at = b->text.nr + sizeof(counts);

	if (!b->text.at)
		reserve_text(b);
	vec_reserve(&b->text, sizeof(counts) + stack.size + sizeof(u64));
	memcpy(b->text.at + b->text.nr, &counts, sizeof(counts));
	memcpy(b->text.at + at, stack.s, stack.size);
	b->text.nr = at + stack.size;
	return (u32)at;
}

void batch_add(struct batch *b, struct string stack, struct batch_counts counts)
{
	struct batch_stack *new = vec_add(&b->stacks);

	new->at = add_text(b, stack, counts);
	new->size = (u32)stack.size;
	if (!b->unsorted && b->stacks.nr > 1)
		b->unsorted = compare(b, new - 1, new, 0) > 0;
}

size_t common_bytes(const char *a, const char *b, size_t size)
{
	size_t i = 0;
	u64 x, y;

	for (; size - i >= sizeof(x); i += sizeof(x)) {
		memcpy(&x, a + i, sizeof(x));
		memcpy(&y, b + i, sizeof(y));
		if (x != y)
			break;
	}
	while (i < size && a[i] == b[i])
		i++;
	return i;
}

/* The eight bytes from `from` on, zeros behind the end. */
static u64 word_at(const struct batch *b, const struct batch_stack *stack, size_t from)
{
	size_t left = stack->size > from ? stack->size - from : 0;
	u64 word;

	if (!left)
		return 0;
	memcpy(&word, b->text.at + stack->at + from, sizeof(word));
	word = be64toh(word);
	return left < sizeof(word) ? word & ~(UINT64_MAX >> 8 * left) : word;
}

static void sort_few(const struct batch *b, struct batch_stack *stacks, size_t nr, size_t from)
{
	for (size_t i = 1; i < nr; i++) {
		struct batch_stack moved = stacks[i];
		size_t to = i;

		while (to && compare(b, &moved, &stacks[to - 1], from) < 0) {
			stacks[to] = stacks[to - 1];
			to--;
		}
		stacks[to] = moved;
	}
}

static void swap_stacks(struct batch_stack *x, struct batch_stack *y)
{
	struct batch_stack kept = *x;

	*x = *y;
	*y = kept;
}

/* [0, less) are below the pivot, [less, more) are equal to it. */
struct parts {
	size_t less, more;
};

/* The pivot is any one: a file whose sort takes quadratic time cannot be prepared. */
static struct parts split(struct batch_stack *stacks, size_t nr)
{
	u64 pivot = stacks[hash_u64(nr) % nr].word;
	struct parts p = {.less = 0, .more = nr};

	for (size_t i = 0; i < p.more;) {
		if (stacks[i].word < pivot)
			swap_stacks(&stacks[p.less++], &stacks[i++]);
		else if (stacks[i].word > pivot)
			swap_stacks(&stacks[i], &stacks[--p.more]);
		else
			i++;
	}
	return p;
}

/* Stacks lie anywhere in the text: their bytes are on their way before they are needed. */
static void fetch_ahead(const struct batch *b, const struct batch_stack *stacks, size_t nr,
			size_t i, size_t from)
{
	enum { AHEAD = 16 };

	if (i + AHEAD < nr)
		__builtin_prefetch(b->text.at + stacks[i + AHEAD].at + from);
}

struct range {
	struct batch_stack *stacks;
	size_t nr;
	size_t from; /* all have the same bytes before */
};

/* Names are longer than words: what all of them have in common, too, is passed over at once. */
static void skip_common(const struct batch *b, struct range *range)
{
	struct string first = batch_text(b, &range->stacks[0]);
	size_t end = first.size;

	for (size_t i = 1; i < range->nr && end > range->from; i++) {
		struct string s = batch_text(b, &range->stacks[i]);
		size_t both = min(s.size, end);

		fetch_ahead(b, range->stacks, range->nr, i, range->from);
		end = both > range->from
			      ? range->from + common_bytes(s.s + range->from, first.s + range->from,
							   both - range->from)
			      : range->from;
	}
	range->from = max(range->from, end);
}

/* Stacks that end here are equal. False: all do. */
static bool take_words(const struct batch *b, struct range *range)
{
	bool more = false;

	for (size_t i = 0; i < range->nr; i++) {
		fetch_ahead(b, range->stacks, range->nr, i, range->from);
		range->stacks[i].word = word_at(b, &range->stacks[i], range->from);
		more |= range->stacks[i].size > range->from;
	}
	return more;
}

/* The largest part last: the others, of at most a half, go deeper. */
static void order_parts(struct range *parts)
{
	for (size_t i = 0; i < 2; i++) {
		struct range kept = parts[i];

		if (kept.nr > parts[2].nr) {
			parts[i] = parts[2];
			parts[2] = kept;
		}
	}
}

static void sort(const struct batch *b, struct range range)
{
	while (range.nr > FEW) {
		struct parts p = split(range.stacks, range.nr);
		struct range parts[] = {
			{range.stacks, p.less, range.from},
			{range.stacks + p.more, range.nr - p.more, range.from},
			{range.stacks + p.less, p.more - p.less, range.from + sizeof(u64)},
		};

		skip_common(b, &parts[2]);
		if (!take_words(b, &parts[2]))
			parts[2].nr = 0;
		order_parts(parts);
		sort(b, parts[0]);
		sort(b, parts[1]);
		range = parts[2];
	}
	sort_few(b, range.stacks, range.nr, range.from);
}

void batch_sort(struct batch *b)
{
	struct range all = {b->stacks.at, b->stacks.nr, 0};

	if (!b->unsorted)
		return;
	skip_common(b, &all);
	take_words(b, &all);
	sort(b, all);
}
