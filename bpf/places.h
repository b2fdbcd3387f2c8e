/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * places.h: which events of a thread are worth a stack walk, where a walk costs as much as many
 * events: faults, and calls for memory.
 *
 * A thread keeps the places, instruction and stack pointer, of its last walks. An event at one of
 * those has the stack that was found there, which is looked at again now and then. Of events at
 * other places some are walked, drawn by lot; each stands for those that follow until the next one.
 * So sums are exact at any time, loops are exact, and what is scattered is a fair sample. How many
 * are walked is a matter of the budget (budget.h): at its lowest level all of them, then half as
 * many with each level.
 */
#ifndef PLACES_H
#define PLACES_H

#include "budget.h"

enum {
	PLACES = 4,
	NO_PLACE = PLACES,
	MOST_KNOWN_SHIFT = 4,
};

/* What a walk has found. */
struct found {
	u64 user, kernel;
};

struct place {
	u64 ip, sp; /* 0: none */
	struct found found;
	u32 state;   /* enum wick_memory_state */
	u32 walk_in; /* how many events until it is walked again */
};

/* The walk that stands for events at other places. */
struct stand_in {
	struct found found;
	u32 is_there;
	u32 walk_in; /* how many such events until the next one */
};

struct places {
	struct place at[PLACES];
	u64 last_ip, last_sp; /* of the event before */
	u32 latest;	      /* of the places */
	u32 pad;
};

enum choice {
	AS_PLACE,
	AS_STAND_IN,
	WALK,
	WALK_FOR_OTHERS,
};

/* How many events there are to a walk: 1 << the level; more at places that are known. */
static __always_inline u32 known_shift(const struct wick_spending *s)
{
	return s->level + (s->level < MOST_KNOWN_SHIFT ? s->level : MOST_KNOWN_SHIFT);
}

/* So that no rhythm can hide. */
static __always_inline u32 draw(u32 shift)
{
	u32 mean = 1u << (shift & 31);

	return mean / 2 + (bpf_get_prandom_u32() & (mean - 1));
}

static __always_inline bool is_drawn(u32 *walk_in, u32 shift)
{
	if (*walk_in > 2u << (shift & 31)) /* the level has fallen since it was drawn */
		*walk_in = draw(shift);
	if (!*walk_in)
		return true;
	*walk_in -= 1;
	return false;
}

static __always_inline u32 find_place(const struct places *p, u64 ip, u64 sp, u32 state)
{
	for (u32 i = 0; i < PLACES; i++)
		if (p->at[i].ip == ip && p->at[i].sp == sp && p->at[i].state == state)
			return i;
	return NO_PLACE;
}

static __always_inline struct place *place_at(struct places *p, u32 i)
{
	/* The verifier has to see that it is one of them. */
	barrier_var(i);
	return &p->at[i % PLACES];
}

/*
 * How an event at such a place is to be counted; *found is with what, if it is not walked. A
 * pointer to a pointer: programs that walk have no stack to spare.
 */
static __always_inline enum choice choose(struct places *p, struct stand_in *other,
					  const struct wick_spending *s, u64 ip, u64 sp, u32 state,
					  const struct found **found)
{
	bool again = ip == p->last_ip && sp == p->last_sp;
	u32 at = find_place(p, ip, sp, state);
	struct place *place;

	p->last_ip = ip;
	p->last_sp = sp;
	if (at != NO_PLACE) {
		place = place_at(p, at);
		*found = &place->found;
		return is_drawn(&place->walk_in, known_shift(s)) ? WALK : AS_PLACE;
	}
	if (!other->is_there)
		return WALK_FOR_OTHERS;
	/* A loop begins: its place is worth knowing. */
	if (again && s->walk_ns < s->left + s->saved)
		return WALK;
	*found = &other->found;
	return is_drawn(&other->walk_in, s->level) ? WALK_FOR_OTHERS : AS_STAND_IN;
}

/* An event there has been walked. `is_cut`: what was found will be whole in a moment. */
static __always_inline void note_place(struct places *p, const struct wick_spending *s, u64 ip,
				       u64 sp, u32 state, u64 user, u64 kernel, bool is_cut)
{
	u32 at = find_place(p, ip, sp, state);
	struct place *place;

	if (at == NO_PLACE)
		at = p->latest = (p->latest + 1) % PLACES;
	place = place_at(p, at);
	place->ip = ip;
	place->sp = sp;
	place->state = state;
	place->found.user = user;
	place->found.kernel = kernel;
	place->walk_in = draw(is_cut ? s->level : known_shift(s));
}

/* From now on that walk stands for others. The first one of a thread comes at no random time. */
static __always_inline void note_stand_in(struct stand_in *other, const struct wick_spending *s,
					  u64 user, u64 kernel)
{
	u32 mean = 1u << (s->level & 31);

	other->found.user = user;
	other->found.kernel = kernel;
	other->walk_in = other->is_there ? draw(s->level) : bpf_get_prandom_u32() & (mean - 1);
	other->is_there = 1;
}

static __always_inline void forget_places(struct places *p)
{
	for (u32 i = 0; i < PLACES; i++)
		p->at[i].ip = p->at[i].sp = 0;
}

#endif
