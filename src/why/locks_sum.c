/* SPDX-License-Identifier: GPL-2.0-or-later */
/* locks_sum.c: of each lock, where it is waited for, and what its holders did meanwhile. */
#include "index.h"

struct adding {
	struct why *why;
	struct why_locks *locks;
	struct table waiters, holders; /* of parts, by lock and label */
	struct why_pieces pieces;
};

static struct why_lock_part *part_of(struct table *known, struct why_lock_parts *parts, u32 lock,
				     const struct why_label *label)
{
	u64 hash = hash_bytes(label, sizeof(*label)) ^ hash_u64(lock);
	struct table_probe probe = table_probe(known, hash);
	struct why_lock_part *part;

	while (table_next(&probe))
		if (probe.ref < parts->nr &&
		    !memcmp(&parts->at[probe.ref].label, label, sizeof(*label)))
			return &parts->at[probe.ref];
	table_insert(known, hash, (u32)parts->nr);
	part = vec_add(parts);
	part->label = *label;
	return part;
}

static struct why_label holder_label(struct adding *a, const struct why_holder *holder,
				     const struct why_piece *piece)
{
	struct why_label unknown = {.what = WHY_UNKNOWN, .class = WHY_UNCLEAR};

	if (holder->step == WHY_NO_STEP)
		return unknown;
	if (holder->what == WHY_NR)
		return why_label_of_block(a->why, a->pieces.steps.at[holder->step].leg,
					  holder->block, WHY_NR);
	return why_label_of_piece(a->why, &a->pieces, piece, 0);
}

static void add_wait(struct adding *a, u32 ref, u32 lock)
{
	const struct block *block = &a->why->p->blocks.at[ref];
	struct why_label at = why_label_of_block(a->why, block->leg, ref, WHY_NR);
	struct why_lock *to = &a->locks->all.at[lock];
	struct why_lock_part *part = part_of(&a->waiters, &to->waiters, lock, &at);

	part->ns += why_stands_for(a->why, ref);
	part->nr += block_nr(block);
	why_explain_all_like(a->why, ref, &a->pieces);
	vec_for_each (&a->pieces.pieces, piece) {
		struct why_holder holder = why_lock_holder(a->locks, ref, &a->pieces, piece);
		struct why_label did = holder_label(a, &holder, piece);

		part = part_of(&a->holders, &to->holders, lock, &did);
		part->ns += piece->ns;
		part->nr++;
	}
}

static int compare_parts(const void *a, const void *b)
{
	const struct why_lock_part *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return memcmp(&x->label, &y->label, sizeof(x->label));
}

static int compare_locks(const void *a, const void *b)
{
	const struct why_lock *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return x->worst < y->worst ? -1 : x->worst > y->worst;
}

void why_locks_sum(struct why_locks *locks, struct why *why)
{
	struct adding a = {.why = why, .locks = locks};

	for (u32 ref = 0; ref < locks->of_block.nr; ref++)
		if (locks->of_block.at[ref])
			add_wait(&a, ref, locks->of_block.at[ref] - 1);
	table_release(&a.waiters);
	table_release(&a.holders);
	why_pieces_release(&a.pieces);
	vec_for_each (&locks->all, lock) {
		vec_sort(&lock->waiters, compare_parts);
		vec_sort(&lock->holders, compare_parts);
	}
	/* From now on their numbers are others. */
	vec_release(&locks->of_block);
	vec_sort(&locks->all, compare_locks);
}
