/* SPDX-License-Identifier: GPL-2.0-or-later */
/* labels.c: what is said of a thread in a block, or of a piece of what explains one. */
#include "index.h"

static u32 place_function(struct why *why, u32 user)
{
	return places_place(&why->places, why->p, user).function;
}

struct why_label why_label_of_block(struct why *why, u32 leg, u32 ref, enum why_what what)
{
	const struct block *block = &why->p->blocks.at[ref];

	return (struct why_label){
		.comm = why->p->legs.at[leg].comm,
		.function = place_function(why, block->user),
		.kernel = block->user ? 0 : block->kernel,
		.what = what,
		.class = why_class(why, ref),
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
	} else if (piece->block != WHY_NO_BLOCK) {
		return why_label_of_block(why, leg, piece->block, piece->what);
	}
	return label;
}
