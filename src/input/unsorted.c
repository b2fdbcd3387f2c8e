/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unsorted.c: stacks are coded, sorted, and only then looked up in the tree.
 *
 *	main;run;a_function_of_its_own 12	->	#1 #2 a_function_of_its_own
 *
 * There are few functions that call others: these become numbers, so that a batch has room for most
 * files as a whole. Leaves are many, and most are seen once: they stay text, which is interned in
 * the order in which it is drawn. In sorted codes most callers are those of the stack before, which
 * need no lookup, and nodes are made beside their siblings. The numbers' order means nothing.
 */
#include "unsorted.h"

enum { KIND_BITS = 3 };
_Static_assert(NR_FRAME_KINDS <= 1 << KIND_BITS, "a kind does not fit");

void unsorted_release(struct unsorted *u)
{
	batch_release(&u->batch);
	strbuf_release(&u->coded);
	vec_release(&u->path);
}

bool unsorted_takes(const struct unsorted *u)
{
	return u->in->names->nr < UINT32_MAX >> KIND_BITS;
}

static u32 code_of(const struct tree_frame *frame)
{
	return frame->name << KIND_BITS | frame->kind;
}

static struct tree_frame frame_of(u32 code)
{
	return (struct tree_frame){.name = code >> KIND_BITS,
				   .kind = code & ((1 << KIND_BITS) - 1)};
}

static enum frame_kind kind_at(const struct unsorted *u, u32 callers)
{
	return callers ? FRAME_USER : u->first;
}

void unsorted_add(struct unsorted *u, struct string stack, struct batch_counts counts)
{
	const char *at = stack.s, *end = stack.s + stack.size, *next;

	strbuf_clear(&u->coded);
	counts.callers = 0;
	while ((next = memchr(at, ';', (size_t)(end - at)))) {
		struct tree_frame frame =
			input_frame(u->in, at, (size_t)(next - at), kind_at(u, counts.callers));
		u32 code = code_of(&frame);

		strbuf_add(&u->coded, &code, sizeof(code));
		counts.callers++;
		at = next + 1;
	}
	strbuf_add(&u->coded, at, (size_t)(end - at));
	batch_add(&u->batch, (struct string){u->coded.s, u->coded.size}, counts);
	u->sum += counts.value;
	if (batch_is_full(&u->batch))
		unsorted_finish(u);
}

static u32 code_at(struct string coded, u32 i)
{
	u32 code;

	memcpy(&code, coded.s + i * sizeof(code), sizeof(code));
	return code;
}

static struct string leaf_of(struct string coded, u32 callers)
{
	size_t size = callers * sizeof(u32);

	return (struct string){coded.s + size, coded.size - size};
}

/* Cuts the path to the callers that the stack has, too. */
static void keep_common(struct unsorted *u, struct string coded, u32 callers)
{
	u32 common = 0;

	while (common < callers && common < u->path.nr &&
	       u->path.at[common].frame == code_at(coded, common))
		common++;
	u->path.nr = common;
}

static u32 node_of(struct unsorted *u, struct string coded, u32 callers)
{
	struct string leaf = leaf_of(coded, callers);
	struct tree_frame frame;
	u32 node;

	if (!coded.size)
		return u->in->root;
	keep_common(u, coded, callers);
	node = u->path.nr ? u->path.at[u->path.nr - 1].node : u->in->root;
	for (u32 i = (u32)u->path.nr; i < callers; i++) {
		frame = frame_of(code_at(coded, i));
		node = input_child(u->in, node, &frame);
		*vec_add(&u->path) = (struct coded_step){code_at(coded, i), node};
	}
	frame = input_frame(u->in, leaf.s, leaf.size, kind_at(u, callers));
	return input_child(u->in, node, &frame);
}

/* Stacks lie anywhere in the batch: their bytes are on their way before they are needed. */
static void fetch_ahead(const struct unsorted *u, size_t i)
{
	enum { AHEAD = 12, LEAVES_AHEAD = 6 };
	const struct batch *b = &u->batch;
	const struct batch_stack *stack = &b->stacks.at[i];

	if (i + AHEAD < b->stacks.nr)
		batch_prefetch(b, stack + AHEAD);
	if (i + LEAVES_AHEAD < b->stacks.nr) {
		u32 callers = batch_counts(b, stack + LEAVES_AHEAD).callers;
		struct string leaf = leaf_of(batch_text(b, stack + LEAVES_AHEAD), callers);

		strings_prefetch(u->in->names, leaf.s, leaf.size);
	}
}

void unsorted_finish(struct unsorted *u)
{
	batch_sort(&u->batch);
	for (size_t i = 0; i < u->batch.stacks.nr; i++) {
		const struct batch_stack *stack = &u->batch.stacks.at[i];
		struct batch_counts counts = batch_counts(&u->batch, stack);
		u32 node;

		fetch_ahead(u, i);
		node = node_of(u, batch_text(&u->batch, stack), counts.callers);
		input_add_counts(u->in, node, counts.value, counts.before);
	}
	batch_clear(&u->batch);
	u->sum = 0;
	u->path.nr = 0;
}
