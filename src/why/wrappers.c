/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * wrappers.c: where a thread waits, as a person would say it. Many programs wait through a
 * function of their own: PostgreSQL waits for a row, for a client and for nothing in
 * WaitEventSetWait. No list of names tells such functions, but that they have several callers, and
 * that their waits are of several classes or for several kinds of things. The place is then the
 * caller, in the same file, and so on.
 */
#include "index.h"

enum { MOST_LEVELS = 4 };

/* What is known of a function in which threads wait. */
struct way {
	u32 function, caller;
	u32 class, kind;
	bool many_callers, many_kinds;
};

struct finding {
	struct why *why;
	struct table known;
	VEC(struct way) ways;
};

static const struct frame *frame_of(const struct profile *p, u32 user, u32 i)
{
	const struct stack *s = &p->stacks.at[user];

	return i < s->nr ? &p->frames.at[p->stack_frames.at[s->first + i]] : NULL;
}

/* The caller, in the same file and with a name; NULL: there is none. */
static const struct frame *caller_of(const struct why *why, u32 user)
{
	u32 at = why->spots.at[user];
	const struct frame *frame = frame_of(why->p, user, at);
	const struct frame *caller = frame_of(why->p, user, at + 1);

	if (!frame || !caller || frame->space == SPACE_NOTE || frame->space != caller->space ||
	    frame->origin != caller->origin || !why->p->functions.at[caller->function].named)
		return NULL;
	return caller;
}

static struct way *find_way(struct finding *f, u32 function)
{
	struct table_probe probe = table_probe(&f->known, hash_u64(function));

	while (table_next(&probe))
		if (f->ways.at[probe.ref].function == function)
			return &f->ways.at[probe.ref];
	return NULL;
}

static void note_wait(struct finding *f, u32 ref)
{
	const struct block *block = &f->why->p->blocks.at[ref];
	const struct frame *frame = frame_of(f->why->p, block->user, f->why->spots.at[block->user]);
	const struct frame *caller = caller_of(f->why, block->user);
	u32 class = why_class(f->why, ref), kind = block->object_kind;
	struct way *way;

	if (!frame || !caller || !block_ns(block))
		return;
	way = find_way(f, frame->function);
	if (!way) {
		table_insert(&f->known, hash_u64(frame->function), (u32)f->ways.nr);
		*vec_add(&f->ways) =
			(struct way){frame->function, caller->function, class, kind, false, false};
		return;
	}
	way->many_callers |= way->caller != caller->function;
	way->many_kinds |= way->class != class || way->kind != kind;
}

/* One level up; false: nothing was left to do. */
static bool climb(struct finding *f)
{
	struct why *why = f->why;
	bool climbed = false;

	for (u32 ref = 0; ref < why->p->blocks.nr; ref++)
		note_wait(f, ref);
	for (u32 user = 0; user < why->p->stacks.nr; user++) {
		const struct frame *frame = frame_of(why->p, user, why->spots.at[user]);
		const struct way *way = frame ? find_way(f, frame->function) : NULL;

		if (!way || !way->many_callers || !way->many_kinds || !caller_of(why, user))
			continue;
		why->spots.at[user]++;
		climbed = true;
	}
	f->ways.nr = 0;
	table_release(&f->known);
	return climbed;
}

void wrappers_find(struct why *why)
{
	struct finding f = {.why = why};

	for (u32 user = 0; user < why->p->stacks.nr; user++)
		*vec_add(&why->spots) = places_place(&why->places, why->p, user).frame;
	for (u32 i = 0; i < MOST_LEVELS && climb(&f); i++)
		;
	vec_release(&f.ways);
}
