/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * locks.c: waits of the class lock, by lock. Who had it meanwhile is read from what explains the
 * wait: it goes from the thread that released the lock back in time, through those that had waited
 * for it, too, each while it had it:
 *
 *	waiter	|---------- waits for L ---------|
 *	B		      waits for L |--has--|	wakes the waiter
 *	A	|-------------has---------|		wakes B
 *
 * So the holder at a time is the first thread on that way which is not waiting for the same lock.
 */
#include "index.h"
#include "kernel_lock.h"

struct finding {
	struct why_locks *locks;
	const struct why *why;
	struct table known; /* of locks, by what they are */
};

/* ---- which lock */

static bool same_lock(const struct why_lock *a, const struct why_lock *b)
{
	return a->kind == b->kind && a->pid == b->pid && a->object == b->object &&
	       a->taker == b->taker;
}

/* A futex in memory that processes share has that memory in its name. */
static bool is_shared(const struct profile *p, const struct block *block)
{
	struct string name = strings_get(&p->names, p->objects.at[block->object].name);

	return memchr(name.s, ' ', name.size);
}

/*
 * A futex is its address in a process, or in a file; what has no address is told by where it is
 * waited for.
 */
static struct why_lock lock_of(const struct why *why, const struct block *block)
{
	/* Classes have asked for it. */
	const struct place *place = &why->places.places.at[block->user];
	struct why_lock lock = {.leg = block->leg};
	enum wick_object kind = why_object_kind(why, block);
	const struct profile *p = why->p;

	if (place->lock == LOCK_OF_MONITOR && kind == WICK_OBJECT_FUTEX) {
		lock.kind = WHY_LOCK_MONITOR;
		lock.pid = p->legs.at[block->leg].pid;
		lock.taker = place->function;
	} else if (kind == WICK_OBJECT_LOCK || kind == WICK_OBJECT_FUTEX) {
		lock.kind = kind == WICK_OBJECT_LOCK ? WHY_LOCK_FUTEX : WHY_LOCK_WORD;
		lock.pid = is_shared(p, block) ? 0 : p->legs.at[block->leg].pid;
		lock.object = block->object;
	} else if (!kernel_lock_of(p, block->kernel, &lock.kind, &lock.taker)) {
		lock.kind = WHY_LOCK_WORD;
		lock.pid = p->legs.at[block->leg].pid;
	} else if (lock.kind == WHY_LOCK_FILE && block->object_kind == WICK_OBJECT_FILE) {
		lock.object = block->object;
	}
	return lock;
}

static u32 row_of(struct finding *f, const struct why_lock *lock)
{
	u64 hash = hash_u64((u64)lock->object ^ (u64)lock->pid << 40 ^ (u64)lock->taker << 8) ^
		   (u64)lock->kind;
	struct table_probe probe = table_probe(&f->known, hash);

	while (table_next(&probe))
		if (same_lock(&f->locks->all.at[probe.ref], lock))
			return probe.ref;
	table_insert(&f->known, hash, (u32)f->locks->all.nr);
	*vec_add(&f->locks->all) = *lock;
	return (u32)f->locks->all.nr - 1;
}

static void add_wait(struct finding *f, u32 ref)
{
	const struct block *block = &f->why->p->blocks.at[ref];
	struct why_lock lock = lock_of(f->why, block);
	u32 row = row_of(f, &lock);
	struct why_lock *at = &f->locks->all.at[row];
	u64 ns = why_stands_for(f->why, ref), one = block_ns(block) / block_nr(block);

	f->locks->of_block.at[ref] = row + 1;
	f->locks->ns += ns;
	f->locks->nr += block_nr(block);
	at->ns += ns;
	at->nr += block_nr(block);
	if (one > at->longest || !at->longest) {
		at->longest = one;
		at->worst = ref;
	}
}

/* ---- how many wait at once */

struct edge {
	u64 time;
	u32 lock;
	bool begins;
};

/* A wait that ends when another one begins is not at once with it. */
static int compare_edges(const void *a, const void *b)
{
	const struct edge *x = a, *y = b;

	if (x->lock != y->lock)
		return x->lock < y->lock ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (int)x->begins - (int)y->begins;
}

static void count_at_once(struct finding *f)
{
	VEC(struct edge) edges = {};
	u32 lock = UINT32_MAX, waiting = 0;

	for (u32 ref = 0; ref < f->why->p->blocks.nr; ref++) {
		const struct block *block = &f->why->p->blocks.at[ref];
		u32 of = f->locks->of_block.at[ref];

		if (!of || !block_ns(block))
			continue;
		*vec_add(&edges) = (struct edge){block_first(block), of - 1, true};
		*vec_add(&edges) = (struct edge){block->woken, of - 1, false};
	}
	vec_sort(&edges, compare_edges);
	vec_for_each (&edges, edge) {
		struct why_lock *at = &f->locks->all.at[edge->lock];

		if (edge->lock != lock)
			waiting = 0;
		lock = edge->lock;
		waiting += edge->begins ? 1 : -1;
		at->at_once = max(at->at_once, waiting);
	}
	vec_release(&edges);
}

void why_locks_find(struct why_locks *locks, const struct why *why)
{
	struct finding f = {.locks = locks, .why = why};

	*locks = (struct why_locks){};
	vec_reserve(&locks->of_block, why->p->blocks.nr);
	for (u32 ref = 0; ref < why->p->blocks.nr; ref++) {
		*vec_add(&locks->of_block) = 0;
		if (ref < profile_nr_chosen(why->p) && why_class(why, ref) == WHY_LOCK)
			add_wait(&f, ref);
	}
	count_at_once(&f);
	table_release(&f.known);
}

void why_locks_release(struct why_locks *locks)
{
	vec_for_each (&locks->all, lock) {
		vec_release(&lock->waiters);
		vec_release(&lock->holders);
	}
	vec_release(&locks->all);
	vec_release(&locks->of_block);
}

/* ---- who had it */

static bool waits_for(const struct why_locks *locks, u32 ref, u32 lock)
{
	return ref != WHY_NO_BLOCK && locks->of_block.at[ref] == lock;
}

struct why_holder why_lock_holder(const struct why_locks *locks, u32 ref,
				  const struct why_pieces *pieces, const struct why_piece *piece)
{
	u32 lock = locks->of_block.at[ref], next = WHY_NO_STEP;
	struct why_holder holder = {WHY_NO_STEP, piece->block, piece->what};

	/* Backwards, so that the one nearest to the waiter is what is left. */
	for (u32 step = piece->step; step != WHY_NO_STEP; step = pieces->steps.at[step].from) {
		u32 waits = next == WHY_NO_STEP ? WHY_NO_BLOCK : pieces->steps.at[next].block;

		if (next == WHY_NO_STEP)
			holder.step = step;
		else if (!waits_for(locks, waits, lock))
			holder = (struct why_holder){step, waits,
						     waits == WHY_NO_BLOCK ? WHY_BEFORE : WHY_NR};
		next = step;
	}
	if (holder.what != WHY_NO_CPU && holder.what != WHY_NR &&
	    waits_for(locks, holder.block, lock))
		holder.step = WHY_NO_STEP;
	return holder;
}
