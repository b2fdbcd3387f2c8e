/* SPDX-License-Identifier: GPL-2.0-or-later */
/* labels.c: what is said of a thread in a block, or of a piece of what explains one. */
#include "index.h"

static u32 place_function(struct why *why, u32 user)
{
	const struct stack *s = &why->p->stacks.at[user];
	const struct place place = places_place(&why->places, why->p, user);
	u32 at = why->spots.at[user];

	if (at == place.frame || at >= s->nr)
		return place.function;
	return why->p->frames.at[why->p->stack_frames.at[s->first + at]].function;
}

u32 why_spot(const struct why *why, u32 user)
{
	return why->spots.at[user];
}

/* What kept the request of a block from the disk. */
static enum why_held held_by(struct why *why, const struct block *block, enum why_class class)
{
	enum why_held held;

	if (class != WHY_DISK && class != WHY_PAGING)
		return WHY_NOT_HELD;
	held = places_held(&why->places, why->p, block->kernel);
	return !held && block->state & WICK_STATE_IO_LIMIT ? WHY_HELD_BY_LIMIT : held;
}

struct why_label why_label_of_block(struct why *why, u32 leg, u32 ref, enum why_what what)
{
	const struct block *block = &why->p->blocks.at[ref];
	enum why_class class = why_class(why, ref);

	return (struct why_label){
		.comm = why->p->legs.at[leg].comm,
		.function = place_function(why, block->user),
		.held = held_by(why, block, class),
		.kernel = block->user ? 0 : block->kernel,
		.what = what,
		.class = class,
	};
}

/* Where a thread ran: known where it did the wakeup that led to it. */
static u32 ran_in(struct why *why, const struct why_pieces *pieces, const struct why_piece *piece)
{
	u32 ref = piece->step == WHY_NO_STEP ? WHY_NO_BLOCK : pieces->steps.at[piece->step].block;
	const struct hop *hop =
		ref == WHY_NO_BLOCK ? NULL : why_hop(why->p, &why->p->blocks.at[ref]);

	return hop ? place_function(why, hop->user) : 0;
}

struct why_label no_cpu_label(const struct profile *p, const struct block *block)
{
	enum why_class class = why_wait_class(block);

	return (struct why_label){
		.other = class == WHY_CPU ? p->legs.at[block->before].comm : 0,
		.what = WHY_NO_CPU,
		.class = class,
	};
}

/* ---- short waits */

enum { MOST_PLACES = 16 }; /* of a thread's short waits: the first ones */

struct spot {
	struct usual at;
	u64 ns;
};

/* Idle is not what somebody waited for. */
static bool is_of_short_ones(const struct why *why, u32 ref)
{
	const struct block *block = &why->p->blocks.at[ref];

	return block_ns(block) && block->counted_block > block_ns(block) &&
	       why_class(why, ref) != WHY_IDLE;
}

static void add_spot(struct spot spots[MOST_PLACES], u32 *nr, struct usual at, u64 ns)
{
	u32 i = 0;

	while (i < *nr && memcmp(&spots[i].at, &at, sizeof(at)))
		i++;
	if (i == MOST_PLACES)
		return;
	if (i == *nr)
		spots[(*nr)++] = (struct spot){.at = at};
	spots[i].ns += ns;
}

/* Those that were looked at, and stand for others, tell where those were. */
static struct usual find_usual(struct why *why, u32 thread)
{
	const struct why_thread *t = &why->threads.at[thread];
	struct spot spots[MOST_PLACES], most = {};
	u32 nr = 0;

	for (u32 i = t->first; i < t->first + t->nr; i++) {
		u32 ref = why->refs.at[i];
		const struct block *block = &why->p->blocks.at[ref];

		if (is_of_short_ones(why, ref))
			add_spot(spots, &nr,
				 (struct usual){place_function(why, block->user),
						why_class(why, ref)},
				 block->counted_block - block_ns(block));
	}
	for (u32 i = 0; i < nr; i++)
		if (spots[i].ns > most.ns)
			most = spots[i];
	return most.at;
}

static struct usual usual_of(struct why *why, u32 leg)
{
	struct usual *usual = &why->usual.at[why_thread(why, leg)];

	if (usual->function == UINT32_MAX)
		*usual = find_usual(why, why_thread(why, leg));
	return *usual;
}

struct why_label why_label_of_piece(struct why *why, const struct why_pieces *pieces,
				    const struct why_piece *piece, u32 waiter)
{
	u32 leg = piece->step == WHY_NO_STEP ? waiter : pieces->steps.at[piece->step].leg;
	struct why_label label = {
		.comm = why->p->legs.at[leg].comm,
		.what = piece->what,
		.class = WHY_UNCLEAR,
	};

	if (piece->what == WHY_RAN) {
		label.function = ran_in(why, pieces, piece);
		label.class = WHY_CPU;
	} else if (piece->what == WHY_NO_CPU) {
		label = no_cpu_label(why->p, &why->p->blocks.at[piece->block]);
		label.comm = why->p->legs.at[leg].comm;
	} else if (piece->what == WHY_SHORT_WAITS) {
		struct usual usual = usual_of(why, leg);

		label.usual = usual.function;
		label.usual_class = usual.class;
	} else if (piece->block != WHY_NO_BLOCK) {
		return why_label_of_block(why, leg, piece->block, piece->what);
	}
	return label;
}
