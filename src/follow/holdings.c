/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "holdings.h"
#include "base/numbers.h"

#include <bsd/sys/tree.h>

enum { MAX_PIECES = 1 << 18 };

struct piece {
	RB_ENTRY(piece) entry;
	u64 start, end;
	u64 since;  /* when the call that made it returned */
	u32 sample; /* in the profile */
};

RB_HEAD(pieces, piece);

struct space {
	RB_ENTRY(space) entry;
	u64 mm;
	struct pieces pieces; /* by address; they do not overlap */
};

RB_HEAD(spaces, space);

struct holdings {
	struct profile *profile;
	struct spaces spaces;
	size_t nr_pieces, max_pieces;
	u64 not_followed; /* bytes */
};

static int compare_pieces(const struct piece *a, const struct piece *b)
{
	return a->start < b->start ? -1 : a->start > b->start;
}

static int compare_spaces(const struct space *a, const struct space *b)
{
	return a->mm < b->mm ? -1 : a->mm > b->mm;
}

/* (RB_GENERATE_STATIC needs a macro that Linux's headers cannot bear.) */
RB_GENERATE_INTERNAL(pieces, piece, entry, compare_pieces, static __attribute__((unused)))
RB_GENERATE_INTERNAL(spaces, space, entry, compare_spaces, static __attribute__((unused)))

struct holdings *holdings_new(struct profile *profile, size_t max_pieces)
{
	struct holdings *h = xcalloc(1, sizeof(*h));

	h->profile = profile;
	h->max_pieces = max_pieces ? max_pieces : MAX_PIECES;
	RB_INIT(&h->spaces);
	return h;
}

static struct memory_account *account_of(struct holdings *h, u32 sample)
{
	return &h->profile->memory[memory_account_of(&h->profile->samples.at[sample])];
}

/* ---- pieces */

static void drop(struct holdings *h, struct space *space, struct piece *piece)
{
	RB_REMOVE(pieces, &space->pieces, piece);
	h->nr_pieces--;
	free(piece);
}

/* The first piece that ends after the address. */
static struct piece *first_behind(struct space *space, u64 address)
{
	struct piece key = {.start = address};
	struct piece *next = RB_NFIND(pieces, &space->pieces, &key);
	struct piece *before =
		next ? RB_PREV(pieces, &space->pieces, next) : RB_MAX(pieces, &space->pieces);

	return before && before->end > address ? before : next;
}

/* Nothing is there. NULL: there is no room for it. */
static struct piece *insert(struct holdings *h, struct space *space, u64 start, u64 end, u64 since,
			    u32 sample)
{
	struct piece *piece;

	if (h->nr_pieces >= h->max_pieces) {
		add_to_sum(&h->not_followed, end - start);
		return NULL;
	}
	piece = xcalloc(1, sizeof(*piece));
	*piece = (struct piece){.start = start, .end = end, .since = since, .sample = sample};
	RB_INSERT(pieces, &space->pieces, piece);
	h->nr_pieces++;
	return piece;
}

/* Afterwards no piece is on both sides of the address. */
static void split_at(struct holdings *h, struct space *space, u64 address)
{
	struct piece *piece = first_behind(space, address);
	u64 end;

	if (!piece || piece->start >= address)
		return;
	end = piece->end;
	piece->end = address;
	insert(h, space, address, end, piece->since, piece->sample);
}

/* Many calls at one place, one after the other, are one piece. */
static void join(struct holdings *h, struct space *space, struct piece *left, struct piece *right)
{
	if (!left || !right || left->end != right->start || left->sample != right->sample)
		return;
	right->start = left->start;
	right->since = max(left->since, right->since);
	drop(h, space, left);
}

static void add(struct holdings *h, struct space *space, u64 start, u64 end, u64 since, u32 sample)
{
	struct piece *piece = insert(h, space, start, end, since, sample);

	if (!piece)
		return;
	join(h, space, RB_PREV(pieces, &space->pieces, piece), piece);
	join(h, space, piece, RB_NEXT(pieces, &space->pieces, piece));
}

/* Pieces in [start, end) that are older than the call; all of them are whole. */
#define for_each_older(piece, next, space, start_, end_, call_began)                               \
	for (piece = first_behind(space, start_);                                                  \
	     piece && piece->start < (end_) &&                                                     \
	     ((next = RB_NEXT(pieces, &(space)->pieces, piece)), true);                            \
	     piece = next)                                                                         \
		if (piece->since < (call_began))

static void give_back(struct holdings *h, struct space *space, u64 start, u64 end, u64 call_began)
{
	struct piece *piece, *next;

	split_at(h, space, start);
	split_at(h, space, end);
	for_each_older(piece, next, space, start, end, call_began)
	{
		add_to_sum(&account_of(h, piece->sample)->unmapped, piece->end - piece->start);
		drop(h, space, piece);
	}
}

/* Takes the pieces in [start, end) to where `to` is, over whatever is there. */
static void move(struct holdings *h, struct space *space, u64 start, u64 end, u64 to,
		 const struct wick_mapping_body *change)
{
	VEC(struct piece) moved = {};
	struct piece *piece, *next;

	split_at(h, space, start);
	split_at(h, space, end);
	for_each_older(piece, next, space, start, end, change->since)
	{
		*vec_add(&moved) = *piece;
		drop(h, space, piece);
	}
	give_back(h, space, to, to + (end - start), UINT64_MAX);
	vec_for_each (&moved, m)
		add(h, space, to + (m->start - start), to + (m->end - start), change->body.time,
		    m->sample);
	vec_release(&moved);
}

/* ---- spaces */

static struct space *find_space(struct holdings *h, u64 mm)
{
	struct space key = {.mm = mm};

	return RB_FIND(spaces, &h->spaces, &key);
}

static struct space *make_space(struct holdings *h, u64 mm)
{
	struct space *space = find_space(h, mm);

	if (space)
		return space;
	space = xcalloc(1, sizeof(*space));
	space->mm = mm;
	RB_INIT(&space->pieces);
	RB_INSERT(spaces, &h->spaces, space);
	return space;
}

static void free_space(struct holdings *h, struct space *space)
{
	struct piece *piece;

	while ((piece = RB_ROOT(&space->pieces)))
		drop(h, space, piece);
	RB_REMOVE(spaces, &h->spaces, space);
	free(space);
}

void holdings_free(struct holdings *h)
{
	struct space *space;

	if (!h)
		return;
	while ((space = RB_ROOT(&h->spaces)))
		free_space(h, space);
	free(h);
}

/* ---- changes */

static void gone(struct holdings *h, u64 mm)
{
	struct space *space = find_space(h, mm);
	struct piece *piece;

	if (!space)
		return;
	RB_FOREACH(piece, pieces, &space->pieces)
	{
		add_to_sum(&account_of(h, piece->sample)->gone, piece->end - piece->start);
	}
	free_space(h, space);
}

/*
 * Addresses and sizes are the kernel's words, but a sum of two of them can still overflow.
 */
static bool makes_sense(const struct wick_mapping_body *c)
{
	return c->from + c->from_size >= c->from && c->to + c->to_size >= c->to &&
	       c->moved <= c->from_size && c->moved <= c->to_size &&
	       (c->kind == WICK_BRK || c->kind == WICK_MMAP);
}

static void map_new(struct holdings *h, const struct wick_mapping_body *c, u64 start, u64 end,
		    u32 leg, u32 user)
{
	const struct sample sample = {.kind = c->kind, .state = c->state, .leg = leg, .user = user};
	struct space *space = make_space(h, c->mm);
	u32 row = profile_sample(h->profile, &sample);

	give_back(h, space, start, end, UINT64_MAX);
	add(h, space, start, end, c->body.time, row);
	add_to_sum(&account_of(h, row)->mapped, end - start);
}

/*
 * A heap that is made smaller. What was there before counts as well, but not where others than the
 * watched give it back.
 */
static void shrink(struct holdings *h, struct space *space, const struct wick_mapping_body *c)
{
	struct memory_account *account = &h->profile->memory[MEMORY_BRK];
	u64 before = account->unmapped;

	if (space && c->from_size)
		give_back(h, space, c->from, c->from + c->from_size, c->since);
	add_to_sum(&account->given_back, c->wanted ? c->from_size : account->unmapped - before);
}

void holdings_change(struct holdings *h, const struct wick_mapping_body *c, u32 leg, u32 user)
{
	struct space *space;

	if (c->gone) {
		gone(h, c->mm);
		return;
	}
	if (!makes_sense(c))
		return;
	space = find_space(h, c->mm);
	if (c->kind == WICK_BRK)
		shrink(h, space, c);
	else if (space && c->from_size > c->moved)
		give_back(h, space, c->from + c->moved, c->from + c->from_size, c->since);
	if (space && c->moved)
		move(h, space, c->from, c->from + c->moved, c->to, c);
	/* Of a thread that is not watched; but it takes the place of what was there. */
	if (c->to_size > c->moved && c->leg)
		map_new(h, c, c->to + c->moved, c->to + c->to_size, leg, user);
	else if (space && c->to_size > c->moved)
		give_back(h, space, c->to + c->moved, c->to + c->to_size, UINT64_MAX);
}

void holdings_finish(struct holdings *h)
{
	struct space *space;
	struct piece *piece;

	RB_FOREACH(space, spaces, &h->spaces)
	{
		RB_FOREACH(piece, pieces, &space->pieces)
		{
			u64 size = piece->end - piece->start;

			add_to_sum(&h->profile->samples.at[piece->sample].column[HELD_COLUMN],
				   size);
			add_to_sum(&account_of(h, piece->sample)->held, size);
		}
	}
	profile_loss(h->profile, "bytes of mappings too many to be followed", NULL, WICK_MMAP, 0,
		     h->not_followed);
}
