/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bodies.h"
#include "base/numbers.h"

#include "ids.h"
#include "legs.h"
#include "objects.h"
#include "wanting.h"

enum {
	MAX_IDS = 1 << 18,  /* that are kept before the epoch changes; 24 bytes each, twice */
	MAX_LATE = 1 << 24, /* bytes of bodies that wait for others */
};

struct bodies {
	struct profile *profile;
	struct processes *processes;
	struct copies *walks;
	struct holdings *holdings;
	struct wanting wanting;
	struct legs leg_rows;
	struct ids legs, stacks;
	struct ids objects;
	struct ids hops, chains; /* kept for good: a thread may name a hop much later */
	VEC(u32) chain;		 /* at hand */
	/*
	 * Bodies that name others which have not come: the ring was full when these were to be
	 * sent, and they come with the next event that needs them. Each at a multiple of 8 bytes.
	 */
	VEC(char) late;
	u64 nr_incomplete; /* of which something never came */
};

struct bodies *bodies_new(struct profile *profile, struct processes *processes,
			  struct copies *walks, struct holdings *holdings)
{
	struct bodies *b = xcalloc(1, sizeof(*b));

	b->profile = profile;
	b->leg_rows.profile = profile;
	b->processes = processes;
	b->walks = walks;
	b->holdings = holdings;
	return b;
}

void bodies_free(struct bodies *b)
{
	if (!b)
		return;
	wanting_release(&b->wanting);
	legs_release(&b->leg_rows);
	ids_release(&b->legs);
	ids_release(&b->stacks);
	ids_release(&b->objects);
	ids_release(&b->hops);
	ids_release(&b->chains);
	vec_release(&b->chain);
	vec_release(&b->late);
	free(b);
}

static bool has_native_frames(const struct wick_stack_body *body)
{
	return body->python < body->body.nr && !(body->python % 2);
}

static bool is_whole(const struct wick_body *body, size_t size)
{
	switch (body->type) {
	case WICK_BODY_LEG:
		return size >= sizeof(struct wick_leg_body);
	case WICK_BODY_KERNEL_STACK:
	case WICK_BODY_USER_STACK:
		return body->nr && body->nr <= WICK_USER_FRAMES &&
		       size >= sizeof(struct wick_stack_body) + body->nr * sizeof(u64) &&
		       has_native_frames((const void *)body);
	case WICK_BODY_PYTHON_CODE:
		return body->nr <= WICK_PYTHON_LINES &&
		       size >= sizeof(struct wick_code_body) + body->nr;
	case WICK_BODY_HOP:
		return size >= sizeof(struct wick_hop_body);
	case WICK_BODY_CHAIN:
		return body->nr && body->nr <= WICK_MAX_DEPTH &&
		       size >= sizeof(struct wick_chain_body) + body->nr * sizeof(u64);
	case WICK_BODY_OBJECT:
		return body->nr <= WICK_OBJECT_NAMES + WICK_OBJECT_NAME &&
		       size >= offsetof(struct wick_object_body, names) + body->nr;
	case WICK_BODY_BLOCK:
		return size >= sizeof(struct wick_block_body);
	case WICK_BODY_THREAD:
		return size >= sizeof(struct wick_thread_body);
	case WICK_BODY_MAPPING:
		return size >= sizeof(struct wick_mapping_body);
	case WICK_BODY_STACK_COPY:
		return body->nr <= WICK_COPY_PAGES * WICK_COPY_PAGE &&
		       size >= sizeof(struct wick_copy_body) + body->nr;
	default:
		return false;
	}
}

static void apply_leg(struct bodies *b, const struct wick_leg_body *body)
{
	ids_set(&b->legs, body->body.id, legs_row(&b->leg_rows, &body->leg));
}

static u32 image_of(const struct bodies *b, u64 leg_id)
{
	u32 leg;

	return ids_get(&b->legs, leg_id, &leg) ? b->profile->legs.at[leg].image : 0;
}

static void fill_user_stack(struct bodies *b, const struct wick_stack_body *body, u32 row,
			    bool exec_pending)
{
	processes_fill_stack(b->processes, body, image_of(b, body->leg), exec_pending, row);
}

static u32 kernel_frame(struct profile *p, u64 address, u64 time)
{
	size_t nr = p->frames.nr;
	u32 frame = profile_frame(p, SPACE_KERNEL, 0, address);

	if (frame == nr)
		*vec_add(&p->kernel_sights) = (struct kernel_sight){address, time};
	return frame;
}

static void apply_kernel_stack(struct bodies *b, const struct wick_stack_body *body)
{
	const u64 *addresses = (const u64 *)(body + 1);
	u32 frames[WICK_USER_FRAMES];

	for (u32 i = 0; i < body->body.nr; i++)
		frames[i] = kernel_frame(b->profile, addresses[i] - (i ? 1 : 0), body->body.time);
	ids_set(&b->stacks, body->body.id,
		profile_stack(b->profile, frames, body->body.nr,
			      body->end < WICK_NR_ENDS ? body->end : WICK_BAD_FRAME));
}

/* 0 is "none", which is row 0 of each table. */
static bool row_of(const struct ids *ids, u64 id, u32 *row)
{
	*row = 0;
	return !id || ids_get(ids, id, row);
}

/* Filled when the tables for its walk are there. */
static void fill_copy(struct bodies *b, const struct wick_copy_body *body, u32 row,
		      bool exec_pending)
{
	copies_add(b->walks,
		   &(struct walk_copy){
			   .copy = body,
			   .row = row,
			   .image = image_of(b, body->leg),
			   .mappings = processes_mappings(b->processes, body->tgid, exec_pending),
		   });
}

static u32 lost_stack(struct bodies *b)
{
	return profile_stack(b->profile, NULL, 0, WICK_LOST);
}

/* The row of a stack, where it has come, or is known never to come. */
static bool row_of_stack(struct bodies *b, u64 id, u32 *row)
{
	if (id != WICK_LOST_STACK)
		return row_of(&b->stacks, id, row);
	*row = lost_stack(b);
	return true;
}

/* The row of a stack; that of a lost one where it never came. */
static u32 stack_of(struct bodies *b, u64 id)
{
	u32 row;

	return row_of_stack(b, id, &row) ? row : lost_stack(b);
}

/* ---- bodies that name others */

static bool knows_leg(const struct bodies *b, u64 id)
{
	u32 row;

	return row_of(&b->legs, id, &row);
}

static bool knows_stacks(struct bodies *b, u64 user, u64 kernel)
{
	u32 row;

	return row_of_stack(b, user, &row) && row_of_stack(b, kernel, &row);
}

static bool knows_hops_of(const struct bodies *b, const struct wick_chain_body *body)
{
	const u64 *hops = (const u64 *)(body + 1);
	u32 row;

	for (u32 i = 0; i < body->body.nr; i++)
		if (!row_of(&b->hops, hops[i], &row))
			return false;
	return true;
}

static bool knows_parts_of_block(struct bodies *b, const struct wick_block_body *body)
{
	u32 row;

	return knows_leg(b, body->key.leg) && knows_stacks(b, body->key.user, body->key.kernel) &&
	       row_of(&b->chains, body->key.wakeup.chain, &row) &&
	       row_of(&b->objects, body->object, &row);
}

static bool knows_parts_of_thread(struct bodies *b, const struct wick_thread_body *body)
{
	u32 row;

	return knows_leg(b, body->leg) && knows_stacks(b, body->user, body->kernel) &&
	       row_of(&b->objects, body->object, &row);
}

/* Has all come that the body names? Its size in *size, where it can wait for that. */
static bool is_complete(struct bodies *b, const struct wick_body *body, size_t *size)
{
	const struct wick_hop_body *hop = (const void *)body;

	switch (body->type) {
	case WICK_BODY_HOP:
		*size = sizeof(*hop);
		return knows_leg(b, hop->leg) && knows_stacks(b, hop->user, hop->kernel);
	case WICK_BODY_CHAIN:
		*size = sizeof(struct wick_chain_body) + body->nr * sizeof(u64);
		return knows_hops_of(b, (const void *)body);
	case WICK_BODY_BLOCK:
		*size = sizeof(struct wick_block_body);
		return knows_parts_of_block(b, (const void *)body);
	case WICK_BODY_THREAD:
		*size = sizeof(struct wick_thread_body);
		return knows_parts_of_thread(b, (const void *)body);
	default:
		return true;
	}
}

static void apply_hop(struct bodies *b, const struct wick_hop_body *body)
{
	struct hop hop = {.cause = body->cause < WICK_NR_CAUSES ? body->cause : WICK_BY_TASK};

	row_of(&b->legs, body->leg, &hop.leg);
	hop.user = stack_of(b, body->user);
	hop.kernel = stack_of(b, body->kernel);
	ids_set(&b->hops, body->body.id, profile_hop(b->profile, &hop));
}

static void apply_chain(struct bodies *b, const struct wick_chain_body *body)
{
	const u64 *hops = (const u64 *)(body + 1);

	b->chain.nr = 0;
	for (u32 i = 0; i < body->body.nr; i++)
		row_of(&b->hops, hops[i], vec_add(&b->chain));
	ids_set(&b->chains, body->body.id,
		profile_chain(b->profile, b->chain.at, b->chain.nr,
			      body->end < WICK_NR_CHAIN_ENDS ? body->end : WICK_CHAIN_DEPTH));
}

static enum wick_object object_kind(u32 kind)
{
	return kind < WICK_NR_OBJECTS ? kind : WICK_OBJECT_UNKNOWN;
}

static void apply_block(struct bodies *b, const struct wick_block_body *body)
{
	struct block block = {
		.state = body->key.state,
		.begin = body->begin,
		.woken = max(body->woken, body->begin),
		.ran = body->ran,
		.counted_block = body->counted_block,
		.counted_wait = body->counted_wait,
		.holder = body->holder,
		.object_kind = object_kind(body->object_kind),
	};

	block.end = max(body->body.time, block.woken);
	row_of(&b->legs, body->key.leg, &block.leg);
	row_of(&b->legs, body->before, &block.before);
	row_of_stack(b, body->key.user, &block.user);
	row_of_stack(b, body->key.kernel, &block.kernel);
	row_of(&b->chains, body->key.wakeup.chain, &block.chain);
	row_of(&b->objects, body->object, &block.object);
	profile_wait(b->profile, &block);
}

/* What had not ended when the window did is an entry of the log, one a thread. */
static void apply_still(struct bodies *b, const struct wick_thread_body *body)
{
	u32 letter = body->still & WICK_STATE_LETTER;
	u64 ns = min(body->still_ns, body->end);
	bool is_blocked = letter != 'Q' && letter != 'R';
	struct block block = {
		.state = body->still,
		.begin = body->end - ns,
		.woken = is_blocked ? body->end : body->end - ns,
		.end = body->end,
		.ran = body->running,
		.counted_block = is_blocked ? ns : 0,
		.counted_wait = is_blocked ? 0 : ns,
		.object_kind = object_kind(body->object_kind),
		.holder = body->holder,
	};

	if (!ns)
		return;
	row_of(&b->legs, body->leg, &block.leg);
	block.user = stack_of(b, body->user);
	block.kernel = stack_of(b, body->kernel);
	row_of(&b->objects, body->object, &block.object);
	if (is_blocked)
		profile_wait(b->profile, &block);
	else
		wanting_add(&b->wanting, &block, body->last_cpu);
}

static void apply_thread(struct bodies *b, const struct wick_thread_body *body)
{
	struct thread_time thread = {
		.begin = body->begin,
		.end = body->end,
		.running = body->running,
		.queued = body->queued,
		.preempted = body->preempted,
		.blocked = body->blocked,
		.unaccounted = body->unaccounted,
		.ran = body->ran,
	};

	row_of(&b->legs, body->leg, &thread.leg);
	profile_thread(b->profile, &thread);
	apply_still(b, body);
	if (!body->last_ran)
		return;
	wanting_runs(&b->wanting, thread.leg, body->last_cpu);
	add_to_sum(&profile_cpu(b->profile, body->last_cpu)->running, body->last_ran);
}

static void apply_mapping(struct bodies *b, const struct wick_mapping_body *body)
{
	u32 leg;

	row_of(&b->legs, body->leg, &leg);
	holdings_change(b->holdings, body, leg, body->user ? stack_of(b, body->user) : 0);
}

static u32 reserve(struct bodies *b, u64 id)
{
	u32 row = profile_reserve_stack(b->profile);

	ids_set(&b->stacks, id, row);
	return row;
}

static void apply_now(struct bodies *b, const struct wick_body *body)
{
	const void *bytes = body;

	switch (body->type) {
	case WICK_BODY_LEG:
		apply_leg(b, bytes);
		return;
	case WICK_BODY_KERNEL_STACK:
		apply_kernel_stack(b, bytes);
		return;
	case WICK_BODY_USER_STACK:
		ids_set(&b->stacks, body->id, processes_stack(b->processes, bytes));
		return;
	case WICK_BODY_PYTHON_CODE:
		processes_python_code(b->processes, bytes);
		return;
	case WICK_BODY_OBJECT:
		ids_set(&b->objects, body->id, objects_row(b->profile, bytes));
		return;
	case WICK_BODY_HOP:
		apply_hop(b, bytes);
		return;
	case WICK_BODY_CHAIN:
		apply_chain(b, bytes);
		return;
	case WICK_BODY_BLOCK:
		apply_block(b, bytes);
		return;
	case WICK_BODY_MAPPING:
		apply_mapping(b, bytes);
		return;
	default:
		apply_thread(b, bytes);
		return;
	}
}

static void keep_late(struct bodies *b, const struct wick_body *body, size_t size)
{
	vec_reserve(&b->late, size);
	memcpy(b->late.at + b->late.nr, body, size);
	b->late.nr += size;
}

int bodies_take(struct bodies *b, const struct wick_body *body, size_t *size, u32 *row)
{
	const void *bytes = body;
	size_t whole;

	if (*size < sizeof(*body) || !is_whole(body, *size))
		return -EINVAL;
	if (body->type == WICK_BODY_USER_STACK && ((const struct wick_stack_body *)bytes)->leg) {
		*row = reserve(b, body->id);
		return 1;
	}
	if (body->type == WICK_BODY_STACK_COPY) {
		/* Room for the largest copy was reserved; this is what is in it. */
		*size = sizeof(struct wick_copy_body) + body->nr;
		*row = reserve(b, body->id);
		return 1;
	}
	if (!is_complete(b, body, &whole) && b->late.nr < MAX_LATE)
		keep_late(b, body, whole);
	else
		apply_now(b, body);
	return 0;
}

/* Applies those whose parts have come, and those of `type` without; 0: of none. */
static void retry_late(struct bodies *b, u32 type)
{
	size_t kept = 0, size = 0;

	for (size_t at = 0; at < b->late.nr; at += size) {
		const struct wick_body *body = (const void *)(b->late.at + at);
		bool complete = is_complete(b, body, &size);

		if (complete || body->type == type) {
			b->nr_incomplete += !complete;
			apply_now(b, body);
			continue;
		}
		memmove(b->late.at + kept, body, size);
		kept += size;
	}
	b->late.nr = kept;
}

void bodies_retry(struct bodies *b)
{
	if (b->late.nr)
		retry_late(b, 0);
}

u64 bodies_finish(struct bodies *b)
{
	static const u32 in_order[] = {WICK_BODY_HOP, WICK_BODY_CHAIN, WICK_BODY_BLOCK,
				       WICK_BODY_THREAD};

	bodies_retry(b);
	for (size_t i = 0; i < ARRAY_SIZE(in_order); i++)
		retry_late(b, in_order[i]);
	wanting_finish(&b->wanting, b->profile);
	return b->nr_incomplete;
}

void bodies_fill(struct bodies *b, const struct wick_body *body, u32 row, bool exec_pending)
{
	if (body->type == WICK_BODY_USER_STACK)
		fill_user_stack(b, (const void *)body, row, exec_pending);
	else
		fill_copy(b, (const void *)body, row, exec_pending);
}

u32 bodies_pid(const struct wick_body *body)
{
	const void *bytes = body;

	return body->type == WICK_BODY_USER_STACK ? ((const struct wick_stack_body *)bytes)->tgid
						  : ((const struct wick_copy_body *)bytes)->tgid;
}

/* ---- counts */

bool bodies_count(struct bodies *b, const struct wick_key *key, const struct wick_columns *columns,
		  bool last_chance, u64 *lost_stacks)
{
	struct sample sample = {.kind = key->kind, .state = key->state};
	u32 lost;

	_Static_assert(sizeof(sample.column) == sizeof(columns->column), "columns differ");
	if (!row_of(&b->legs, key->leg, &sample.leg) && !last_chance)
		return false;
	lost = !row_of_stack(b, key->user, &sample.user) +
	       !row_of_stack(b, key->kernel, &sample.kernel) +
	       !row_of(&b->chains, key->wakeup.chain, &sample.chain);
	if (lost) {
		if (!last_chance)
			return false;
		add_to_sum(lost_stacks, columns->column[0]);
		sample.user = sample.user ? sample.user : lost_stack(b);
	}
	memcpy(sample.column, columns->column, sizeof(sample.column));
	profile_count(b->profile, &sample);
	return true;
}

bool bodies_rotate(struct bodies *b)
{
	if (b->stacks.now.nr + b->legs.now.nr < MAX_IDS)
		return false;
	ids_rotate(&b->stacks);
	ids_rotate(&b->legs);
	ids_rotate(&b->objects);
	return true;
}
