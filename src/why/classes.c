/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * classes.c: what a wait was: work that did not go on, or a thread that had nothing to do. No list
 * of names tells that; the thread's own stacks do. Each thread has a home: the place nearest to its
 * root at which something other than a timer ends its waits, since it waits for its next piece of
 * work where it has returned from the last one. A thread that only timers wake has its home at the
 * nearest place of all. A wait at home is idle; any other is a part of some work.
 *
 * Two threads that talk to each other both wait at home, and one of them works for the other. The
 * one that has accepted the connection serves, and is idle until it is asked; without a connection
 * that is the one whose partner does not wait at home. docs/why.md has the cases in which that is
 * wrong.
 */
#include "index.h"
#include "places.h"

#include "view.h"

const char *const why_class_names[NR_WHY_CLASSES] = {
	[WHY_LOCK] = "lock", [WHY_DISK] = "disk",	    [WHY_PAGING] = "paging",
	[WHY_CPU] = "cpu",   [WHY_THROTTLED] = "throttled", [WHY_NETWORK] = "network",
	[WHY_PEER] = "peer", [WHY_CHILD] = "child",	    [WHY_SLEEP] = "sleep",
	[WHY_IDLE] = "idle", [WHY_UNCLEAR] = "unclear",
};

enum ended_by { BY_NOTHING, BY_THREAD, BY_TIMER, BY_OTHER_INTERRUPT, BY_UNSEEN };

enum { LOOK_BACK = 64 }; /* entries of a thread, for a conversation */

/* The place nearest to the root; its depth is UINT32_MAX where there is none. */
struct nearest {
	u32 depth, function;
};

/* Where a thread's waits for work are, and those that timers end. */
struct home {
	struct nearest work, timer;
};

/* How deep a place is, only whole stacks tell. Others count where there is none of those. */
struct homes {
	struct home whole, broken;
};

struct classifying {
	struct why *why;
	struct places *places;
	VEC(struct homes) homes; /* by thread */
	struct table asked;	 /* of waits that a thread ended, by both threads: the first */
};

static enum ended_by ended_by(const struct why *why, const struct block *block)
{
	const struct hop *hop = why_hop(why->p, block);
	const char *interrupt;

	if (block->state & WICK_STATE_STILL)
		return BY_NOTHING;
	if (!hop)
		return BY_UNSEEN;
	if (!why_by_interrupt(why, block))
		return BY_THREAD;
	interrupt = hop_interrupt(why->p, hop);
	return !strcmp(interrupt, "timer") ? BY_TIMER : BY_OTHER_INTERRUPT;
}

static enum wait_kind kind_of(const struct classifying *c, const struct block *block)
{
	return places_kind(c->places, c->why->p, block->kernel);
}

static struct place place_of(const struct classifying *c, const struct block *block)
{
	return places_place(c->places, c->why->p, block->user);
}

static bool is_runnable(const struct block *block)
{
	u32 letter = block->state & WICK_STATE_LETTER;

	return letter == 'Q' || letter == 'R';
}

/* Of a wait for a futex. */
static bool is_lock(const struct classifying *c, const struct block *block)
{
	return why_object_kind(c->why, block) == WICK_OBJECT_LOCK || place_of(c, block).lock;
}

/* Can a thread wait for work in that way? */
static bool is_for_work(const struct classifying *c, enum wait_kind kind, const struct block *block)
{
	if (is_runnable(block))
		return false;
	if (kind == KIND_FUTEX)
		return !is_lock(c, block);
	return kind == KIND_UNKNOWN || kind == KIND_SOCKET || kind == KIND_POLL ||
	       kind == KIND_FILE || kind == KIND_SIGNAL;
}

static void note(struct nearest *nearest, struct place place)
{
	if (place.depth < nearest->depth)
		*nearest = (struct nearest){place.depth, place.function};
}

static bool is_known(struct nearest nearest)
{
	return nearest.depth != UINT32_MAX;
}

static void find_homes(struct classifying *c)
{
	static const struct home none = {{.depth = UINT32_MAX}, {.depth = UINT32_MAX}};
	const struct why *why = c->why;

	for (u32 i = 0; i < why->threads.nr; i++)
		*vec_add(&c->homes) = (struct homes){none, none};
	vec_for_each (&why->p->blocks, block) {
		struct homes *homes = &c->homes.at[why_thread(why, block->leg)];
		enum wait_kind kind = kind_of(c, block);
		struct place place = place_of(c, block);
		struct home *home = place.is_whole ? &homes->whole : &homes->broken;

		if (!place.depth &&
		    !place.in_scheduler) /* no stack, or none of the program's: that tells nothing */
			continue;
		if (is_for_work(c, kind, block) && ended_by(why, block) != BY_TIMER)
			note(&home->work, place);
		else if (is_for_work(c, kind, block) || kind == KIND_SLEEP)
			note(&home->timer, place);
	}
}

static bool is_at_home(const struct classifying *c, const struct block *block, enum wait_kind kind)
{
	const struct homes *homes = &c->homes.at[why_thread(c->why, block->leg)];
	bool has_whole = is_known(homes->whole.work) || is_known(homes->whole.timer);
	const struct home *home = has_whole ? &homes->whole : &homes->broken;
	struct nearest nearest = is_known(home->work) ? home->work : home->timer;
	struct place place = place_of(c, block);

	if (is_known(home->work) && !is_for_work(c, kind, block))
		return false;
	/* A goroutine that has nothing to do has no thread. */
	if (place.in_goroutine && kind == KIND_SLEEP)
		return false;
	if (has_whole && place.depth && !place.is_whole)
		return place.function == nearest.function;
	return place.depth <= nearest.depth;
}

/* ---- conversations */

static u64 hash_of_pair(u32 thread, u32 by)
{
	return hash_u64((u64)thread << 32 | by);
}

/* The first wait of the one thread that the other one ended; NULL: there is none in the log. */
static const struct block *find_asked(const struct classifying *c, u32 thread, u32 by)
{
	const struct why *why = c->why;
	struct table_probe probe = table_probe(&c->asked, hash_of_pair(thread, by));

	while (table_next(&probe)) {
		const struct block *block = &why->p->blocks.at[probe.ref];

		if (why_thread(why, block->leg) == thread &&
		    why_thread(why, why_hop(why->p, block)->leg) == by)
			return block;
	}
	return NULL;
}

static void find_conversations(struct classifying *c)
{
	const struct why *why = c->why;

	for (u32 ref = 0; ref < why->p->blocks.nr; ref++) {
		const struct block *block = &why->p->blocks.at[ref];
		const struct hop *hop = why_hop(why->p, block);
		u32 thread, by;

		if (!hop || !hop->leg || why_by_interrupt(why, block))
			continue;
		thread = why_thread(why, block->leg);
		by = why_thread(why, hop->leg);
		if (!find_asked(c, thread, by))
			table_insert(&c->asked, hash_of_pair(thread, by), ref);
	}
}

/*
 * A wait of the thread that ended the block, which the block's own thread had ended: what it was
 * asked, or told, then. The last one before; if that was too short for the log, any other, since
 * two threads that talk once do so again. NULL: they do not talk.
 */
static const struct block *other_side(const struct classifying *c, const struct block *block)
{
	const struct why *why = c->why;
	u32 here = why_thread(why, block->leg),
	    there = why_thread(why, why_hop(why->p, block)->leg);
	const struct why_thread *t = &why->threads.at[there];
	u32 i = index_first_after(why, t, block->woken);

	for (u32 n = 0; i-- > 0 && n < LOOK_BACK; n++) {
		const struct block *other = &why->p->blocks.at[why->refs.at[t->first + i]];
		const struct hop *hop = why_hop(why->p, other);

		if (hop && hop->leg && other->woken <= block->woken &&
		    !why_by_interrupt(why, other) && why_thread(why, hop->leg) == here)
			return other;
	}
	return find_asked(c, there, here);
}

/* Does the thread serve the other one, rather than be served? */
static bool serves(const struct classifying *c, const struct block *block,
		   const struct block *other)
{
	if (block->object_kind == WICK_OBJECT_ACCEPTED)
		return true;
	if (block->object_kind == WICK_OBJECT_CONNECTED ||
	    other->object_kind == WICK_OBJECT_ACCEPTED)
		return false;
	if (other->object_kind == WICK_OBJECT_CONNECTED)
		return true;
	return !is_at_home(c, other, kind_of(c, other));
}

static enum why_class of_thread(const struct classifying *c, const struct block *block,
				enum wait_kind kind)
{
	const struct block *other = other_side(c, block);

	if (block->object_kind == WICK_OBJECT_CONNECTED)
		return WHY_PEER;
	if (!is_at_home(c, block, kind))
		return other || kind != KIND_FUTEX ? WHY_PEER : WHY_LOCK;
	return !other || serves(c, block, other) ? WHY_IDLE : WHY_PEER;
}

/* ---- classes */

/* Of a wait for a connection, which no thread was seen to end. */
static enum why_class of_connection(const struct classifying *c, const struct block *block)
{
	return why_other_end(c->why, block) ? WHY_PEER : WHY_NETWORK;
}

/* A wait for something that another thread, a device or the network brings, or a timer ends. */
static enum why_class of_event(const struct classifying *c, const struct block *block,
			       enum wait_kind kind)
{
	bool is_home = is_at_home(c, block, kind),
	     has_asked = block->object_kind == WICK_OBJECT_CONNECTED;

	if (kind == KIND_FUTEX && is_lock(c, block))
		return WHY_LOCK;
	/* A thread of the runtime's, or one that has nothing of the program to run. */
	if (place_of(c, block).in_runtime)
		return WHY_IDLE;
	switch (ended_by(c->why, block)) {
	case BY_THREAD:
		return of_thread(c, block, kind);
	case BY_TIMER:
		if (is_home)
			return WHY_IDLE;
		return has_asked ? of_connection(c, block) : WHY_SLEEP;
	case BY_OTHER_INTERRUPT:
		if (has_asked)
			return of_connection(c, block);
		if (is_home)
			return WHY_IDLE;
		return kind == KIND_SOCKET || kind == KIND_POLL ? of_connection(c, block)
								: WHY_UNCLEAR;
	default:
		if (is_home)
			return WHY_IDLE;
		return has_asked ? of_connection(c, block) : WHY_UNCLEAR;
	}
}

/* A thread that was never there, and is not known to be stuck. */
static bool did_nothing(const struct why *why, const struct block *block, enum wait_kind kind)
{
	u32 letter = block->state & WICK_STATE_LETTER;

	return block->state & WICK_STATE_NEVER_RAN && (letter == 'S' || letter == 'I') &&
	       kind != KIND_LOCK && why_object_kind(why, block) != WICK_OBJECT_LOCK;
}

static enum why_class class_of(const struct classifying *c, const struct block *block)
{
	static const enum why_class plain[NR_KINDS] = {
		[KIND_THROTTLED] = WHY_THROTTLED, [KIND_PAGING] = WHY_PAGING,
		[KIND_DISK] = WHY_DISK,		  [KIND_LOCK] = WHY_LOCK,
		[KIND_CHILD] = WHY_CHILD,	  [KIND_KERNEL_IDLE] = WHY_IDLE,
	};
	enum wait_kind kind = kind_of(c, block);
	bool is_kernels = c->why->p->legs.at[block->leg].kind == WICK_KERNEL_THREAD;

	if (did_nothing(c->why, block, kind))
		return WHY_IDLE;
	switch (kind) {
	case KIND_THROTTLED:
	case KIND_PAGING:
	case KIND_DISK:
	case KIND_LOCK:
	case KIND_CHILD:
	case KIND_KERNEL_IDLE:
		return plain[kind];
	case KIND_SLEEP:
		return place_of(c, block).in_runtime || is_at_home(c, block, kind) ? WHY_IDLE
										   : WHY_SLEEP;
	case KIND_UNKNOWN:
		if (is_runnable(block))
			return WHY_CPU;
		if ((block->state & WICK_STATE_LETTER) == 'I')
			return WHY_IDLE;
		/* Their waits have as many names as there are kernel threads. */
		if (is_kernels)
			return ended_by(c->why, block) == BY_TIMER ? WHY_IDLE : WHY_UNCLEAR;
		if (!block->kernel)
			return WHY_UNCLEAR;
		return of_event(c, block, kind);
	default:
		return of_event(c, block, kind);
	}
}

/* ---- waits that another thread waited for */

/* What an idle wait is where the thread was not idle. */
static enum why_class busy_class(const struct why *why, const struct block *block)
{
	switch (ended_by(why, block)) {
	case BY_THREAD:
		return WHY_PEER;
	case BY_TIMER:
		return WHY_SLEEP;
	case BY_OTHER_INTERRUPT:
		return why_other_end(why, block) ? WHY_PEER : WHY_NETWORK;
	default:
		return WHY_UNCLEAR;
	}
}

static bool is_mostly_within(const struct block *block, const struct block *in)
{
	u64 begin = max(block->begin, in->begin), end = min(block->woken, in->woken);

	return end > begin && end - begin >= block_ns(block) / 2;
}

/*
 * While a thread waits for a lock, for an answer or for a child, the one that it waits for has
 * something to do: its waits in that time are no idle ones. And so on, for what those wait for.
 */
static void find_busy_waits(struct why *why)
{
	VEC(u32) waits = {};

	for (u32 ref = 0; ref < why->p->blocks.nr; ref++) {
		enum why_class class = why_class(why, ref);

		if (class == WHY_LOCK || class == WHY_PEER || class == WHY_CHILD)
			*vec_add(&waits) = ref;
	}
	for (size_t n = 0; n < waits.nr; n++) {
		const struct block *wait = &why->p->blocks.at[waits.at[n]];
		u32 cause = index_cause(why, wait);
		const struct why_thread *t;

		if (!cause || why_by_interrupt(why, wait))
			continue;
		t = &why->threads.at[why_thread(why, cause)];
		for (u32 i = index_first_after(why, t, wait->begin); i < t->nr; i++) {
			u32 ref = why->refs.at[t->first + i];
			const struct block *block = &why->p->blocks.at[ref];

			if (block->begin >= wait->woken)
				break;
			if (why_class(why, ref) != WHY_IDLE || !is_mostly_within(block, wait))
				continue;
			why->classes.at[ref] = (u8)busy_class(why, block);
			if (why_class(why, ref) == WHY_PEER)
				*vec_add(&waits) = ref;
		}
	}
	vec_release(&waits);
}

void classes_find(struct why *why)
{
	struct classifying c = {.why = why, .places = &why->places};

	find_homes(&c);
	find_conversations(&c);
	vec_for_each (&why->p->blocks, block)
		*vec_add(&why->classes) = (u8)class_of(&c, block);
	vec_release(&c.homes);
	table_release(&c.asked);
	find_busy_waits(why);
}

enum why_class why_class(const struct why *why, u32 block)
{
	return why->classes.at[block];
}
