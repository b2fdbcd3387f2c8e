/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ends.c: which thread is at the other end of what threads wait for. Of a connection both ends are
 * known by their addresses, if both were waited for: the thread is the last one that did. Of a
 * pipe, and of a connection of which one end was never waited for, the last thread that ended a
 * wait.
 */
#include "index.h"

static bool has_ends(const struct object *object)
{
	return object->there || object->kind == WICK_OBJECT_PIPE ||
	       object->kind == WICK_OBJECT_SOCKET;
}

/* The object at the other end of a connection; 0: it was not waited for. */
static u32 peer_of(const struct profile *p, const struct table *by_here,
		   const struct object *object)
{
	struct table_probe probe = table_probe(by_here, hash_u64(object->there));

	while (object->there && table_next(&probe)) {
		const struct object *other = &p->objects.at[probe.ref];

		if (other->here == object->there && other->there == object->here && other != object)
			return probe.ref;
	}
	return 0;
}

/* By object: the last thread that waited for it, and that ended such a wait. */
struct users {
	VEC(u32) waiters, enders;
};

static void find_users(const struct why *why, struct users *users)
{
	vec_for_each (&why->p->objects, object) {
		*vec_add(&users->waiters) = 0;
		*vec_add(&users->enders) = 0;
	}
	vec_for_each (&why->p->blocks, block) {
		const struct hop *hop = why_hop(why->p, block);

		users->waiters.at[block->object] = block->leg;
		if (hop && !why_by_interrupt(why, block))
			users->enders.at[block->object] = hop->leg;
	}
}

void ends_find(struct why *why)
{
	const struct profile *p = why->p;
	struct users users = {};
	struct table by_here = {};

	find_users(why, &users);
	for (u32 i = 1; i < p->objects.nr; i++)
		if (p->objects.at[i].here)
			table_insert(&by_here, hash_u64(p->objects.at[i].here), i);
	for (u32 i = 0; i < p->objects.nr; i++) {
		u32 peer = i ? peer_of(p, &by_here, &p->objects.at[i]) : 0, leg = 0;

		if (i && has_ends(&p->objects.at[i]))
			leg = peer ? users.waiters.at[peer] : users.enders.at[i];
		*vec_add(&why->other_ends) = leg;
	}
	vec_release(&users.waiters);
	vec_release(&users.enders);
	table_release(&by_here);
}

u32 why_other_end(const struct why *why, const struct block *block)
{
	u32 leg = why->other_ends.at[block->object];

	return leg && why_thread(why, leg) != why_thread(why, block->leg) ? leg : 0;
}
