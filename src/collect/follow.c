/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "follow.h"

#include "ids.h"
#include "legs.h"

enum {
	MAX_IDS = 1 << 18, /* that are kept before the epoch changes; 24 bytes each, twice */
	MAX_SPARE =
		256
		<< 10, /* bytes: copies of stacks come in bursts, and are not worth keeping room for */
};

/* A body in the arena, or a record: in the order of their times, then as they came. */
struct pending_body {
	u64 time;
	size_t at, size;
	u32 row; /* the stack's */
};

struct waiting_count {
	struct wick_key key;
	struct wick_columns columns;
};

struct arena {
	VEC_FIELDS(char);
};

struct follow {
	struct profile *profile;
	struct processes *processes;
	struct walks *walks;
	VEC(struct process_event) events;
	VEC(struct pending_body) bodies;
	struct arena arena, spare;
	VEC(struct waiting_count) counts;
	struct legs leg_rows;
	struct ids legs, stacks;
	struct ids hops, chains; /* kept for good: a thread may name a hop much later */
	VEC(u32) chain;		 /* at hand */
	u64 nr_bodies, body_bytes, lost_stacks;
};

struct follow *follow_new(struct profile *profile, struct processes *processes, struct walks *walks)
{
	struct follow *f = xcalloc(1, sizeof(*f));

	f->profile = profile;
	f->leg_rows.profile = profile;
	f->processes = processes;
	f->walks = walks;
	return f;
}

void follow_free(struct follow *f)
{
	if (!f)
		return;
	vec_release(&f->events);
	vec_release(&f->bodies);
	vec_release(&f->arena);
	vec_release(&f->spare);
	vec_release(&f->counts);
	legs_release(&f->leg_rows);
	ids_release(&f->legs);
	ids_release(&f->stacks);
	ids_release(&f->hops);
	ids_release(&f->chains);
	vec_release(&f->chain);
	free(f);
}

static bool is_whole(const struct wick_body *body, size_t size)
{
	switch (body->type) {
	case WICK_BODY_LEG:
		return size >= sizeof(struct wick_leg_body);
	case WICK_BODY_KERNEL_STACK:
	case WICK_BODY_USER_STACK:
		return body->nr && body->nr <= WICK_USER_FRAMES &&
		       size >= sizeof(struct wick_stack_body) + body->nr * sizeof(u64);
	case WICK_BODY_HOP:
		return size >= sizeof(struct wick_hop_body);
	case WICK_BODY_CHAIN:
		return body->nr && body->nr <= WICK_MAX_DEPTH &&
		       size >= sizeof(struct wick_chain_body) + body->nr * sizeof(u64);
	case WICK_BODY_BLOCK:
		return size >= sizeof(struct wick_block_body);
	case WICK_BODY_THREAD:
		return size >= sizeof(struct wick_thread_body);
	case WICK_BODY_STACK_COPY:
		return body->nr <= WICK_COPY_PAGES * WICK_COPY_PAGE &&
		       size >= sizeof(struct wick_copy_body) + body->nr;
	default:
		return false;
	}
}

void follow_record(struct follow *f, const struct sideband_record *record)
{
	processes_event(f->processes, record, vec_add(&f->events));
}

/* ---- bodies */

static void apply_leg(struct follow *f, const struct wick_leg_body *body)
{
	ids_set(&f->legs, body->body.id, legs_row(&f->leg_rows, &body->leg));
}

/* Does the process exec between `time` and now? Then /proc tells about another program. */
static bool execs_later(const struct follow *f, u32 pid, u64 time)
{
	vec_for_each (&f->events, event)
		if (event->pid == pid && event->type == SIDEBAND_EXEC && event->time >= time)
			return true;
	return false;
}

static void apply_user_stack(struct follow *f, const struct wick_stack_body *body, u32 row)
{
	u32 leg, image = 0;

	if (ids_get(&f->legs, body->leg, &leg))
		image = f->profile->legs.at[leg].image;
	processes_fill_stack(f->processes, body, image,
			     !processes_knows(f->processes, body->tgid) &&
				     execs_later(f, body->tgid, body->body.time),
			     row);
}

static void apply_kernel_stack(struct follow *f, const struct wick_stack_body *body)
{
	const u64 *addresses = (const u64 *)(body + 1);
	u32 frames[WICK_USER_FRAMES];

	for (u32 i = 0; i < body->body.nr; i++)
		frames[i] = profile_frame(f->profile, SPACE_KERNEL, 0, addresses[i] - (i ? 1 : 0));
	ids_set(&f->stacks, body->body.id,
		profile_stack(f->profile, frames, body->body.nr,
			      body->end < WICK_NR_ENDS ? body->end : WICK_BAD_FRAME));
}

/* 0 is "none", which is row 0 of each table. */
static bool row_of(const struct ids *ids, u64 id, u32 *row)
{
	*row = 0;
	return !id || ids_get(ids, id, row);
}

/* Filled when the tables for its walk are there. */
static void apply_copy(struct follow *f, const struct wick_copy_body *body, u32 row)
{
	struct walk_copy copy = {.copy = body, .row = row};
	u32 leg;

	if (ids_get(&f->legs, body->leg, &leg))
		copy.image = f->profile->legs.at[leg].image;
	copy.mappings = processes_mappings(f->processes, body->tgid,
					   !processes_knows(f->processes, body->tgid) &&
						   execs_later(f, body->tgid, body->body.time));
	walks_add(f->walks, &copy);
}

static void apply_hop(struct follow *f, const struct wick_hop_body *body)
{
	struct hop hop = {.cause = body->cause < WICK_NR_CAUSES ? body->cause : WICK_BY_TASK};

	row_of(&f->legs, body->leg, &hop.leg);
	row_of(&f->stacks, body->user, &hop.user);
	row_of(&f->stacks, body->kernel, &hop.kernel);
	ids_set(&f->hops, body->body.id, profile_hop(f->profile, &hop));
}

static void apply_chain(struct follow *f, const struct wick_chain_body *body)
{
	const u64 *hops = (const u64 *)(body + 1);

	f->chain.nr = 0;
	for (u32 i = 0; i < body->body.nr; i++)
		row_of(&f->hops, hops[i], vec_add(&f->chain));
	ids_set(&f->chains, body->body.id,
		profile_chain(f->profile, f->chain.at, f->chain.nr,
			      body->end < WICK_NR_CHAIN_ENDS ? body->end : WICK_CHAIN_DEPTH));
}

static void apply_block(struct follow *f, const struct wick_block_body *body)
{
	struct block block = {.state = body->state, .end = body->body.time, .ns = body->ns};

	row_of(&f->legs, body->leg, &block.leg);
	row_of(&f->stacks, body->user, &block.user);
	row_of(&f->stacks, body->kernel, &block.kernel);
	row_of(&f->chains, body->chain, &block.chain);
	profile_block(f->profile, &block);
}

static void apply_thread(struct follow *f, const struct wick_thread_body *body)
{
	struct thread_time thread = {
		.begin = body->begin,
		.end = body->end,
		.running = body->running,
		.queued = body->queued,
		.preempted = body->preempted,
		.blocked = body->blocked,
	};

	row_of(&f->legs, body->leg, &thread.leg);
	*vec_add(&f->profile->threads) = thread;
}

static u32 reserve(struct follow *f, u64 id)
{
	u32 row = profile_reserve_stack(f->profile);

	ids_set(&f->stacks, id, row);
	return row;
}

/* Keeps a body until its time has come. `row` is what its id means already. */
static void defer(struct follow *f, const struct wick_body *body, size_t size, u32 row)
{
	size_t aligned = (size + 7) & ~(size_t)7;

	*vec_add(&f->bodies) = (struct pending_body){
		.time = body->time, .at = f->arena.nr, .size = size, .row = row};
	vec_reserve(&f->arena, aligned);
	memcpy(f->arena.at + f->arena.nr, body, size);
	f->arena.nr += aligned;
}

/*
 * What a body refers to has come before it, whatever their times say: another CPU may have sent that. So ids mean
 * something at once; a stack whose frames depend on what is mapped has a row that is filled when the
 * records up to its time are there.
 */
int follow_body(struct follow *f, const void *bytes, size_t size)
{
	const struct wick_body *body = bytes;

	if (size < sizeof(*body) || !is_whole(body, size))
		return -EINVAL;
	switch (body->type) {
	case WICK_BODY_LEG:
		apply_leg(f, bytes);
		break;
	case WICK_BODY_KERNEL_STACK:
		apply_kernel_stack(f, bytes);
		break;
	case WICK_BODY_USER_STACK:
		if (((const struct wick_stack_body *)bytes)->leg)
			defer(f, body, size, reserve(f, body->id));
		else
			ids_set(&f->stacks, body->id, processes_stack(f->processes, bytes));
		break;
	case WICK_BODY_STACK_COPY:
		/* Room for the largest copy was reserved; this is what is in it. */
		size = sizeof(struct wick_copy_body) + body->nr;
		defer(f, body, size, reserve(f, body->id));
		break;
	case WICK_BODY_HOP:
		apply_hop(f, bytes);
		break;
	case WICK_BODY_CHAIN:
		apply_chain(f, bytes);
		break;
	case WICK_BODY_BLOCK:
		apply_block(f, bytes);
		break;
	case WICK_BODY_THREAD:
		apply_thread(f, bytes);
		break;
	}
	f->nr_bodies++;
	f->body_bytes += size;
	return 0;
}

/* Of a body whose time has come. */
static void apply_body(struct follow *f, const struct wick_body *body, u32 row)
{
	if (body->type == WICK_BODY_USER_STACK)
		apply_user_stack(f, (const void *)body, row);
	else
		apply_copy(f, (const void *)body, row);
}

/* ---- order */

static int compare_times(u64 a, u64 b)
{
	return a < b ? -1 : a > b;
}

static int compare_bodies(const void *a, const void *b)
{
	const struct pending_body *x = a, *y = b;
	int order = compare_times(x->time, y->time);

	/* A leg is sent before its stacks, at the same time. */
	return order ? order : compare_times(x->at, y->at);
}

static int compare_events(const void *a, const void *b)
{
	const struct process_event *x = a, *y = b;

	return compare_times(x->time, y->time);
}

/* Forgets the bodies before `first`: the others move to the spare arena, which takes the arena's place. */
static void keep_bodies(struct follow *f, size_t first)
{
	struct arena done = f->arena;

	f->spare.nr = 0;
	for (size_t i = first; i < f->bodies.nr; i++) {
		struct pending_body body = f->bodies.at[i];
		size_t aligned = (body.size + 7) & ~(size_t)7;

		vec_reserve(&f->spare, aligned);
		memcpy(f->spare.at + f->spare.nr, f->arena.at + body.at, body.size);
		body.at = f->spare.nr;
		f->spare.nr += aligned;
		f->bodies.at[i - first] = body;
	}
	f->bodies.nr -= first;
	f->arena = f->spare;
	f->spare = done;
	if (f->spare.room > MAX_SPARE)
		vec_release(&f->spare);
}

static void keep_events(struct follow *f, size_t first)
{
	memmove(f->events.at, f->events.at + first, (f->events.nr - first) * sizeof(*f->events.at));
	f->events.nr -= first;
}

/* ---- counts */

/* What had not ended may be what one is looking for; threads that never ran are another matter. */
static bool is_still_blocked(const struct wick_key *key)
{
	u32 letter = key->state & WICK_STATE_LETTER;

	return key->kind == WICK_SCHED && key->state & WICK_STATE_STILL &&
	       !(key->state & WICK_STATE_NEVER_RAN) && letter && letter != 'Q' && letter != 'R';
}

/* Kernel threads sleep for days when nobody needs them. */
static bool is_somebodys(const struct profile *p, const struct sample *sample)
{
	return p->legs.at[sample->leg].kind == WICK_USER_THREAD ||
	       (sample->state & WICK_STATE_LETTER) == 'D';
}

static bool add_count(struct follow *f, const struct wick_key *key,
		      const struct wick_columns *columns, bool last_chance)
{
	struct sample sample = {.kind = key->kind, .state = key->state};
	u32 lost;

	_Static_assert(sizeof(sample.column) == sizeof(columns->column), "columns differ");
	if (!row_of(&f->legs, key->leg, &sample.leg) && !last_chance)
		return false;
	lost = !row_of(&f->stacks, key->user, &sample.user) +
	       !row_of(&f->stacks, key->kernel, &sample.kernel) +
	       !row_of(&f->chains, key->chain, &sample.chain);
	if (lost) {
		if (!last_chance)
			return false;
		f->lost_stacks += columns->column[0];
		sample.user =
			sample.user ? sample.user : profile_stack(f->profile, NULL, 0, WICK_LOST);
	}
	memcpy(sample.column, columns->column, sizeof(sample.column));
	profile_count(f->profile, &sample);
	if (is_still_blocked(key) && is_somebodys(f->profile, &sample))
		profile_block(f->profile, &(struct block){.leg = sample.leg,
							  .user = sample.user,
							  .kernel = sample.kernel,
							  .state = sample.state,
							  .end = f->profile->end,
							  .ns = columns->column[1]});
	return true;
}

void follow_count(struct follow *f, const struct wick_key *key, const struct wick_columns *columns)
{
	struct waiting_count *waiting;

	if (key->kind >= WICK_NR_KINDS || add_count(f, key, columns, false))
		return;
	waiting = vec_add(&f->counts);
	waiting->key = *key;
	waiting->columns = *columns;
}

static void retry_counts(struct follow *f, bool last_chance)
{
	size_t nr = 0;

	for (size_t i = 0; i < f->counts.nr; i++) {
		struct waiting_count waiting = f->counts.at[i];

		if (!add_count(f, &waiting.key, &waiting.columns, last_chance))
			f->counts.at[nr++] = waiting;
	}
	f->counts.nr = nr;
}

void follow_until(struct follow *f, u64 horizon)
{
	size_t body = 0, event = 0;

	vec_sort(&f->bodies, compare_bodies);
	vec_sort(&f->events, compare_events);
	while (body < f->bodies.nr && f->bodies.at[body].time < horizon) {
		const struct pending_body *next = &f->bodies.at[body++];

		while (event < f->events.nr && f->events.at[event].time <= next->time)
			processes_apply(f->processes, &f->events.at[event++]);
		apply_body(f, (const void *)(f->arena.at + next->at), next->row);
	}
	while (event < f->events.nr && f->events.at[event].time < horizon)
		processes_apply(f->processes, &f->events.at[event++]);
	keep_bodies(f, body);
	keep_events(f, event);
	retry_counts(f, false);
}

bool follow_hurries(const struct follow *f)
{
	return f->bodies.nr != 0;
}

bool follow_rotate(struct follow *f)
{
	if (f->stacks.now.nr + f->legs.now.nr < MAX_IDS)
		return false;
	ids_rotate(&f->stacks);
	ids_rotate(&f->legs);
	return true;
}

void follow_finish(struct follow *f)
{
	retry_counts(f, true);
}

u64 follow_nr_bodies(const struct follow *f)
{
	return f->nr_bodies;
}

u64 follow_body_bytes(const struct follow *f)
{
	return f->body_bytes;
}

u64 follow_lost_stacks(const struct follow *f)
{
	return f->lost_stacks;
}
